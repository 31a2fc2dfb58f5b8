package cursorcli_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/source/cursorcli"
)

// A backup gets stores, transcripts and what they refer to, no credentials, no
// settings, no logs of databases, and no link that leads elsewhere.
func TestPieces(t *testing.T) {
	home := filepath.Join(t.TempDir(), ".cursor")
	for _, name := range []string{
		"chats/h/s/store.db", "chats/h/s/store.db-wal", "chats/h/s/store.db-shm", "chats/h/s/meta.json", "chats/h/s/auth.json",
		"acp-sessions/a/store.db", "plans/p.plan.md", "ai-tracking/ai-code-tracking.db", "prompt_history.json",
		"auth.json", "cli-config.json", "mcp.json", "sdk/auth.json", "rules/r.mdc",
		"projects/p/agent-transcripts/s.jsonl", "projects/p/terminals/1.txt", "projects/p/mcp.json", "projects/p/.workspace-trusted", "projects/p/mcps/x.json",
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	links := 0
	if err := os.Symlink(filepath.Join(home, "auth.json"), filepath.Join(home, "plans", "link.md")); err == nil {
		links = 1
	}
	s := cursorcli.New(cursorcli.Options{Home: []string{home}, Env: paths.Env{GOOS: "linux", Home: filepath.Dir(home)}})
	got := map[string]retold.PieceKind{}
	for p, err := range s.Pieces(t.Context(), retold.Place{Path: home, Kind: "home"}) {
		if errors.Is(err, paths.ErrLink) {
			if at, ok := errors.AsType[*fs.PathError](err); !ok || at.Path != filepath.Join(home, "plans", "link.md") {
				t.Errorf("the link is not named: %v", err)
			}
			links--
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got[p.Name] = p.Kind
		if kind, ok := s.Holds("home", p.Name); kind != p.Kind || !ok {
			t.Errorf("%s: %q, %v", p.Name, kind, ok)
		}
	}
	for name, place := range map[string]string{
		"mcp.json": "home", "hooks.json": "home", "auth.json": "home", "cli-config.json": "home", "rules/r.mdc": "home", "chats": "home", "plans/mcp.json": "home",
		"projects/p/mcp.json": "home", "projects/p/mcps/x.json": "home", "projects/x": "home", "chats/h/s/store.db-wal": "home", "h/s/store.db-wal": "chats",
		"p/mcps/x.json": "projects", "p": "projects", "x": "nowhere",
	} {
		if kind, ok := s.Holds(place, name); ok {
			t.Errorf("%s of %s: %q", name, place, kind)
		}
	}
	for name, place := range map[string]string{"h/s/store.db": "chats", "a/meta.json": "acp-sessions", "p/agent-transcripts/s.jsonl": "projects", "p/repo.json": "projects"} {
		if _, ok := s.Holds(place, name); !ok {
			t.Errorf("%s of %s is refused", name, place)
		}
	}
	want := map[string]retold.PieceKind{
		"chats/h/s/store.db": retold.PieceDatabase, "chats/h/s/meta.json": retold.PieceFile, "acp-sessions/a/store.db": retold.PieceDatabase,
		"plans/p.plan.md": retold.PieceFile, "ai-tracking/ai-code-tracking.db": retold.PieceDatabase, "prompt_history.json": retold.PieceFile,
		"projects/p/agent-transcripts/s.jsonl": retold.PieceFile, "projects/p/terminals/1.txt": retold.PieceFile, "projects/p/.workspace-trusted": retold.PieceFile,
	}
	if diff := cmp.Diff(want, got); diff != "" || links != 0 {
		t.Errorf("%d links untold: %s", links, diff)
	}
}
