package cursorcli_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/sourcetest"
)

func TestTrackFirst(t *testing.T) {
	home := copyOf(t, sdkHome)
	before := sourcetest.Tree(t, home)
	f := follow(t, home)
	f.agrees()
	if k := f.track(false); !k.Same {
		t.Errorf("a second look finds %d changes", len(k.Changed))
	}
	if k := f.track(true); k.Same || len(k.Changed) != len(k.All) || len(k.All) != len(f.headers) {
		t.Errorf("a full look trusts memory: %d of %d sessions", len(k.Changed), len(f.headers))
	}
	if diff := cmp.Diff(before, sourcetest.Tree(t, home)); diff != "" {
		t.Errorf("looking changed the home (-before +after)\n%s", diff)
	}
}

// Every shape of record is remembered as it was read: when one session comes, no
// other has changed.
func TestTrackGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			home := t.TempDir()
			build(t, home, a)
			f := follow(t, home)
			f.agrees()
			f.sessionsAgree()
			writeFile(t, transcriptOf(home, "another-project", "zzzz"), []byte(speech("hello")))
			if diff := cmp.Diff([]string{"zzzz"}, f.changed()); diff != "" {
				t.Errorf("changed (-want +got)\n%s", diff)
			}
			f.agrees()
			f.sessionsAgree()
			if err := os.RemoveAll(filepath.Join(home, "projects", "another-project")); err != nil {
				t.Fatal(err)
			}
			f.sessionsAgree() // though nobody has tracked this
		})
	}
}

// speech is a transcript's line.
func speech(text string) string {
	return fmt.Sprintf(`{"role":"user","message":{"content":[{"type":"text","text":%q}]}}`+"\n", text)
}

func transcriptOf(home, slug, id string) string {
	return filepath.Join(home, "projects", slug, "agent-transcripts", id, id+".jsonl")
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(b, text...), 0o644); err != nil {
		t.Fatal(err)
	}
}

// What happens to transcripts, and which sessions are found changed. Every
// rewrite follows at once, within one tick of the file system's clock.
func TestTrackTranscripts(t *testing.T) {
	home := t.TempDir()
	for _, id := range []string{"aaaa", "bbbb", "cccc"} {
		writeFile(t, transcriptOf(home, "p", id), []byte(speech("hello "+id)))
	}
	f := follow(t, home)
	want := func(what string, ids ...string) {
		t.Helper()
		if diff := cmp.Diff(ids, f.changed()); diff != "" {
			t.Errorf("%s: changed (-want +got)\n%s", what, diff)
		}
		f.agrees()
		if k := f.track(false); !k.Same {
			t.Errorf("%s: not the same the second time", what)
		}
	}
	a := transcriptOf(home, "p", "aaaa")
	appendTo(t, a, speech("more"))
	want("append", "aaaa")
	writeFile(t, a, []byte(speech("HELLO aaaa")+speech("MORE")))
	want("rewritten in place, of the same size", "aaaa")
	writeFile(t, a+".tmp", []byte(speech("Hello aaaa")+speech("More")))
	if err := os.Rename(a+".tmp", a); err != nil {
		t.Fatal(err)
	}
	want("replaced", "aaaa")
	if err := os.Chtimes(a, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	want("touched", "aaaa")
	writeFile(t, transcriptOf(home, "p", "dddd"), []byte(speech("new")))
	want("new", "dddd")
	writeFile(t, transcriptOf(home, "q", "eeee"), []byte(speech("new")))
	want("new in a new project", "eeee")
	writeFile(t, filepath.Join(filepath.Dir(a), "subagents", "ffff.jsonl"), []byte(speech("child")))
	want("sub-agent", "ffff")
	if got := f.headers["ffff"].ParentID; got != "aaaa" {
		t.Errorf("the sub-agent's parent is %q", got)
	}
	if err := os.Remove(transcriptOf(home, "p", "bbbb")); err != nil {
		t.Fatal(err)
	}
	want("deleted")
	if _, ok := f.headers["bbbb"]; ok {
		t.Error("a deleted session is still listed")
	}
	if err := os.RemoveAll(filepath.Join(home, "projects", "q")); err != nil {
		t.Fatal(err)
	}
	want("project deleted")
	writeFile(t, filepath.Join(home, "projects", "p", ".workspace-trusted"), []byte(`{"workspacePath":"/p"}`))
	want("folder learned from a marker", "aaaa", "cccc", "dddd", "ffff")
	if got := f.headers["cccc"].WorkspacePath; got != "/p" {
		t.Errorf("the folder is %q", got)
	}
}

// liveStore opens a store for writing in a journal mode. Nothing leaves its log.
func liveStore(t *testing.T, path, mode string) *sqlite.Conn {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, sql := range []string{"PRAGMA journal_mode=" + mode, "PRAGMA wal_autocheckpoint=0"} {
		if err := sqlitex.ExecuteTransient(conn, sql, nil); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

func rename(t *testing.T, conn *sqlite.Conn, name string) {
	t.Helper()
	meta := fmt.Sprintf("%x", fmt.Sprintf(`{"agentId":"x","latestRootBlobId":"","name":%q,"createdAt":1788264000000}`, name))
	if err := sqlitex.Execute(conn, "UPDATE meta SET value = ?", &sqlitex.ExecOptions{Args: []any{meta}}); err != nil {
		t.Fatal(err)
	}
}

// withoutIndex leaves the -shm files out: the writer lives in this process, which
// maps each of them once, so that a reader's marks come from both.
func withoutIndex(tree map[string]string) map[string]string {
	maps.DeleteFunc(tree, func(path, _ string) bool { return strings.HasSuffix(path, "-shm") })
	return tree
}

// Each commit to a store shows, also those that follow each other at once and
// those that a restarted log takes in the place of others.
func TestTrackStore(t *testing.T) {
	const id = "6dcd4ce2-3d88-42ee-a568-ba546c007c63"
	for _, mode := range []string{"wal", "delete", "persist", "truncate"} {
		t.Run(mode, func(t *testing.T) {
			home := copyOf(t, sdkHome)
			found, err := filepath.Glob(filepath.Join(home, "chats", "*", id, "store.db"))
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			conn := liveStore(t, found[0], mode)
			if err := os.Remove(filepath.Join(filepath.Dir(found[0]), "meta.json")); err != nil {
				t.Fatal(err)
			}
			f := follow(t, home)
			for i := range 6 {
				rename(t, conn, fmt.Sprintf("Name %d", i))
				before := withoutIndex(sourcetest.Tree(t, home))
				if diff := cmp.Diff([]string{id}, f.changed()); diff != "" {
					t.Errorf("commit %d: changed (-want +got)\n%s", i, diff)
				}
				if got, want := f.headers[id].Title, fmt.Sprintf("Name %d", i); got != want {
					t.Errorf("title %q, want %q", got, want)
				}
				f.agrees()
				if diff := cmp.Diff(before, withoutIndex(sourcetest.Tree(t, home))); diff != "" {
					t.Errorf("looking changed the home (-before +after)\n%s", diff)
				}
				if i == 3 && mode == "wal" {
					if err := sqlitex.ExecuteTransient(conn, "PRAGMA wal_checkpoint(RESTART)", nil); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// lieAbout writes other bytes into a file and leaves its size and time as they
// are: whoever opens it notices.
func lieAbout(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("~", int(info.Size()))), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// No file of a session that did not change is opened.
func TestTrackOpensWhatMoved(t *testing.T) {
	home := copyOf(t, sdkHome)
	writeFile(t, transcriptOf(home, "p", "aaaa"), []byte(speech("hello")))
	f := follow(t, home)
	err := filepath.Walk(home, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && !strings.Contains(path, "aaaa") {
			lieAbout(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if k := f.track(false); !k.Same {
		t.Error("something was opened though nothing moved")
	}
	appendTo(t, transcriptOf(home, "p", "aaaa"), speech("more"))
	writeFile(t, transcriptOf(home, "p", "bbbb"), []byte(speech("new")))
	k := f.track(false)
	if len(k.Errors) > 0 || k.Partial || len(k.All) != len(f.headers) {
		t.Errorf("others were opened: %v", k.Errors)
	}
	var ids []string
	for _, h := range k.Changed {
		ids = append(ids, h.ID)
	}
	if diff := cmp.Diff([]string{"aaaa", "bbbb"}, ids); diff != "" {
		t.Errorf("changed (-want +got)\n%s", diff)
	}
	if k := f.track(true); len(k.Errors) == 0 {
		t.Error("a full look did not open what it should")
	}
}

// A store that cannot be read takes nothing from what is known, and shows when
// it can be read again.
func TestTrackDamage(t *testing.T) {
	home := copyOf(t, sdkHome)
	const id = "32096c2e-0eff-43d8-a4ee-6d675407ace1"
	found, err := filepath.Glob(filepath.Join(home, "chats", "*", id, "store.db"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	good, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	f := follow(t, home)
	writeFile(t, found[0], []byte("ruined"))
	k := f.track(false)
	if !k.Partial || len(k.Errors) != 1 || !slices.Contains(k.All, id) {
		t.Errorf("partial %v, errors %v, all %v", k.Partial, k.Errors, k.All)
	}
	if k := f.track(false); !k.Same {
		t.Error("the same damage is a change")
	}
	writeFile(t, found[0], good)
	if diff := cmp.Diff([]string{id}, f.changed()); diff != "" {
		t.Errorf("mended: changed (-want +got)\n%s", diff)
	}
	f.agrees()
	for _, memory := range [][]byte{{}, {9}, f.memory[:len(f.memory)/2], append(slices.Clone(f.memory), 1)} {
		if _, err := f.s.Track(t.Context(), f.place, memory, false); err != nil {
			t.Errorf("a memory of %d bytes: %v", len(memory), err)
		}
	}
	if _, err := f.s.Track(t.Context(), retold.Place{Path: filepath.Join(home, "nowhere"), Kind: "home"}, f.memory, false); retold.CodeOf(err) != retold.CodeDatabaseNotFound {
		t.Errorf("a place that is not there: %v", err)
	}
}
