package library_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// tester is what *testing.T and *rapid.T have in common.
type tester interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// An ide is Cursor's User folder with somebody writing in it.
type ide struct {
	t    tester
	dir  string
	conn *sqlite.Conn

	order map[string][]string // bubbles of each session, in order
	place map[string]string   // its workspace
	name  map[string]string
	clock int64
}

const start = 1_772_400_000_000 // 2026-03-01, in milliseconds

func newIDE(t tester, dir, journal string) *ide {
	t.Helper()
	i := &ide{t: t, dir: dir, order: map[string][]string{}, place: map[string]string{}, name: map[string]string{}, clock: start}
	for _, w := range []string{"tidepool", "lantern"} {
		folder := filepath.Join(dir, "workspaceStorage", w)
		i.check(os.MkdirAll(folder, 0o755))
		i.check(os.WriteFile(filepath.Join(folder, "workspace.json"), []byte(`{"folder":"file:///home/ada/`+w+`"}`), 0o644))
	}
	i.check(os.MkdirAll(filepath.Join(dir, "globalStorage"), 0o755))
	i.open()
	i.exec("PRAGMA journal_mode = " + journal)
	i.exec("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
	i.exec("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
	return i
}

func (i *ide) db() string { return filepath.Join(i.dir, "globalStorage", "state.vscdb") }

func (i *ide) open() {
	conn, err := sqlite.OpenConn(i.db(), sqlite.OpenReadWrite|sqlite.OpenCreate)
	i.check(err)
	i.conn = conn
}

func (i *ide) close() { i.check(i.conn.Close()) }

func (i *ide) check(err error) {
	i.t.Helper()
	if err != nil {
		i.t.Fatal(err)
	}
}

func (i *ide) exec(sql string, args ...any) {
	i.t.Helper()
	if err := sqlitex.ExecuteTransient(i.conn, sql, &sqlitex.ExecOptions{Args: args}); err != nil {
		i.t.Fatalf("%s: %v", sql, err)
	}
}

func (i *ide) put(key string, value any) {
	i.t.Helper()
	data, err := json.Marshal(value)
	i.check(err)
	i.exec("INSERT INTO cursorDiskKV (key, value) VALUES (?, ?)", key, string(data))
}

type object = map[string]any

// bubble is the record of a message; every third is the user's.
func (i *ide) bubble(id, text string) object {
	i.clock += 1000
	kind := 2
	if len(id)%3 == 0 {
		kind = 1
	}
	return object{"_v": 3, "type": kind, "bubbleId": id, "text": text, "createdAt": fmt.Sprintf("2026-03-01T%02d:%02d:%02d.000Z", i.clock/3600000%24, i.clock/60000%60, i.clock/1000%60)}
}

func bubbleKey(session, id string) string { return "bubbleId:" + session + ":" + id }

// say writes a message and its session's record.
func (i *ide) say(session, id, text string) {
	i.t.Helper()
	i.order[session] = append(i.order[session], id)
	i.put(bubbleKey(session, id), i.bubble(id, text))
	i.record(session)
}

// record writes a session's record.
func (i *ide) record(session string) {
	i.t.Helper()
	headers := []object{}
	for _, id := range i.order[session] {
		kind := 2
		if len(id)%3 == 0 {
			kind = 1
		}
		headers = append(headers, object{"bubbleId": id, "type": kind})
	}
	workspace := i.place[session]
	if workspace == "" {
		workspace = "tidepool"
	}
	i.clock += 1000
	i.put("composerData:"+session, object{
		"_v": 3, "composerId": session, "name": i.name[session], "createdAt": start, "lastUpdatedAt": i.clock,
		"fullConversationHeadersOnly": headers, "workspaceIdentifier": object{"id": workspace},
	})
}

// library opens a library of its own in home that reads this folder.
func (i *ide) library(t testing.TB, home string) *library.Library {
	t.Helper()
	l, err := library.Open(t.Context(), library.Options{
		CursorUser: []string{i.dir}, Env: paths.Env{GOOS: "linux", Home: filepath.Join(filepath.Dir(i.dir), "home")}, Home: home,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// keys calls visit with the rest of every key behind a prefix.
func (i *ide) keys(prefix string, visit func(string)) {
	i.t.Helper()
	i.check(sqlitex.Execute(i.conn, "SELECT key FROM cursorDiskKV WHERE key >= ?1 AND key < ?1 || 'zzzz' ORDER BY key", &sqlitex.ExecOptions{
		Args:       []any{prefix},
		ResultFunc: func(s *sqlite.Stmt) error { visit(s.ColumnText(0)[len(prefix):]); return nil },
	}))
}

// headers are the bubbles that a session's record lists.
func (i *ide) headers(session string) (ids []string) {
	i.t.Helper()
	i.check(sqlitex.Execute(i.conn, "SELECT h.value ->> 'bubbleId' FROM cursorDiskKV k, json_each(k.value, '$.fullConversationHeadersOnly') h WHERE k.key = ?", &sqlitex.ExecOptions{
		Args:       []any{"composerData:" + session},
		ResultFunc: func(s *sqlite.Stmt) error { ids = append(ids, s.ColumnText(0)); return nil },
	}))
	return ids
}
