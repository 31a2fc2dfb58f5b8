package library_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/library"
)

// many is a source of n sessions of five messages each.
func many(n int) *hooked {
	m := &memory{agent: "cursor"}
	for i := range n {
		m.sessions = append(m.sessions, session(fmt.Sprintf("session-%03d", i), day(1).Add(time.Duration(i)*time.Minute), "composer",
			"u:quokka", "a:one", "a:two", "t:c1", "a:four"))
	}
	return &hooked{memory: m}
}

// A context that ends while the first history is read stops the reading: no more
// sessions are begun than were under way, and what is kept are whole sessions,
// to which the next call adds the rest.
func TestCancelledWhileReading(t *testing.T) {
	const sessions, before = 200, 20
	for _, m := range []method{
		{"Sync", func(ctx context.Context, l *library.Library) error { return second(l.Sync(ctx, library.SyncOptions{})) }},
		{"Search", func(ctx context.Context, l *library.Library) error { return second(l.Search(ctx, anything(), 0, 0)) }},
		{"Stats", func(ctx context.Context, l *library.Library) error { return second(l.Stats(ctx, retold.Filter{}, nil)) }},
		{"List", func(ctx context.Context, l *library.Library) error {
			return second(l.List(ctx, retold.Filter{}, -1, 0))
		}},
		{"List of a page", func(ctx context.Context, l *library.Library) error {
			return second(l.List(ctx, retold.Filter{}, 100, 0))
		}},
		{"ExportAll", func(ctx context.Context, l *library.Library) error {
			return second(l.ExportAll(ctx, io.Discard, retold.Filter{}, export.CSV, export.Options{}))
		}},
	} {
		t.Run(m.name, func(t *testing.T) {
			check := noneLeft(t)
			src, home := many(sessions), t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			src.session = func(context.Context, string) error {
				if src.sessions.Load() >= before {
					cancel()
				}
				return nil
			}
			l := openHooked(t, library.Options{Home: home}, src)
			if err := m.call(ctx, l); !errors.Is(err, context.Canceled) {
				t.Errorf("ended with %v", err)
			}
			if n := src.sessions.Load(); n > before+int64(runtime.GOMAXPROCS(0)) {
				t.Errorf("%d sessions were begun, %d before the end", n, before)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			check()
			wholeSessions(t, home)
			src.session = nil
			l = openHooked(t, library.Options{Home: home}, src)
			synced(t, l)
			if diff := cmp.Diff(contents(t, openHooked(t, library.Options{}, many(sessions))), contents(t, l)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// wholeSessions fails when a library holds a part of a session. It reads what is
// kept and nothing else.
func wholeSessions(t *testing.T, home string) {
	t.Helper()
	l := openHooked(t, library.Options{Home: home}, []retold.Source{}...)
	listing, err := l.List(t.Context(), retold.Filter{}, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	for _, s := range listing.Data {
		switch s.MessageCount {
		case 5:
			whole++
		case -1: // to be read
		default:
			t.Errorf("%s is kept with %d messages of 5", s.ID, s.MessageCount)
		}
	}
	if whole == 0 || whole == len(listing.Data) {
		t.Errorf("%d sessions of %d are kept whole", whole, len(listing.Data))
	}
}

// Progress is told while a library is read; a person who has seen enough ends it
// there.
func TestCancelledByProgress(t *testing.T) {
	src := many(200)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var clock atomic.Int64
	told := 0
	l := openHooked(t, library.Options{
		Now: func() time.Time { return day(20).Add(time.Duration(clock.Add(1)) * time.Second) },
		Progress: func(p library.Progress) {
			if told++; p.Sessions >= 10 {
				cancel()
			}
		},
	}, src)
	if _, err := l.Sync(ctx, library.SyncOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if n := src.sessions.Load(); told == 0 || n > 12+2*int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d sessions were begun, progress told %d times", n, told)
	}
}

func TestCancelledInALoop(t *testing.T) {
	l := openHooked(t, library.Options{}, many(20))
	synced(t, l)
	t.Run("Each", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var got []error
		for _, err := range l.Each(ctx, retold.Filter{}) {
			got = append(got, err)
			if len(got) == 3 {
				cancel()
			}
		}
		if len(got) != 4 || !errors.Is(got[3], context.Canceled) {
			t.Errorf("the loop saw %v", got)
		}
	})
	t.Run("ExportAll", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		w := &writer{then: cancel}
		report, err := l.ExportAll(ctx, w, retold.Filter{}, export.JSONL, export.Options{})
		if !errors.Is(err, context.Canceled) || report.Sessions != 1 || w.writes != 1 {
			t.Errorf("%+v after %d writes: %v", report, w.writes, err)
		}
	})
	t.Run("Doctor", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		src := many(1)
		src.inspect = func(ctx context.Context) error { cancel(); return ctx.Err() }
		if r, err := openHooked(t, library.Options{}, src).Doctor(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// A writer calls a function after each write.
type writer struct {
	then   func()
	writes int
}

func (w *writer) Write(p []byte) (int, error) {
	w.writes++
	w.then()
	return len(p), nil
}

// Nothing more is told by a watch whose context ended while it told something.
func TestWatchCancelledByTell(t *testing.T) {
	check := noneLeft(t)
	i := written(t)
	l := i.library(t, t.TempDir())
	synced(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started, ended, told := make(chan struct{}), make(chan error, 1), 0
	go func() {
		ended <- l.Watch(ctx, library.WatchOptions{Every: time.Millisecond, Started: func() { close(started) }}, func(library.Event) error {
			told++
			cancel()
			return nil
		})
	}()
	<-started
	i.exec("BEGIN")
	for n := range 5 {
		i.say("session-1", fmt.Sprintf("w%03d", n), "one of five")
	}
	i.exec("COMMIT")
	if err := <-ended; !errors.Is(err, context.Canceled) || told != 1 {
		t.Errorf("ended with %v after %d events", err, told)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	check()
}

// Whoever waits for somebody else's reading can leave.
func TestCancelledWhileWaiting(t *testing.T) {
	src, reached := tidepool(), make(chan struct{}, 1)
	src.session = stuck(reached)
	l := openHooked(t, library.Options{}, src)
	reading := make(chan error)
	inner, end := context.WithCancel(t.Context())
	defer end()
	go func() { reading <- second(l.Sync(inner, library.SyncOptions{})) }()
	<-reached
	for _, m := range methods {
		if m.name == "Info" {
			continue // waits for nobody
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- m.call(ctx, l) }()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", m.name, err)
		}
	}
	select {
	case err := <-reading:
		t.Errorf("the other call ended: %v", err)
	default:
	}
	end()
	if err := <-reading; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
