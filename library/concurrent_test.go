package library_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// Cursor writes, two processes sync, ten search: nobody fails, and the end is
// complete.
func TestEverybodyAtOnce(t *testing.T) {
	i := written(t)
	home := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var group errgroup.Group
	for range 2 {
		l := i.library(t, home)
		group.Go(func() error {
			for ctx.Err() == nil {
				if _, err := l.Sync(t.Context(), library.SyncOptions{}); err != nil && !errors.Is(err, retold.ErrLibraryBusy) {
					return fmt.Errorf("sync: %w", err)
				}
			}
			return nil
		})
	}
	q, err := retold.ParseQuery("quokka*", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		l := i.library(t, home)
		group.Go(func() error {
			for ctx.Err() == nil {
				if _, err := l.Search(t.Context(), q, 5, 0); err != nil {
					return fmt.Errorf("search: %w", err)
				}
			}
			return nil
		})
	}
	for n := range 300 {
		i.say(fmt.Sprintf("session-%d", n%5), fmt.Sprintf("c%04d", n), fmt.Sprintf("more of the quokka%d", n%5))
	}
	stop()
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	l := i.library(t, home)
	synced(t, l)
	if n := hits(t, l, "quokka*"); n != 24+300 {
		t.Errorf("%d messages are found, want 324", n)
	}
	if diff := cmp.Diff(contents(t, i.library(t, t.TempDir())), contents(t, l)); diff != "" {
		t.Error(diff)
	}
}

// syncChild names the folder that a child process of this test is to sync.
const syncChild = "RETOLD_TEST_SYNC"

func TestMain(m *testing.M) {
	if dir := os.Getenv(syncChild); dir != "" {
		if err := childSync(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func childSync(dir string) error {
	ctx := context.Background()
	l, err := library.Open(ctx, library.Options{
		CursorUser: []string{filepath.Join(dir, "User")}, Env: paths.Env{GOOS: "linux", Home: filepath.Join(dir, "home")}, Home: filepath.Join(dir, "library"),
	})
	if err != nil {
		return err
	}
	_, err = l.Sync(ctx, library.SyncOptions{})
	return errors.Join(err, l.Close())
}

// Killed at any moment, the library opens, tells nothing that is not so, and the
// next sync finishes the work. RETOLD_TEST_KILLS says how often to try.
func TestKilledAnywhere(t *testing.T) {
	kills := 12
	if n, err := strconv.Atoi(os.Getenv("RETOLD_TEST_KILLS")); err == nil {
		kills = n
	}
	dir := t.TempDir()
	i := newIDE(t, filepath.Join(dir, "User"), "wal")
	defer i.close()
	i.exec("BEGIN")
	for s := range 30 {
		session := fmt.Sprintf("session-%02d", s)
		for m := range 60 {
			id := fmt.Sprintf("b%02d%03d", s, m)
			i.order[session] = append(i.order[session], id)
			i.put(bubbleKey(session, id), i.bubble(id, fmt.Sprintf("message %d of quokka %d %0200d", m, s, m*s)))
		}
		i.record(session)
	}
	i.exec("COMMIT")
	home := filepath.Join(dir, "library")
	begin := time.Now()
	if err := child(t, dir, 0); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(begin)
	want := contents(t, i.library(t, filepath.Join(dir, "fresh")))
	for n := range kills {
		if n < kills/2 { // first syncs, then later ones
			if err := os.RemoveAll(home); err != nil {
				t.Fatal(err)
			}
		} else {
			i.say(fmt.Sprintf("session-%02d", n%30), fmt.Sprintf("k%04d", n), "said between two kills")
			want = contents(t, i.library(t, filepath.Join(dir, fmt.Sprintf("fresh%d", n))))
		}
		if err := child(t, dir, whole*time.Duration(n%(kills/2)+1)/time.Duration(kills/2)); err != nil {
			t.Log(err) // killed
		}
		l := i.library(t, home)
		synced(t, l)
		if diff := cmp.Diff(want, contents(t, l)); diff != "" {
			t.Fatalf("kill %d: %s", n, diff)
		}
		if n, want := hits(t, l, "quokka"), 30*60+30; n != want {
			t.Fatalf("%d messages are found, want %d", n, want)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// child syncs in another process, which is killed after a while; 0 for never.
func child(t *testing.T, dir string, after time.Duration) error {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if after > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, after)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), syncChild+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return err
}
