package hook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal/hook"
	"github.com/retold-history/retold/journal/hook/spool"
)

// event is the nth of some.
func event(n int) hook.Event {
	return hook.Event{
		Kind: "post-commit", Commit: fmt.Sprintf("%040x", n), Tree: fmt.Sprintf("%040x", n), GitDir: "/home/ada/tidepool/.git",
		Worktree: "/home/ada/tidepool", Time: time.Date(2026, 11, 20, 10, 0, n, 0, time.UTC),
	}
}

func enqueue(t *testing.T, dir string, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		if err := hook.Enqueue(t.Context(), dir, event(n)); err != nil {
			t.Fatal(err)
		}
	}
}

// number is which of them an event is.
func number(t *testing.T, e hook.Event) (n int) {
	t.Helper()
	if _, err := fmt.Sscanf(e.Commit, "%x", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func look(t *testing.T, dir string) *hook.Queue {
	t.Helper()
	q, err := hook.LookAtQueue(dir)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestDrainInOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	if q := look(t, dir); q.Queued != 0 || q.LastDrained != nil || q.Draining {
		t.Errorf("of nothing: %+v", q)
	}
	enqueue(t, dir, 3, 1, 2)
	if q := look(t, dir); q.Queued != 3 || !q.Oldest.Equal(event(1).Time) {
		t.Errorf("%+v", q)
	}
	var got []int
	r, err := hook.Drain(t.Context(), hook.DrainOptions{Dir: dir}, func(_ context.Context, e hook.Event) error {
		if got = append(got, number(t, e)); len(got) == 1 {
			enqueue(t, dir, 4) // arrives meanwhile
			if q := look(t, dir); !q.Draining {
				t.Error("nobody seems to be at it")
			}
			if r, err := hook.Drain(t.Context(), hook.DrainOptions{Dir: dir}, nil); err != nil || !r.Busy {
				t.Errorf("a second one: %+v, %v", r, err)
			}
		}
		return nil
	})
	if err != nil || r.Done != 4 || !slices.Equal(got, []int{1, 2, 3, 4}) {
		t.Errorf("%v, %+v, %v", got, r, err)
	}
	if q := look(t, dir); q.Queued != 0 || q.LastDrained == nil || q.Draining {
		t.Errorf("%+v", q)
	}
}

// What arrives when the lock is just being let go is not left lying.
func TestDrainLooksAgain(t *testing.T) {
	dir := t.TempDir()
	var got []int
	o := hook.DrainOptions{Dir: dir}
	o.SetStep(func(step string) {
		if step == "unlocked" && len(got) == 1 {
			enqueue(t, dir, 2)
		}
	})
	enqueue(t, dir, 1)
	_, err := hook.Drain(t.Context(), o, func(_ context.Context, e hook.Event) error {
		got = append(got, number(t, e))
		return nil
	})
	if err != nil || !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%v, %v", got, err)
	}
}

// An event that fails is tried again, later each time, without holding up the
// others, and set aside in the end.
func TestDrainTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		enqueue(t, dir, 1, 2)
		begun := time.Now()
		var at []time.Duration
		var log bytes.Buffer
		o := hook.DrainOptions{Dir: dir, Patience: 24 * time.Hour, Log: slog.New(slog.NewTextHandler(&log, nil))}
		r, err := hook.Drain(t.Context(), o, func(_ context.Context, e hook.Event) error {
			if number(t, e) == 1 {
				at = append(at, time.Since(begun).Round(time.Second))
				return errors.New("no such\nrepository")
			}
			return nil
		})
		if err != nil || r.Done != 1 || r.Failed != 1 || r.Waiting != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		want := []time.Duration{0, time.Second, 6 * time.Second, 36 * time.Second, 336 * time.Second, 336*time.Second + time.Hour}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Error(diff)
		}
		q := look(t, dir)
		if len(q.Failed) != 1 || q.Failed[0].Commit != event(1).Commit || q.Failed[0].Reason != "no such repository" || q.Failed[0].Worktree != "/home/ada/tidepool" {
			t.Errorf("%+v", q)
		}
		if !strings.Contains(log.String(), "set aside") || strings.Count(log.String(), "tried again") != 5 {
			t.Errorf("the log: %s", log.String())
		}
		// Once more from the beginning.
		if n, err := hook.Requeue(dir); n != 1 || err != nil {
			t.Errorf("put back %d, %v", n, err)
		}
		if r, err = hook.Drain(t.Context(), o, func(context.Context, hook.Event) error { return nil }); r.Done != 1 || err != nil {
			t.Errorf("%+v, %v", r, err)
		}
		if q = look(t, dir); len(q.Failed) > 0 || q.Queued > 0 {
			t.Errorf("%+v", q)
		}
	})
}

// Without patience what fails is left to the next; an impatient status tells why.
func TestDrainLeaves(t *testing.T) {
	dir := t.TempDir()
	enqueue(t, dir, 1)
	now := time.Now()
	o := hook.DrainOptions{Dir: dir, Now: func() time.Time { return now }}
	fail := func(context.Context, hook.Event) error { return errors.New("not now") }
	if r, err := hook.Drain(t.Context(), o, fail); err != nil || r.Waiting != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := hook.Drain(t.Context(), o, nil); err != nil || r.Waiting != 1 { // too early to be handled
		t.Errorf("%+v, %v", r, err)
	}
	if q := look(t, dir); len(q.Retrying) != 1 || q.Retrying[0].Tries != 1 || q.Retrying[0].Reason != "not now" {
		t.Errorf("%+v", q)
	}
	now = now.Add(time.Minute)
	if r, err := hook.Drain(t.Context(), o, func(context.Context, hook.Event) error { return nil }); err != nil || r.Done != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A library in use is nobody's fault.
func TestDrainWaitsForTheLibrary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		enqueue(t, dir, 1)
		n := 0
		r, err := hook.Drain(t.Context(), hook.DrainOptions{Dir: dir, Patience: time.Hour}, func(context.Context, hook.Event) error {
			if n++; n < 20 {
				return fmt.Errorf("write entry: %w", &retold.Error{Code: retold.CodeLibraryBusy})
			}
			return nil
		})
		if err != nil || r.Done != 1 || n != 20 {
			t.Errorf("%+v, %v, after %d", r, err, n)
		}
	})
}

// An interrupt leaves the event as it was: it counts for nothing.
func TestDrainInterrupted(t *testing.T) {
	dir := t.TempDir()
	enqueue(t, dir, 1)
	for range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := hook.Drain(ctx, hook.DrainOptions{Dir: dir}, func(context.Context, hook.Event) error {
			cancel()
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if r, err := hook.Drain(t.Context(), hook.DrainOptions{Dir: dir}, func(context.Context, hook.Event) error { return nil }); r.Done != 1 || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// A file that holds no event is set aside at once, byte for byte, and named.
func TestDrainDamaged(t *testing.T) {
	dir := t.TempDir()
	damaged := map[string]string{
		"1.json": "", "2.json": "{", "3.json": "{}", "4.json": `{"version":9,"commit":"x"}`, "5.json": `{"version":1,"commit":"HEAD","gitDir":"/x"}`,
		"6.json": `{"version":1,"commit":"475c20bf2a967e860cd2569df9d55e25d4e07e01"}`,
	}
	for name, text := range damaged {
		write(t, filepath.Join(dir, name), text, 0o600)
	}
	write(t, filepath.Join(dir, ".new-7.json"), "{", 0o600)
	write(t, filepath.Join(dir, ".new-8.json"), "{", 0o600)
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, ".new-8.json"), old, old); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "tries"), "not JSON", 0o600)
	enqueue(t, dir, 1)
	r, err := hook.Drain(t.Context(), hook.DrainOptions{Dir: dir}, func(context.Context, hook.Event) error { return nil })
	if err != nil || r.Done != 1 || r.Failed != len(damaged) {
		t.Errorf("%+v, %v", r, err)
	}
	q := look(t, dir)
	for i, f := range q.Failed {
		name := fmt.Sprint(i+1, ".json")
		if filepath.Base(f.File) != name || read(t, f.File) != damaged[name] || !strings.Contains(f.Reason, "event") {
			t.Errorf("%+v", f)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".new-7.json")); err != nil {
		t.Error("what is being written was taken away")
	}
	if _, err := os.Stat(filepath.Join(dir, ".new-8.json")); err == nil {
		t.Error("what was never finished is still there")
	}
}

// Whoever only asks whether the lock is held does not keep an emptying away.
func TestDrainAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		enqueue(t, dir, 1)
		asks := flock.New(filepath.Join(dir, spool.LockFile))
		if got, err := asks.TryRLock(); !got || err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(10*time.Millisecond, func() {
			if err := asks.Close(); err != nil {
				t.Error(err)
			}
		})
		if r, err := hook.Drain(t.Context(), hook.DrainOptions{Dir: dir}, func(context.Context, hook.Event) error { return nil }); r.Done != 1 || err != nil {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

func TestLog(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	line := []byte(strings.Repeat("x", 1023) + "\n")
	for range 3 {
		l, err := hook.OpenLog(dir)
		if err != nil {
			t.Fatal(err)
		}
		for range 900 {
			if _, err := l.Write(line); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int64{"spool.log": (2700 - 2048) << 10, "spool.log.1": 1 << 20} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() != want {
			t.Errorf("%s: %v bytes, %v; want %d", name, info.Size(), err, want)
		}
	}
}
