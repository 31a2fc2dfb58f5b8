package library_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// written is an IDE's folder with a few sessions in it.
func written(t *testing.T) *ide {
	t.Helper()
	i := newIDE(t, filepath.Join(t.TempDir(), "User"), "wal")
	t.Cleanup(i.close)
	for s := range 4 {
		for m := range 6 {
			i.say(fmt.Sprintf("session-%d", s), fmt.Sprintf("b%d%02d", s, m), fmt.Sprintf("message %d of session %d about the quokka%d", m, s, s))
		}
	}
	return i
}

func synced(t *testing.T, l *library.Library) *library.SyncReport {
	t.Helper()
	r, err := l.Sync(t.Context(), library.SyncOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// hits is the number of messages that a query finds.
func hits(t *testing.T, l *library.Library, query string) int {
	t.Helper()
	q, err := retold.ParseQuery(query, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	p, err := l.Search(t.Context(), q, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p.Pagination.Total
}

// What disappears from Cursor stays here, marked.
func TestWhatIsGoneStays(t *testing.T) {
	i := written(t)
	l := i.library(t, t.TempDir())
	synced(t, l)
	i.exec("DELETE FROM cursorDiskKV WHERE key = ?", bubbleKey("session-1", "b103"))
	i.exec("DELETE FROM cursorDiskKV WHERE key LIKE '%session-2%'")
	synced(t, l)
	d, err := l.Show(t.Context(), "session-1")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(d.Messages, func(m retold.Message) bool { return m.ID == "b103" })
	if at < 0 || !d.Messages[at].Gone || d.Messages[at].Stub || d.Gone || len(d.Messages) != 6 {
		t.Errorf("the deleted message is kept as %+v", d.Messages)
	}
	d, err = l.Show(t.Context(), "session-2")
	if err != nil {
		t.Fatal(err)
	}
	if !d.Gone || len(d.Messages) != 6 {
		t.Errorf("the deleted session is kept with %d messages, gone %v", len(d.Messages), d.Gone)
	}
	if n := hits(t, l, "quokka2"); n != 6 {
		t.Errorf("%d messages of the deleted session are found, want 6", n)
	}
	// and the same again by a library that starts anew, and after a full look
	if r, err := l.Sync(t.Context(), library.SyncOptions{Full: true}); err != nil || r.Gone != 0 {
		t.Errorf("a full look finds %+v, %v", r, err)
	}
	if d, err = l.Show(t.Context(), "session-2"); err != nil || !d.Gone {
		t.Errorf("after a full look: %v", err)
	}
	// what comes back is no longer gone
	i.record("session-2")
	i.put(bubbleKey("session-2", "b200"), i.bubble("b200", "back again"))
	synced(t, l)
	if d, err = l.Show(t.Context(), "session-2"); err != nil || d.Gone {
		t.Errorf("the session that came back: gone %v, %v", d.Gone, err)
	}
}

// A database that is damaged or half there takes nothing from the library.
func TestDamageShrinksNothing(t *testing.T) {
	i := written(t)
	i.exec("PRAGMA wal_checkpoint(TRUNCATE)")
	home := t.TempDir()
	l := i.library(t, home)
	synced(t, l)
	whole, err := os.ReadFile(i.db())
	if err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string][]byte{
		"cut":       whole[:len(whole)/2],
		"empty":     nil,
		"not one":   []byte("this is no database at all, but a text of some length"),
		"scribbled": slices.Concat(whole[:4096], make([]byte, 8192), whole[12288:]),
	} {
		if err := os.WriteFile(i.db(), damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Sync(t.Context(), library.SyncOptions{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for d, err := range l.Each(t.Context(), retold.Filter{}) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(d.Messages) != 6 {
				t.Errorf("%s: %s has %d messages left", name, d.ID, len(d.Messages))
			}
		}
		if n := hits(t, l, "quokka*"); n != 24 {
			t.Errorf("%s: %d messages are found, want 24", name, n)
		}
	}
}

// A forgotten session does not come back, whatever happens to it in Cursor.
func TestForget(t *testing.T) {
	i := written(t)
	home := t.TempDir()
	l := i.library(t, home)
	synced(t, l)
	s, err := l.Forget(t.Context(), "session-3")
	if err != nil || s.ID != "session-3" {
		t.Fatal(s, err)
	}
	for _, again := range []func(){func() {}, func() { i.say("session-3", "b399", "one more") }, func() { i.exec("VACUUM") }} {
		again()
		if _, err := l.Sync(t.Context(), library.SyncOptions{Full: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Show(t.Context(), "session-3"); !errors.Is(err, retold.ErrSessionNotFound) {
			t.Errorf("the forgotten session is shown: %v", err)
		}
		if n := hits(t, l, "quokka3"); n != 0 {
			t.Errorf("%d messages of the forgotten session are found", n)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte("quokka3")) {
			t.Errorf("%s still holds its words", filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Nothing that happened is no work, and a clock that goes backwards changes
// nothing about that.
func TestNothingNewIsNoWork(t *testing.T) {
	i := written(t)
	home := t.TempDir()
	l := i.library(t, home)
	if r := synced(t, l); r.Unchanged || r.New != 4 || r.Read != 4 || r.Messages != 24 {
		t.Errorf("the first sync: %+v", r)
	}
	if r := synced(t, l); !r.Unchanged || r.Read != 0 || r.Messages != 0 {
		t.Errorf("the second sync: %+v", r)
	}
	i.clock -= 3600_000
	i.say("session-1", "b150", "written an hour ago")
	if r := synced(t, l); r.Read != 1 {
		t.Errorf("after the clock went back: %+v", r)
	}
	d, err := l.Show(t.Context(), "session-1")
	if err != nil || len(d.Messages) != 7 {
		t.Errorf("%d messages, %v", len(d.Messages), err)
	}
	before := contents(t, l)
	other := i.library(t, home) // another process
	if r := synced(t, other); !r.Unchanged {
		t.Errorf("another process finds %+v", r)
	}
	if diff := cmp.Diff(before, contents(t, other)); diff != "" {
		t.Error(diff)
	}
}

// A draft stays one when its record changes, whatever is kept of it.
func TestDraftsStayDrafts(t *testing.T) {
	one := session("draft", day(1), "warp", "u:not sent yet")
	one.header.Empty, one.header.Draft = true, true
	m := &memory{agent: "warp", sessions: []memorySession{session("said", day(2), "warp", "u:hello"), one}}
	l := open(t, m)
	for round := range 3 {
		synced(t, l)
		list, err := l.List(t.Context(), retold.Filter{}, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := ids(list.Data); len(got) != 1 {
			t.Errorf("after %d changes these are listed: %v", round, got)
		}
		m.sessions[1].messages = append(m.sessions[1].messages, retold.Message{Role: retold.RoleUser, Content: "more"})
	}
}
