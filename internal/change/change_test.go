package change_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

func TestApplyUndoAndBack(t *testing.T) {
	b := newBench(t)
	before := b.content()
	out := b.apply(b.draft(b.steps()...))
	if out.Rows != 22 || out.Files != 9 || out.ID == "" {
		t.Errorf("%+v", out)
	}
	b.noTrace()
	after := b.content()
	if diff := len(changes(before, after)); diff < 20 {
		t.Errorf("only %d things changed", diff)
	}
	undone := b.undo("")
	b.noTrace()
	if diff := cmp.Diff(before, b.content()); diff != "" {
		t.Errorf("undone (-before +now)\n%s", diff)
	}
	b.noTrace()
	b.undo(undone.ID)
	if diff := cmp.Diff(after, b.content()); diff != "" {
		t.Errorf("brought back (-after +now)\n%s", diff)
	}
	b.undo(out.ID)
	if diff := cmp.Diff(before, b.content()); diff != "" {
		t.Errorf("undone again (-before +now)\n%s", diff)
	}
	if diff := cmp.Diff([]string{change.Undone, change.Undone, change.Done, change.Done}, b.states()); diff != "" {
		t.Error(diff)
	}
}

// changes are the names under which two contents differ.
func changes(a, b map[string]string) (names []string) {
	for k, v := range a {
		if b[k] != v {
			names = append(names, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			names = append(names, k)
		}
	}
	return names
}

func TestDescribe(t *testing.T) {
	b := newBench(t)
	p, again := b.draft(b.steps()...), b.draft(b.steps()...)
	if p.Fingerprint() != again.Fingerprint() {
		t.Error("the same plan has two fingerprints")
	}
	d, err := p.Describe()
	b.check(err)
	if d.Rows != 22 || d.Files != 9 || len(d.Steps) != 31 || len(d.Databases) != 6 {
		t.Errorf("%d rows, %d files, %d steps, %d tables", d.Rows, d.Files, len(d.Steps), len(d.Databases))
	}
	if diff := cmp.Diff(change.Counted{Path: b.global, Table: "cursorDiskKV", Added: 2, Changed: 5, Removed: 2}, d.Databases[1]); diff != "" {
		t.Error(diff)
	}
	first := d.Steps[6]
	if !strings.HasSuffix(*first.Before, "comes in 5") || !strings.HasSuffix(*first.After, "comes in five") || len(*first.After) > 80 {
		t.Errorf("before %q, after %q", *first.Before, *first.After)
	}
	steps := b.steps()
	steps[7].Row.Before.Cells[1].Value.Class = retold.ClassBlob
	if other := b.draft(steps...); other.Fingerprint() == p.Fingerprint() {
		t.Error("another storage class has the same fingerprint")
	}
}

// TestRefused wants every obstacle named, and not one byte written.
func TestRefused(t *testing.T) {
	long := strings.Repeat("the tide comes in ", 400)
	for _, c := range []struct {
		name string
		make func(b *bench)
		code retold.Code
		word string
	}{
		{"row changed", func(b *bench) {
			b.exec(b.local, "UPDATE cursorDiskKV SET value = ? WHERE key = 'bubbleId:5'", long+"6")
		}, retold.CodeChanged, "bubbleId:5"},
		{"class changed", func(b *bench) { b.exec(b.local, "UPDATE cursorDiskKV SET value = x'' WHERE key = 'empty'") }, retold.CodeChanged, "empty"},
		{"row gone", func(b *bench) { b.exec(b.global, "DELETE FROM cursorDiskKV WHERE key = 'bubbleId:7'") }, retold.CodeChanged, "bubbleId:7"},
		{"row there", func(b *bench) { b.exec(b.global, "INSERT INTO cursorDiskKV VALUES ('added', 'mine')") }, retold.CodeChanged, "added"},
		{"file changed", func(b *bench) { b.put("ws/workspace.json", "{}", 0o640) }, retold.CodeChanged, "workspace.json"},
		{"file there", func(b *bench) { b.put("new/other", "", 0o600) }, retold.CodeChanged, "there already"},
		{"rename taken", func(b *bench) { b.put("chats/bbb/x", "", 0o600) }, retold.CodeChanged, "bbb"},
		{"rename gone", func(b *bench) { b.check(os.RemoveAll(b.path("chats/aaa"))) }, retold.CodeChanged, "aaa"},
		{"newer schema", func(b *bench) { b.exec(b.local, "PRAGMA user_version = 2") }, retold.CodeDatabaseCorrupt, "version 2"},
		{"unknown column", func(b *bench) { b.script(b.local, refill("must TEXT NOT NULL")) }, retold.CodeDatabaseCorrupt, `"must"`},
		{"column gone", func(b *bench) { b.exec(b.local, "ALTER TABLE composerHeaders DROP COLUMN recency") }, retold.CodeDatabaseCorrupt, "lacks 1"},
		{"trigger", func(b *bench) {
			b.exec(b.global, "CREATE TRIGGER spy AFTER UPDATE ON cursorDiskKV BEGIN DELETE FROM ItemTable; END")
		}, retold.CodeDatabaseCorrupt, "spy"},
		{"no database", func(b *bench) { b.check(os.Remove(b.local)) }, retold.CodeDatabaseNotFound, "local.db"},
		{"damaged", func(b *bench) { b.put("global.db", strings.Repeat("x", 9000), 0o600) }, retold.CodeDatabaseCorrupt, "global.db"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			p := b.draft(b.steps()...)
			c.make(b)
			before := b.bytes()
			_, err := b.desk.Apply(t.Context(), p, "")
			if retold.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.word) {
				t.Errorf("%v (code %q), want %q and %q", err, retold.CodeOf(err), c.code, c.word)
			}
			if e, ok := errors.AsType[*retold.Error](err); !ok || e.Hint == "" {
				t.Errorf("no hint: %v", err)
			}
			if diff := cmp.Diff(before, b.bytes()); diff != "" {
				t.Errorf("written:\n%s", diff)
			}
			if states := b.states(); len(states) != 0 {
				t.Errorf("on record: %v", states)
			}
			b.check(p.Close())
			b.noTrace()
		})
	}
}

// refill makes a table anew with one more column.
func refill(column string) string {
	return `CREATE TABLE other AS SELECT * FROM cursorDiskKV; DROP TABLE cursorDiskKV;
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB, ` + column + `);
INSERT INTO cursorDiskKV SELECT key, value, 'x' FROM other;`
}

// TestKnownEnough takes columns that nobody has to fill in.
func TestKnownEnough(t *testing.T) {
	for _, column := range []string{"may TEXT", "has TEXT NOT NULL DEFAULT 'x'"} {
		b := newBench(t)
		p := b.draft(rowStep(b.local, "added", nil, kv("added", retold.TextValue("x"), 0)))
		b.script(b.local, refill(column))
		b.apply(p)
	}
}

func TestRefusesAnotherPlan(t *testing.T) {
	b := newBench(t)
	p := b.draft(b.steps()...)
	if _, err := b.desk.Apply(t.Context(), p, strings.Repeat("0", 32)); !errors.Is(err, retold.ErrChanged) {
		t.Error(err)
	}
}

type busy struct{}

func (busy) Check(context.Context, []string) error { return retold.ErrCursorRunning }

func TestRefusesWhileRunning(t *testing.T) {
	b := newBench(t)
	b.desk.Guard = busy{}
	before := b.bytes()
	if _, err := b.desk.Apply(t.Context(), b.draft(b.steps()...), ""); !errors.Is(err, retold.ErrCursorRunning) {
		t.Error(err)
	}
	if diff := cmp.Diff(before, b.bytes()); diff != "" {
		t.Error(diff)
	}
}

func TestRefusesLocked(t *testing.T) {
	for _, which := range []string{"global", "local"} {
		b := newBench(t)
		path := b.path("global.db")
		if which == "local" {
			path = b.local
		}
		before := b.content()
		conn := b.conn(path)
		b.check(sqlitex.ExecuteTransient(conn, "BEGIN IMMEDIATE", nil))
		_, err := b.desk.Apply(t.Context(), b.draft(b.steps()...), "")
		if !errors.Is(err, retold.ErrDatabaseLocked) {
			t.Errorf("%s: %v", which, err)
		}
		b.check(conn.Close())
		if diff := cmp.Diff(before, b.content()); diff != "" {
			t.Errorf("%s:\n%s", which, diff)
		}
		if len(b.states()) != 0 {
			t.Errorf("%s: %v", which, b.states())
		}
	}
}

func TestRefusesReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser may write everywhere; TestFullDisk has a read-only disk for it")
	}
	b := newBench(t)
	p := b.draft(b.steps()...)
	b.check(os.Chmod(b.local, 0o444))
	if _, err := b.desk.Apply(t.Context(), p, ""); !errors.Is(err, retold.ErrDatabaseLocked) {
		t.Error(err)
	}
}

// TestFault lets every write fail in its turn: nothing is left of the change.
func TestFault(t *testing.T) {
	for n := 1; ; n++ {
		b := newBench(t)
		before := b.content()
		count, point := 0, ""
		b.desk.Hook = func(at string) error {
			if count++; count == n {
				point = at
				return fmt.Errorf("%s: %w", at, syscall.ENOSPC)
			}
			return nil
		}
		p := b.draft(b.steps()...)
		_, err := b.desk.Apply(t.Context(), p, "")
		b.check(p.Close())
		if point == "" {
			b.check(err)
			if n < 30 {
				t.Fatalf("only %d points", n)
			}
			return
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%s: %v", point, err)
		}
		if diff := cmp.Diff(before, b.content()); diff != "" {
			t.Fatalf("after a fault at %s:\n%s", point, diff)
		}
		for _, s := range b.states() {
			if s != change.RolledBack {
				t.Fatalf("after a fault at %s: %v", point, b.states())
			}
		}
		b.noTrace()
	}
}

func TestUndoRefusesWhatChanged(t *testing.T) {
	b := newBench(t)
	b.apply(b.draft(b.steps()...))
	b.exec(b.global, "UPDATE cursorDiskKV SET value = 'newer' WHERE key = 'bubbleId:5'")
	before := b.bytes()
	p, err := b.desk.PlanUndo("")
	b.check(err)
	_, err = b.desk.Apply(t.Context(), p, "")
	if !errors.Is(err, retold.ErrChanged) || !strings.Contains(err.Error(), "bubbleId:5") {
		t.Error(err)
	}
	if diff := cmp.Diff(before, b.bytes()); diff != "" {
		t.Error(diff)
	}
	b.check(p.Close())
}

// TestUndoLeavesWhatIsUsed keeps files that the change made and somebody uses.
func TestUndoLeavesWhatIsUsed(t *testing.T) {
	b := newBench(t)
	out := b.apply(b.draft(b.steps()...))
	b.exec(b.path("new/state.db"), "INSERT INTO ItemTable VALUES ('mine', 'stays')")
	back := b.undo(out.ID)
	if len(back.Left) != 2 {
		t.Errorf("left: %q", back.Left)
	}
	now := b.content()
	if now["new/state.db/ItemTable/1"] == "" || now["new/state.db/cursorDiskKV/1"] != "" || now["new/workspace.json"] != "" {
		t.Errorf("%v", now)
	}
	b.undo(back.ID)
	if now := b.content(); now["new/state.db/ItemTable/1"] == "" || now["new/state.db/cursorDiskKV/1"] == "" || now["new/workspace.json"] == "" {
		t.Errorf("brought back: %v", now)
	}
}

func TestTwoAtOnce(t *testing.T) {
	b := newBench(t)
	other := openBench(t, b.dir)
	p := b.draft(b.steps()...)
	b.desk.Hook = func(point string) error {
		if point != "row" {
			return nil
		}
		if _, err := other.desk.Apply(t.Context(), p, ""); !errors.Is(err, retold.ErrLibraryBusy) {
			return fmt.Errorf("the second one: %w", err)
		}
		return nil
	}
	b.apply(p)
}

func TestUndoOfNothing(t *testing.T) {
	b := newBench(t)
	for id, code := range map[string]retold.Code{"": retold.CodeUsage, "20261120-120000-abcd": retold.CodeChangeNotFound, "../files": retold.CodeChangeNotFound} {
		if _, err := b.desk.PlanUndo(id); retold.CodeOf(err) != code {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestRecordIsPrivate(t *testing.T) {
	b := newBench(t)
	out := b.apply(b.draft(b.steps()...))
	for _, name := range []string{"plan", "values", "journal"} {
		info, err := os.Stat(filepath.Join(b.desk.Home, "undo", out.ID, name))
		b.check(err)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", name, info.Mode())
		}
	}
}
