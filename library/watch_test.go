package library_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/library"
)

// A watch tells what is written while it runs, each thing once, also what another
// process put into the library, and nothing of what was there before.
func TestWatch(t *testing.T) {
	i := written(t)
	home := t.TempDir()
	l := i.library(t, home)
	synced(t, l)
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	events := make(chan string, 16)
	ended := make(chan error, 1)
	started := make(chan struct{})
	go func() {
		ended <- l.Watch(ctx, library.WatchOptions{Every: 20 * time.Millisecond, Started: func() { close(started) }}, func(e library.Event) error {
			line := e.Kind + " " + e.Session.ID
			if e.Message != nil {
				line += " " + e.Message.ID + " " + e.Message.Content
			}
			events <- line
			return nil
		})
	}()
	<-started
	next := func(want ...string) {
		t.Helper()
		var got []string
		for range want {
			select {
			case e := <-events:
				got = append(got, e)
			case <-ctx.Done():
				t.Fatalf("got %v, want %v", got, want)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	i.say("session-1", "b199", "one more")
	next("message session-1 b199 one more")
	i.put(bubbleKey("session-1", "b199"), i.bubble("b199", "one more thing"))
	i.record("session-1")
	next("update session-1 b199 one more thing")
	other := i.library(t, home)
	i.say("session-new", "n01", "hello")
	if _, err := other.Sync(t.Context(), library.SyncOptions{}); err != nil {
		t.Log(err) // the watch was faster
	}
	next("session session-new", "message session-new n01 hello")
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the watch ended with %v", err)
	}
	select {
	case e := <-events:
		t.Errorf("one event too many: %s", e)
	default:
	}
}
