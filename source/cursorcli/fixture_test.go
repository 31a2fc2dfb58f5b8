package cursorcli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/cursorcli"
	"github.com/retold-history/retold/source/sourcetest"
)

// outline writes a session as lines "role text", tools with their name and status.
func outline(messages []retold.Message) []string {
	var out []string
	for _, m := range messages {
		line := fmt.Sprintf("%s %s", m.Role, m.Content)
		if m.Tool != nil {
			line = fmt.Sprintf("%s %s %s", m.Role, m.Tool.Name, m.Tool.Status)
		}
		switch {
		case m.Orphan:
			line += " (orphan)"
		case m.Recovered:
			line += " (recovered)"
		}
		out = append(out, line)
	}
	return out
}

func TestFixtures(t *testing.T) {
	home := copyOf(t, sdkHome)
	for id, want := range map[string][]string{
		"6dcd4ce2-3d88-42ee-a568-ba546c007c63": { // A
			"system You are an AI coding assistant, powered by Composer. (fictional fixture system prompt)",
			"user Say hello in Go — and keep the “quotes” é ü 日本語 🚀",
			"assistant Hello! Here is a tiny program:\n\n```go\npackage main\n\nfunc main() { println(\"héllo 🚀\") }\n```",
		},
		"32096c2e-0eff-43d8-a4ee-6d675407ace1":       {"user ping", "assistant pong"},                                                   // C: 2025
		"50c9e8d5-fc98-427b-abbc-93cf5d64a68d":       {"user run the build", "assistant Running the build {now}", "tool Shell pending"}, // D
		"e0184ade-df91-4b07-a626-646d3f52c3b4":       nil,                                                                               // E: meta.json alone
		"e69f20e9-f683-420d-afb4-329abd951e87":       {"user hi", "assistant hello", "assistant cut", "system [turn not stored here]"},  // F: broken
		"a36a6718-f545-44d8-a689-4fb04b5b885b":       {"user acp hello", "assistant acp world"},                                         // G: ACP
		"agent-11111111-2222-4333-8444-555555555555": {"user hello sdk", "assistant hi from sdk"},                                       // S: SDK
	} {
		if diff := cmp.Diff(want, outline(read(t, home, id).Messages)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", id, diff)
		}
	}
}

func TestHeadersOfFixtures(t *testing.T) {
	home := copyOf(t, sdkHome)
	got := map[string]string{}
	for _, h := range sourcetest.Headers(t, source(home)) {
		got[h.ID[:8]] = fmt.Sprintf("%s|%s|%s|%s|%s|empty=%v", strings.Join(h.Sources, "+"), h.Title, h.WorkspacePath, h.Model, h.Mode, h.Empty)
	}
	want := map[string]string{
		"6dcd4ce2": "store+transcript|Hello in Go|/home/dev/projects/hello_app|composer-2|agent|empty=false",
		"ae4f281d": "store+transcript|Fix failing test|/home/dev/projects/shop.api|claude-4.5-opus-high-thinking|plan|empty=false",
		"227966ee": "store+transcript||/home/dev/projects/shop.api|composer-2-fast||empty=false",
		"32096c2e": "store|Legacy ping||gpt-5|auto-run|empty=false",
		"50c9e8d5": "store||/home/dev/projects/live||agent|empty=false",
		"e0184ade": "store||/home/dev/projects/empty|||empty=true",
		"e69f20e9": "store||||default|empty=false",
		"a36a6718": "acp|ACP hello|/home/dev/projects/acp||default|empty=false",
		"agent-11": "sdk|SDK demo agent|/home/dev/projects/sdk-demo|composer-2|default|empty=false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Fixture F references blobs that are absent; each reference is a problem that
// names the blob.
func TestProblemsOfBrokenStore(t *testing.T) {
	d := read(t, copyOf(t, sdkHome), "e69f20e9-f683-420d-afb4-329abd951e87")
	if len(d.ProblemList) == 0 {
		t.Fatal("no problems")
	}
	for _, p := range d.ProblemList {
		if p.Kind != retold.ProblemMissing || len(p.Key) != 64 || !strings.HasSuffix(p.Path, "store.db") {
			t.Errorf("%+v", p)
		}
	}
}

// While the writer is alive the main file is an empty page and everything is in
// the write-ahead log.
func TestRowsInTheLogAreSeen(t *testing.T) {
	home := t.TempDir()
	chats := filepath.Join(home, "chats", "9ffb96397c3a26f07c732757c4407da9")
	if err := os.CopyFS(chats, os.DirFS("testdata/sdk/wal-live")); err != nil {
		t.Fatal(err)
	}
	before := sourcetest.Tree(t, home)
	want := []string{"user run the build", "assistant Running the build {now}", "tool Shell pending"}
	if diff := cmp.Diff(want, outline(read(t, home, "50c9e8d5-fc98-427b-abbc-93cf5d64a68d").Messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	sourcetest.Run(t, func() retold.Source { return source(home) }, home)
	if diff := cmp.Diff(before, sourcetest.Tree(t, home)); diff != "" {
		t.Errorf("reading changed the folder (-before +after)\n%s", diff)
	}
}

// The three encodings carry one conversation, as far as each can: the lines keep
// thinking behind the text, the others apart; only the object keeps a mode.
func TestTranscriptEncodingsAgree(t *testing.T) {
	shape := func(ext string) []string {
		b, err := os.ReadFile(variants + idB + ext)
		if err != nil {
			t.Fatal(err)
		}
		messages, problems, err := cursorcli.ParseTranscript(ext, b)
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		var out []string
		for _, m := range messages {
			line := fmt.Sprintf("%s %s %d", m.Role, m.Content, len(m.Attachments))
			if m.Tool != nil {
				var params bytes.Buffer
				if err := json.Compact(&params, m.Tool.Params); err != nil {
					t.Fatal(err)
				}
				line = fmt.Sprintf("tool %s %s %v", m.Tool.Name, &params, m.Tool.Files)
			}
			out = append(out, line)
		}
		return out
	}
	if diff := cmp.Diff(shape(".txt"), shape(".json")); diff != "" {
		t.Errorf("txt and json differ (-txt +json)\n%s", diff)
	}
	lines := shape(".jsonl")
	for i, l := range lines {
		if l == "assistant Let me run the tests.\n\nI should run the tests first. 0" {
			lines = append(append(append([]string{}, lines[:i]...), "thinking I should run the tests first. 0", "assistant Let me run the tests. 0"), lines[i+1:]...)
		}
	}
	if diff := cmp.Diff(shape(".json"), lines); diff != "" {
		t.Errorf("json and jsonl differ (-json +jsonl)\n%s", diff)
	}
}

// A session whose three transcripts lie side by side is shown once.
func TestEncodingsOfOneSessionAreNotDoubled(t *testing.T) {
	home := t.TempDir()
	if err := os.CopyFS(filepath.Join(home, "projects", "home-dev-projects-shop-api", "agent-transcripts"),
		os.DirFS(filepath.Dir(filepath.Clean(variants)))); err != nil {
		t.Fatal(err)
	}
	for _, m := range read(t, home, idB).Messages {
		if m.Recovered {
			t.Errorf("%s %q is there twice", m.Role, m.Content)
		}
	}
}

// The SDK's line-JSON store holds the same session as its SQLite store, below a
// project and in a folder given by hand.
func TestLineStore(t *testing.T) {
	const id = "agent-11111111-2222-4333-8444-555555555555"
	flat := copyOf(t, "testdata/sdk/sdk-jsonl-store")
	home := t.TempDir()
	dir := filepath.Join(home, "projects", "home-dev-projects-sdk-demo", "sdk-agent-store", "37106a68637398b151850cb5c1b890c0")
	if err := os.CopyFS(dir, os.DirFS(flat)); err != nil {
		t.Fatal(err)
	}
	want := read(t, copyOf(t, sdkHome), id)
	for _, place := range []string{flat, home} {
		got := read(t, place, id)
		got.Mode = want.Mode // only the SQLite store has a meta row to name it
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-sqlite +lines)\n%s", diff)
		}
		sourcetest.Run(t, func() retold.Source { return source(place) }, place)
	}
}
