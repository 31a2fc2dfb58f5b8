package library_test

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/migrate"
)

// A trial is a history on a small disk of its own, with one thing of every kind to
// do to it. retold's own folder and the backup lie elsewhere.
type trial struct {
	*removal
	disk   string
	global string
	backup string
	l      *library.Library
}

const tried = "4b41ef44-2b8e-4e59-a2cd-fc9521878c9f"

func newTrial(t *testing.T) *trial {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("retold-test", disk, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("no disk of its own for this test: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	home, err := demo.Make(t.Context(), disk)
	if err != nil {
		t.Fatal(err)
	}
	r := &removal{T: t, to: filepath.Join(t.TempDir(), "tides"), options: library.Options{
		CursorUser: []string{home.CursorUser}, CursorHome: []string{home.CursorHome}, Home: t.TempDir(), Env: paths.Env{GOOS: "linux", Home: t.TempDir()},
	}}
	if err := os.MkdirAll(r.to, 0o755); err != nil {
		t.Fatal(err)
	}
	x := &trial{removal: r, disk: disk, global: filepath.Join(home.CursorUser, "globalStorage", "state.vscdb"), backup: filepath.Join(t.TempDir(), "b.retold")}
	x.l = r.open(r.options)
	makeBackup(t, x.l, library.BackupOptions{Path: x.backup})
	x.sql("DELETE FROM cursorDiskKV WHERE key = (SELECT max(key) FROM cursorDiskKV WHERE key < 'bubbleId:4b41ef45')",
		"DELETE FROM composerHeaders WHERE composerId = '"+tried+"'") // for restore and recover to bring back
	return x
}

func (x *trial) sql(all ...string) {
	x.Helper()
	conn, err := sqlite.OpenConn(x.global, sqlite.OpenReadWrite)
	for _, sql := range all {
		if err == nil {
			err = sqlitex.ExecuteScript(conn, sql, nil)
		}
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		x.Fatal(err)
	}
}

// files are the hashes of all files on the disk.
func (x *trial) files() map[string]string {
	x.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(x.disk, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "filler" || strings.HasSuffix(p, "-shm") || strings.HasSuffix(p, "-wal") {
			return err
		}
		data, err := os.ReadFile(p)
		sum := sha256.Sum256(data)
		all[p] = string(sum[:])
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	return all
}

// plans are the commands that write to Cursor's files.
func (x *trial) plans() map[string]func() (*migrate.Change, error) {
	return map[string]func() (*migrate.Change, error){
		"migrate": func() (*migrate.Change, error) {
			return x.l.PlanMigrate(x.Context(), library.MigrateOptions{Sessions: []string{tried}, To: x.to})
		},
		"restore": func() (*migrate.Change, error) {
			return x.l.PlanRestore(x.Context(), library.RestoreSessionsOptions{From: library.BackupSource{Path: x.backup}, Sessions: []string{tried}, Guard: quiet{}})
		},
		"import": func() (*migrate.Change, error) {
			return x.l.PlanImport(x.Context(), library.ImportOptions{Sessions: []string{"b8f13e4b"}, To: "cursor", Workspace: x.to})
		},
		"recover": func() (*migrate.Change, error) { return x.l.PlanRecover(x.Context(), []string{tried}, x.to) },
	}
}

// TestRefusesBeforeWriting puts every obstacle in the way of every command that
// writes: it says what is in the way, and no byte is written.
func TestRefusesBeforeWriting(t *testing.T) {
	full := func(err error) bool { return errors.Is(err, syscall.ENOSPC) }
	code := func(c retold.Code) func(error) bool { return func(err error) bool { return retold.CodeOf(err) == c } }
	for name, o := range map[string]struct {
		early, late func(x *trial) // put in the way before the plan is made, and after
		is          func(error) bool
	}{
		"unknown column that must be filled in": {early: func(x *trial) {
			x.sql(`CREATE TABLE other AS SELECT * FROM cursorDiskKV; DROP TABLE cursorDiskKV;
				CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB, must TEXT NOT NULL);
				INSERT INTO cursorDiskKV SELECT key, value, 'x' FROM other; DROP TABLE other`)
		}, is: code(retold.CodeDatabaseCorrupt)},
		"newer schema": {early: func(x *trial) { x.sql("PRAGMA user_version = 2") }, is: code(retold.CodeDatabaseCorrupt)},
		"read-only disk": {late: func(x *trial) {
			if err := syscall.Mount("", x.disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				x.Skip(err)
			}
		}, is: code(retold.CodeDatabaseLocked)},
		"locked": {late: func(x *trial) {
			conn, err := sqlite.OpenConn(x.global, sqlite.OpenReadWrite)
			if err == nil {
				err = sqlitex.ExecuteTransient(conn, "BEGIN IMMEDIATE", nil)
			}
			if err != nil {
				x.Fatal(err)
			}
			x.Cleanup(func() {
				if err := conn.Close(); err != nil {
					x.Error(err)
				}
			})
		}, is: code(retold.CodeDatabaseLocked)},
		"full disk": {late: func(x *trial) {
			var s syscall.Statfs_t
			if err := syscall.Statfs(x.disk, &s); err != nil {
				x.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(x.disk, "filler"), make([]byte, int64(s.Bavail)*s.Bsize-256<<10), 0o600); err != nil {
				x.Fatal(err)
			}
		}, is: full},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTrial(t)
			if o.early != nil {
				o.early(x)
			}
			plans := x.plans()
			made := map[string]*migrate.Change{}
			for command, plan := range plans {
				c, err := plan()
				if err != nil {
					t.Fatalf("%s: %v", command, err)
				}
				defer c.Close()
				made[command] = c
			}
			if o.late != nil {
				o.late(x)
			}
			before := x.files()
			for command, c := range made {
				_, err := c.Apply(t.Context(), "")
				if !o.is(err) {
					t.Errorf("%s: %v", command, err)
				}
				if e, ok := errors.AsType[*retold.Error](err); !ok || e.Hint == "" {
					t.Errorf("%s: no hint: %v", command, err)
				}
				if diff := cmp.Diff(before, x.files()); diff != "" {
					t.Errorf("%s: written\n%s", command, diff)
				}
			}
			if list, err := x.l.Changes(t.Context()); err != nil || len(list) > 0 {
				t.Errorf("on record: %+v, %v", list, err)
			}
		})
	}
	t.Run("nothing", func(t *testing.T) { // the commands do something where nothing is in the way
		x := newTrial(t)
		for command, plan := range x.plans() {
			c, err := plan()
			r := x.apply(c, err)
			if r.Rows == 0 || r.UndoID == nil {
				t.Errorf("%s: %+v", command, r)
				continue
			}
			x.apply(undo(t, x.removal, *r.UndoID))
		}
	})
}
