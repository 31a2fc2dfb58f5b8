package change_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// mount gives a small disk of its own, where the system lets this process.
func mount(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("retold-test", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("no disk of its own for this test: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestFullDisk fills the disk of the databases to every size at which something
// else fails. All of the change is there afterwards, or nothing of it.
func TestFullDisk(t *testing.T) {
	dir := mount(t, "size=8m")
	source := newBench(t)
	b := openBench(t, dir)
	b.desk.Home = filepath.Join(t.TempDir(), "retold")
	b.check(os.CopyFS(b.path("."), os.DirFS(source.path("."))))
	b.check(os.Chmod(b.path("ws/workspace.json"), 0o640))
	b.check(os.Chmod(b.path("spare.txt"), 0o600))
	before := b.content()
	filler := filepath.Join(dir, "filler")
	var failed, refused, applied int
	for kb := range 64 {
		b.check(os.WriteFile(filler, nil, 0o600))
		leave(t, dir, filler, int64(kb)*16<<10)
		p := b.draft(b.steps()...)
		_, err := b.desk.ApplyUnchecked(t.Context(), p)
		b.check(p.Close())
		b.check(os.Remove(filler))
		switch {
		case err == nil:
			applied++
			b.undo("")
		case errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "full"):
			failed++
			if e, ok := errors.AsType[*retold.Error](err); !ok || e.Hint == "" {
				t.Errorf("no hint: %v", err)
			}
		default:
			refused++
		}
		if _, err := b.desk.Settle(t.Context(), change.RollBack); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, b.content()); diff != "" {
			t.Fatalf("%d KB free:\n%s", kb*16, diff)
		}
		b.noTrace()
	}
	t.Logf("%d failed for want of room, %d otherwise, %d applied", failed, refused, applied)
	if failed == 0 || applied == 0 {
		t.Error("the sizes miss the point")
	}
}

// leave fills the disk up to free bytes.
func leave(t *testing.T, dir, filler string, free int64) {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filler, make([]byte, max(int64(s.Bavail)*s.Bsize-free, 0)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRoomIsAskedFor refuses before anything is written.
func TestRoomIsAskedFor(t *testing.T) {
	dir := mount(t, "size=4m")
	b := openBench(t, dir)
	b.desk.Home = filepath.Join(t.TempDir(), "retold")
	source := newBench(t)
	b.check(os.CopyFS(b.path("."), os.DirFS(source.path("."))))
	b.check(os.Chmod(b.path("ws/workspace.json"), 0o640))
	leave(t, dir, filepath.Join(dir, "filler"), 512<<10)
	before := b.bytes()
	_, err := b.desk.Apply(t.Context(), b.draft(b.steps()...), "")
	if !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if diff := cmp.Diff(before, b.bytes()); diff != "" {
		t.Error(diff)
	}
}

// TestReadOnlyDisk refuses before anything is written, for the superuser too.
func TestReadOnlyDisk(t *testing.T) {
	dir := mount(t, "size=8m")
	source := newBench(t)
	b := openBench(t, dir)
	b.desk.Home = filepath.Join(t.TempDir(), "retold")
	b.check(os.CopyFS(b.path("."), os.DirFS(source.path("."))))
	b.check(os.Chmod(b.path("ws/workspace.json"), 0o640))
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	if _, err := b.desk.Apply(t.Context(), b.draft(b.steps()...), ""); !errors.Is(err, retold.ErrDatabaseLocked) {
		t.Error(err)
	}
	if len(b.states()) != 0 {
		t.Errorf("on record: %v", b.states())
	}
}
