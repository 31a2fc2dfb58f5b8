package library_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/redact"
)

// While somebody else reads for the first time, every answer says that it does
// not hold everything.
func TestBehindAnother(t *testing.T) {
	home := t.TempDir()
	m := &memory{agent: "warp", sessions: []memorySession{session("one", day(1), "warp", "u:a quokka")}}
	s := &slow{m, make(chan string, 1), make(chan struct{})}
	writer := impatient(t, home, time.Nanosecond, s)
	if _, err := writer.List(t.Context(), retold.Filter{}, 0, 0); err != nil {
		t.Fatal(err)
	}
	<-s.asked // it holds the library's writer now
	l, err := openAll(t.Context(), home, []retold.Source{m})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	q, err := retold.ParseQuery("quokka", day(3))
	if err != nil {
		t.Fatal(err)
	}
	list, err := l.List(t.Context(), retold.Filter{Tools: []string{"shell"}}, 0, 0)
	if err != nil || !list.Behind {
		t.Errorf("list: %v, behind %v", err, list.Behind)
	}
	found, err := l.Count(t.Context(), q)
	if err != nil || !found.Behind || found.Pagination.HasMore {
		t.Errorf("count: %v, %+v", err, found)
	}
	stats, err := l.Stats(t.Context(), retold.Filter{}, nil)
	if err != nil || !stats.Behind {
		t.Fatalf("stats: %v, behind %v", err, stats.Behind)
	}
	if b, err := json.Marshal(stats); err != nil || !strings.HasSuffix(string(b), `,"behind":true}`) || !json.Valid(b) {
		t.Errorf("%v: %s", err, b)
	}
	close(s.gate)
}

// A snippet never shows a part of what masking the whole message hides: here the
// name that gives the password away is not in it.
func TestSnippetsAreMaskedWhole(t *testing.T) {
	const password = "Aa7kASAOsE1nYEZ"
	one := session("one", day(1), "warp", "u:look", "t:call")
	one.messages[1].Content = ""
	one.messages[1].Tool.Params = json.RawMessage(`{"password":"` + password + `","server":"quokka"}`)
	for _, masked := range []bool{false, true} {
		o := library.Options{Env: paths.Env{GOOS: "linux", Home: "/home/ada"}, Home: t.TempDir(), Sources: []retold.Source{&memory{agent: "warp", sessions: []memorySession{one}}}}
		if masked {
			o.Mask = redact.Message
		}
		l, err := library.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		page, err := l.Search(t.Context(), retold.Query{Filter: retold.Filter{Roles: []retold.Role{retold.RoleTool}}}, 5, 0)
		if err != nil || len(page.Data) != 1 {
			t.Fatalf("%v, %+v", err, page)
		}
		if shown := strings.Contains(page.Data[0].Match, password); shown == masked {
			t.Errorf("masked %v: %q", masked, page.Data[0].Match)
		}
		d, err := l.Show(t.Context(), "one")
		if err != nil || !strings.Contains(string(d.Messages[1].Tool.Params), password) {
			t.Errorf("masking snippets changed the message: %v, %s", err, d.Messages[1].Tool.Params)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What lists and watching give is read back from JSON as it was.
func TestLibraryJSONIsReadBack(t *testing.T) {
	now := time.UnixMilli(1_750_000_000_123).UTC()
	for _, w := range []library.Workspace{{Agents: []string{}}, {Path: "/home/ada/p", Name: "p", Agents: []string{"cursor"}, Sessions: 3, Children: 1, First: now, Last: now}} {
		var got library.Workspace
		readBack(t, w, &got)
		if diff := cmp.Diff(w, got); diff != "" {
			t.Error(diff)
		}
	}
	said := retold.Message{ID: "m", Role: retold.RoleUser, Attachments: []retold.Attachment{}}
	about := retold.Session{ID: "s", Agent: "cursor", Sources: []string{}, Index: 4}
	for _, e := range []library.Event{{Time: now, Kind: "message", Session: about, Message: &said}, {Kind: "session", Session: about}} {
		var got library.Event
		readBack(t, e, &got)
		if diff := cmp.Diff(e, got); diff != "" {
			t.Error(diff)
		}
	}
}

func readBack(t *testing.T, from, into any) {
	t.Helper()
	b, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
}

// Why a library cannot be kept stays within reach.
func TestReadOnlyHomeSaysWhy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file") // no folder can be made below it
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := openAll(t.Context(), filepath.Join(file, "home"), []retold.Source{&memory{agent: "warp", sessions: []memorySession{session("one", day(1), "warp", "u:hi")}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, err = l.Sync(t.Context(), library.SyncOptions{})
	if _, ok := errors.AsType[*fs.PathError](err); !ok || !errors.Is(err, retold.ErrLibraryReadOnly) {
		t.Errorf("%#v: %v", err, err)
	}
}
