package cursorcli_test

import (
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

const transcripts = "projects/home-ada-projects-tidepool/agent-transcripts"

// A heading below the parameters of a tool ends them without an empty line.
func TestHeadingsBelowToolParameters(t *testing.T) {
	const text = "assistant:\n[Tool call] Shell\n  command: make\n[Tool result] Shell\nuser:\nwhy?\n\nassistant:\n[Tool call] Read\n  path: a.go\nuser:\nand now?\n\n" +
		"assistant:\n[Tool call] Read\n  path: b.go\nassistant:\nDone.\n\nassistant:\n[Tool call] Read\n  path: c.go\nTurn ended: aborted."
	messages, problems, err := cursorcli.ParseTranscript(".txt", []byte(text))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	want := []string{"tool Shell ", "user why?", "tool Read ", "user and now?", "tool Read ", "assistant Done.", "tool Read ", "system [turn aborted]"}
	if diff := cmp.Diff(want, outline(messages)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := string(messages[2].Tool.Params); got != `{"path":"a.go"}` {
		t.Errorf("params are %s", got)
	}
}

// Nothing of a text transcript is dropped without a word.
func TestTextThatBelongsToNobody(t *testing.T) {
	messages, problems, err := cursorcli.ParseTranscript(".txt", []byte("stray words\nuser:\nhi\n\nassistant:\n[Tool call] Shell\n  command: make\n[Tool result] Shell\nall good\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) != 1 || !strings.Contains(problems[0].Reason, "stray words") {
		t.Errorf("problems %v", problems)
	}
	if len(messages) != 2 || string(messages[1].Tool.Result) != `"all good"` {
		t.Errorf("messages %+v", messages)
	}
}

func TestPartsAndRolesThatNobodyKnows(t *testing.T) {
	const lines = `{"role":"user","message":{"content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},{"type":"image","filename":"tide.png"}]}}
{"role":"user","message":{"content":[{"type":"image","mimeType":"image/jpeg"}]}}
{"role":"assistant","message":{"content":[{"type":"hologram","shape":"wave"},{"type":"text","text":"A wave."}]}}
{"role":"narrator","message":{"content":[{"type":"text","text":"Meanwhile."}]}}
{"role":"narrator","mood":"calm"}
`
	messages, problems, err := cursorcli.ParseTranscript(".jsonl", []byte(lines))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"user look", "user ", `system {"type":"hologram","shape":"wave"}`, "assistant A wave.", "system Meanwhile.", `system {"role":"narrator","mood":"calm"}`}
	if diff := cmp.Diff(want, outline(messages)); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]retold.Attachment{{Kind: "image", Name: "image/png"}, {Kind: "image", Name: "tide.png"}}, messages[0].Attachments); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]retold.Attachment{{Kind: "image", Name: "image/jpeg"}}, messages[1].Attachments); diff != "" {
		t.Error(diff)
	}
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Kind+" "+p.Key)
	}
	if diff := cmp.Diff([]string{"unknown line 3", "unknown line 4", "unknown line 5"}, keys); diff != "" {
		t.Error(diff)
	}
}

// A sub-agent that has its parent's id is a session of its own.
func TestSubagentWithTheIDOfItsParent(t *testing.T) {
	home := t.TempDir()
	const id = "3f0c2a4e-0b7d-4c19-9a53-6d1f1a2b3c4d"
	for path, said := range map[string]string{id + ".jsonl": "parent", "subagents/" + id + ".jsonl": "child"} {
		writeFile(t, filepath.Join(home, transcripts, id, path), fmt.Appendf(nil, `{"role":"user","message":{"content":%q}}`, said))
	}
	if d := read(t, home, id); len(d.Messages) != 1 || d.Messages[0].Content != "parent" || d.ParentID != "" {
		t.Errorf("parent is %+v", d)
	}
	if d := read(t, home, id+":subagent"); len(d.Messages) != 1 || d.Messages[0].Content != "child" || d.ParentID != id {
		t.Errorf("child is %+v", d)
	}
}

// Links that lead out of the folder are told about and not followed.
func TestLinksThatLeadOut(t *testing.T) {
	root := t.TempDir()
	home, outside := filepath.Join(root, ".cursor"), filepath.Join(root, "outside.jsonl")
	writeFile(t, outside, []byte(`{"role":"user","message":{"content":"secret"}}`))
	writeFile(t, filepath.Join(root, "meta.json"), []byte(`{"title":"secret"}`))
	inner := filepath.Join(home, transcripts, "real.jsonl")
	writeFile(t, inner, []byte(`{"role":"user","message":{"content":"hi"}}`))
	for link, target := range map[string]string{
		filepath.Join(home, transcripts, "out.jsonl"):                                                outside,
		filepath.Join(home, transcripts, "nested", "nested.txt"):                                     outside,
		filepath.Join(home, transcripts, "in.jsonl"):                                                 inner,
		filepath.Join(home, "chats", "44f2b02169d5cca3815a606acc67c360", "linked-db", "store.db"):    outside,
		filepath.Join(home, "chats", "44f2b02169d5cca3815a606acc67c360", "linked-side", "meta.json"): filepath.Join(root, "meta.json"),
	} {
		folder(t, filepath.Dir(link))
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	faults := 0
	s := source(home)
	for h, err := range s.Headers(t.Context(), retold.Place{Agent: "cursor-cli", Path: home, Kind: "home", Used: true}) {
		if err != nil {
			faults++
			if !strings.Contains(err.Error(), "leads out of") {
				t.Error(err)
			}
			continue
		}
		got = append(got, h.ID)
	}
	if diff := cmp.Diff([]string{"in", "real"}, got); diff != "" || faults != 4 {
		t.Errorf("%d faults, want 4; sessions %s", faults, diff)
	}
	if _, err := s.Session(t.Context(), retold.Ref{Place: home, ID: "out"}); retold.CodeOf(err) != retold.CodeSessionNotFound {
		t.Errorf("out: %v", err)
	}
}

func TestTranscriptsInWhichNothingWasSaid(t *testing.T) {
	home := t.TempDir()
	for name, text := range map[string]string{
		"none.jsonl":     "",
		"metadata.jsonl": `{"type":"metadata","metadata":{"overview":"Tides"}}` + "\n" + `{"type":"turn_ended","status":"success"}`,
		"none.txt":       "\n",
		"stray.txt":      "root:x:0:0\n",
		"said.jsonl":     `{"type":"metadata","metadata":{}}` + "\n" + `{"role":"user","message":{"content":"hi"}}`,
		"said.txt":       "user:\nhi\n",
		"long.jsonl":     `{"role":"user","message":{"content":"` + strings.Repeat("tide ", 5000) + `"}}`,
	} {
		id, ext := strings.ReplaceAll(name, ".", "-"), filepath.Ext(name)
		writeFile(t, filepath.Join(home, transcripts, id+ext), []byte(text))
	}
	got := map[string]bool{}
	for _, h := range sourcetest.Headers(t, source(home)) {
		got[h.ID] = h.Empty
	}
	want := map[string]bool{"none-jsonl": true, "metadata-jsonl": true, "none-txt": true, "stray-txt": true, "said-jsonl": false, "said-txt": false, "long-jsonl": false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A session without times does not say where they come from.
func TestNoTimeHasNoSource(t *testing.T) {
	home := t.TempDir()
	const id = "3f0c2a4e-0b7d-4c19-9a53-6d1f1a2b3c4d"
	writeFile(t, filepath.Join(home, "chats", "44f2b02169d5cca3815a606acc67c360", id, "meta.json"), []byte(`{"title":"Tides","updatedAtMs":"0000-01-01T00:00:00Z"}`))
	for _, h := range sourcetest.Headers(t, source(home)) {
		if !h.CreatedAt.IsZero() || !h.UpdatedAt.IsZero() || h.TimeSource != "" {
			t.Errorf("created %v, updated %v, from %q", h.CreatedAt, h.UpdatedAt, h.TimeSource)
		}
	}
}
