package change_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// patience is how long a program that writes waits.
const patience = 20 * time.Second

// nobody is a Guard that sees nobody.
type nobody struct{}

func (nobody) Check(context.Context, []string) error { return nil }

const schema = `PRAGMA user_version = 1;
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER, recency INTEGER, value TEXT);`

// A bench is a folder with two databases and some files to change.
type bench struct {
	t      testing.TB
	dir    string
	global string
	local  string
	killed bool // processes that worked here were killed
	desk   *change.Desk
}

func openBench(t testing.TB, dir string) *bench {
	now := time.Now()
	return &bench{
		t: t, dir: dir, global: filepath.Join(dir, "files", "global.db"), local: filepath.Join(dir, "files", "ws", "local.db"),
		desk: &change.Desk{Home: filepath.Join(dir, "retold"), Guard: nobody{}, Now: func() time.Time { now = now.Add(time.Second); return now }},
	}
}

// newBench makes one; the global database has a log, the other a rollback
// journal.
func newBench(t testing.TB) *bench {
	t.Helper()
	b := openBench(t, t.TempDir())
	b.check(os.MkdirAll(filepath.Dir(b.local), 0o755))
	long := strings.Repeat("the tide comes in ", 400)
	for path, journal := range map[string]string{b.global: "wal", b.local: "delete"} {
		conn := b.conn(path)
		exec := func(sql string, args ...any) {
			b.check(sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{Args: args}))
		}
		exec("PRAGMA synchronous=off")
		exec("PRAGMA journal_mode=" + journal)
		b.check(sqlitex.ExecuteScript(conn, schema, nil))
		exec("BEGIN")
		for i := range 40 {
			exec("INSERT INTO cursorDiskKV VALUES (?, ?)", fmt.Sprintf("bubbleId:%d", i), long+fmt.Sprint(i))
		}
		exec("INSERT INTO cursorDiskKV VALUES ('blob', ?)", []byte{0, 1, 2, 0xff})
		exec("INSERT INTO cursorDiskKV VALUES ('null', NULL)")
		exec("INSERT INTO cursorDiskKV VALUES ('empty', '')")
		exec("INSERT INTO cursorDiskKV VALUES ('nul', ?)", "a\x00b\xff")
		exec("INSERT INTO composerHeaders VALUES ('c1', 'w1', 1700, 2.5, '{}')")
		exec("DELETE FROM cursorDiskKV WHERE key = 'bubbleId:3'")
		exec("COMMIT")
		b.check(conn.Close())
	}
	b.script(b.path("original.db"), schema+";INSERT INTO cursorDiskKV VALUES ('kept', 'as it is'), ('id', 'of the original')")
	b.put("ws/workspace.json", `{"folder":"file:///home/ada/old"}`, 0o640)
	b.put("chats/aaa/store.db", "a store", 0o600)
	b.put("chats/aaa/meta.json", "{}", 0o644)
	b.put("spare.txt", "no longer needed", 0o600)
	return b
}

func (b *bench) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) path(name string) string {
	return filepath.Join(b.dir, "files", filepath.FromSlash(name))
}

func (b *bench) put(name, text string, mode fs.FileMode) {
	b.t.Helper()
	b.check(os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
	b.check(os.WriteFile(b.path(name), []byte(text), mode))
	b.check(os.Chmod(b.path(name), mode))
}

func (b *bench) conn(path string) *sqlite.Conn {
	b.t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	b.check(err)
	conn.SetBusyTimeout(patience)
	return conn
}

func (b *bench) exec(path, sql string, args ...any) {
	b.t.Helper()
	conn := b.conn(path)
	b.check(errors.Join(sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args}), conn.Close()))
}

func (b *bench) script(path, sql string) {
	b.t.Helper()
	conn := b.conn(path)
	b.check(errors.Join(sqlitex.ExecuteScript(conn, sql, nil), conn.Close()))
}

// content is every row of every database and every file, but not the bytes of
// databases, in which a row can lie here or there.
func (b *bench) content() map[string]string {
	b.t.Helper()
	all := map[string]string{}
	b.check(filepath.WalkDir(b.path("."), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(b.path("."), p)
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(p, "-wal") || strings.HasSuffix(p, "-shm") || strings.HasSuffix(p, "-journal"):
			return nil
		case d.IsDir():
			all[name] = "folder"
		case filepath.Ext(p) == ".db" && d.Name() != "store.db":
			all[name] = "database"
			b.rows(p, name, all)
		default:
			info, err := d.Info()
			if err != nil {
				return err
			}
			text, err := os.ReadFile(p)
			all[name] = fmt.Sprintf("%v %q", info.Mode(), text)
			return err
		}
		return nil
	}))
	return all
}

func (b *bench) rows(path, name string, all map[string]string) {
	b.t.Helper()
	conn := b.conn(path)
	for table, columns := range map[string][]string{"ItemTable": {"key", "value"}, "cursorDiskKV": {"key", "value"}, "composerHeaders": {"composerId", "workspaceId", "createdAt", "recency", "value"}} {
		var list []string
		for _, c := range columns {
			list = append(list, "typeof("+c+") || ' ' || hex(coalesce("+c+", ''))")
		}
		err := sqlitex.ExecuteTransient(conn, "SELECT rowid, "+strings.Join(list, " || ',' || ")+" FROM "+table, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			all[fmt.Sprintf("%s/%s/%d", name, table, s.ColumnInt(0))] = s.ColumnText(1)
			return nil
		}})
		if err != nil && !strings.Contains(err.Error(), "no such table") {
			b.t.Fatal(err)
		}
	}
	b.check(conn.Close())
}

// bytes are the hashes of all files of Cursor's, whatever they are.
func (b *bench) bytes() map[string]string {
	b.t.Helper()
	all := map[string]string{}
	b.check(filepath.WalkDir(b.path("."), func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(p)
		sum := sha256.Sum256(text)
		all[p] = fmt.Sprint(hex.EncodeToString(sum[:]), info.Mode(), info.ModTime())
		return err
	}))
	return all
}

func kv(key string, v retold.Value, rowid int64) *retold.Row {
	return &retold.Row{Rowid: rowid, Cells: []retold.Cell{{Column: "key", Value: retold.TextValue(key)}, {Column: "value", Value: v}}}
}

func rowStep(database, key string, before, after *retold.Row) retold.Step {
	return retold.Step{Session: "s1", Row: &retold.RowChange{
		Database: database, Table: "cursorDiskKV", Key: []retold.Cell{{Column: "key", Value: retold.TextValue(key)}}, Before: before, After: after,
	}}
}

func fileStep(f retold.FileChange) retold.Step { return retold.Step{File: &f} }

// steps change something of every kind.
func (b *bench) steps() []retold.Step {
	b.t.Helper()
	return b.stepsWith(b.emptyDatabase())
}

func (b *bench) stepsWith(empty []byte) []retold.Step {
	long := strings.Repeat("the tide comes in ", 400)
	blob := func(data ...byte) retold.Value { return retold.Value{Class: retold.ClassBlob, Bytes: data} }
	steps := []retold.Step{
		fileStep(retold.FileChange{Path: b.path("new"), After: &retold.File{Dir: true, Mode: 0o755}}),
		fileStep(retold.FileChange{Path: b.path("new/workspace.json"), After: &retold.File{Mode: 0o644, Data: []byte(`{"folder":"file:///home/ada/new"}`)}}),
		fileStep(retold.FileChange{Path: b.path("new/state.db"), After: &retold.File{Mode: 0o644, Data: empty}}),
		fileStep(retold.FileChange{Path: b.path("new/copy.json"), From: b.path("chats/aaa/meta.json"), After: &retold.File{Mode: 0o600}}),
	}
	// A copy, in which rows that came with it are changed.
	steps = append(steps,
		fileStep(retold.FileChange{Path: b.path("new/copy.db"), From: b.path("original.db"), After: &retold.File{Mode: 0o600}}),
		rowStep(b.path("new/copy.db"), "id", kv("id", retold.TextValue("of the original"), 2), kv("id", retold.TextValue("of the copy"), 2)),
	)
	for _, db := range []string{b.global, b.local} {
		steps = append(steps,
			rowStep(db, "bubbleId:5", kv("bubbleId:5", retold.TextValue(long+"5"), 6), kv("bubbleId:5", retold.TextValue(long+"five"), 6)),
			rowStep(db, "bubbleId:7", kv("bubbleId:7", retold.TextValue(long+"7"), 8), nil),
			rowStep(db, "bubbleId:39", kv("bubbleId:39", retold.TextValue(long+"39"), 40), nil),
			rowStep(db, "added", nil, kv("added", blob(9, 0, 9), 0)),
			rowStep(db, "added long", nil, kv("added long", retold.TextValue(long), 0)),
			rowStep(db, "blob", kv("blob", blob(0, 1, 2, 0xff), 41), kv("blob", retold.TextValue("\x00\x01"), 41)),
			rowStep(db, "null", kv("null", retold.Value{}, 42), kv("null", retold.IntValue(7), 42)),
			rowStep(db, "empty", kv("empty", retold.TextValue(""), 43), kv("empty", blob(), 43)),
			rowStep(db, "nul", kv("nul", retold.TextValue("a\x00b\xff"), 44), kv("nul", retold.Value{}, 44)),
			retold.Step{Row: &retold.RowChange{
				Database: db, Table: "composerHeaders", Key: []retold.Cell{{Column: "composerId", Value: retold.TextValue("c1")}},
				Before: headRow("w1"), After: headRow("w2"),
			}},
		)
	}
	return append(steps,
		rowStep(b.path("new/state.db"), "first", nil, kv("first", retold.TextValue("x"), 0)),
		fileStep(retold.FileChange{Path: b.path("ws/workspace.json"), Before: &retold.File{Mode: 0o640, Data: []byte(`{"folder":"file:///home/ada/old"}`)}, After: &retold.File{Mode: 0o640, Data: []byte(`{"folder":"file:///home/ada/new"}`)}}),
		fileStep(retold.FileChange{Path: b.path("chats/aaa/meta.json"), Before: &retold.File{Mode: 0o644, Data: []byte("{}")}, After: &retold.File{Mode: 0o644, Data: []byte(`{"cwd":"/home/ada/new"}`)}}),
		fileStep(retold.FileChange{Path: b.path("chats/bbb"), From: b.path("chats/aaa"), Rename: true}),
		fileStep(retold.FileChange{Path: b.path("spare.txt"), Before: &retold.File{Mode: 0o600, Data: []byte("no longer needed")}}),
	)
}

func headRow(workspace string) *retold.Row {
	return &retold.Row{Rowid: 1, Cells: []retold.Cell{
		{Column: "composerId", Value: retold.TextValue("c1")},
		{Column: "workspaceId", Value: retold.TextValue(workspace)},
		{Column: "createdAt", Value: retold.IntValue(1700)},
		{Column: "recency", Value: retold.Value{Class: retold.ClassReal, Float: 2.5}},
		{Column: "value", Value: retold.TextValue("{}")},
	}}
}

func (b *bench) emptyDatabase() []byte {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "empty.db")
	b.script(path, schema)
	data, err := os.ReadFile(path)
	b.check(err)
	return data
}

func sequence(steps []retold.Step) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}
}

func (b *bench) draft(steps ...retold.Step) *change.Plan {
	b.t.Helper()
	dir, err := b.desk.DraftDir()
	b.check(err)
	p, err := change.Draft(context.Background(), dir, "move something", sequence(steps))
	b.check(err)
	return p
}

func (b *bench) apply(p *change.Plan) *change.Outcome {
	b.t.Helper()
	out, err := b.desk.Apply(context.Background(), p, p.Fingerprint())
	b.check(err)
	b.check(p.Close())
	return out
}

func (b *bench) undo(id string) *change.Outcome {
	b.t.Helper()
	p, err := b.desk.PlanUndo(id)
	b.check(err)
	return b.apply(p)
}

// noTrace wants no side file, no file in the making and no plan left over.
func (b *bench) noTrace() {
	b.t.Helper()
	b.check(filepath.WalkDir(b.dir, func(p string, d fs.DirEntry, err error) error {
		for _, bad := range []string{"-wal", "-shm", "-journal", ".tmp"} {
			if strings.HasSuffix(p, bad) && (bad != "-journal" || !b.inert(p)) {
				b.t.Errorf("left behind: %s", p)
			}
		}
		if strings.HasPrefix(d.Name(), ".retold-") || strings.HasPrefix(d.Name(), ".making-") {
			b.t.Errorf("left behind: %s", p)
		}
		return err
	}))
}

// inert reports whether a rollback journal is what a process leaves that is killed
// before it changed a page: it has no head yet, and the next writer removes it.
func (b *bench) inert(journal string) bool {
	text, err := os.ReadFile(journal)
	b.check(err)
	return b.killed && !strings.HasPrefix(string(text), "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
}

func (b *bench) states() []string {
	b.t.Helper()
	list, err := b.desk.List()
	b.check(err)
	var states []string
	for _, c := range slices.Backward(list) {
		states = append(states, c.State)
	}
	return states
}
