package library_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// openHooked opens a library of its own over a source.
func openHooked(t *testing.T, o library.Options, sources ...retold.Source) *library.Library {
	t.Helper()
	if o.Home == "" {
		o.Home = t.TempDir()
	}
	o.Sources = sources
	l, err := library.Open(t.Context(), o)
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

func TestClosed(t *testing.T) {
	check := noneLeft(t)
	src := tidepool()
	l := openHooked(t, library.Options{}, src)
	if _, err := l.List(t.Context(), retold.Filter{}, 0, 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	asked := src.asked.Load()
	for _, m := range methods {
		if err := m.call(t.Context(), l); !errors.Is(err, library.ErrClosed) {
			t.Errorf("%s of a closed library: %v", m.name, err)
		}
	}
	if n := src.asked.Load() - asked; n > 0 {
		t.Errorf("a closed library asked its source %d times", n)
	}
	check()
}

// Close ends every method that is under way, wherever it waits: for a source, or
// for another call that waits for one.
func TestCloseEndsCallsUnderWay(t *testing.T) {
	for _, patience := range []time.Duration{0, time.Hour} {
		check := noneLeft(t)
		src, reached := tidepool(), make(chan struct{}, 1)
		src.session = stuck(reached)
		src.inspect = func(ctx context.Context) error { return stuck(reached)(ctx, "") }
		l := openHooked(t, library.Options{Patience: patience}, src)
		type ended struct {
			name string
			err  error
		}
		results := make(chan ended)
		go func() { results <- ended{"Sync", second(l.Sync(t.Context(), library.SyncOptions{}))} }()
		<-reached // what comes now waits for it
		for _, m := range methods {
			go func() { results <- ended{m.name, m.call(t.Context(), l)} }()
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		for range len(methods) + 1 {
			// Info alone has nothing to wait for.
			if e := <-results; !errors.Is(e.err, library.ErrClosed) && (!slices.Contains([]string{"Info", "Changes", "Journal", "Rest"}, e.name) || e.err != nil) {
				t.Errorf("%s ended with %v", e.name, e.err)
			}
		}
		check()
	}
}

// The error of one's own context stays what it is when the library is closed too.
func TestCloseAfterCancel(t *testing.T) {
	src, reached := tidepool(), make(chan struct{}, 1)
	src.session = stuck(reached)
	l := openHooked(t, library.Options{}, src)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- second(l.Sync(ctx, library.SyncOptions{})) }()
	<-reached
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || errors.Is(err, library.ErrClosed) {
		t.Errorf("cancelled, then closed: %v", err)
	}
}

// The body of a loop over Each may close the library: the loop ends.
func TestCloseInsideEach(t *testing.T) {
	l := openHooked(t, library.Options{}, tidepool())
	var got []error
	for _, err := range l.Each(t.Context(), retold.Filter{}) {
		got = append(got, err)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 2 || got[0] != nil || !errors.Is(got[1], library.ErrClosed) {
		t.Errorf("the loop saw %v", got)
	}
}

// Two libraries over different histories know nothing of one another.
func TestTwoLibrariesDoNotTouch(t *testing.T) {
	one := openHooked(t, library.Options{}, tidepool())
	other := openHooked(t, library.Options{}, &memory{agent: "cursor", sessions: []memorySession{
		session("one", day(9), "composer", "u:lanterns, not a word of marsupials"), session("ten", day(8), "composer", "u:hi"),
	}})
	done := make(chan error)
	for _, l := range []*library.Library{one, other} {
		go func() {
			for range 20 {
				if _, err := l.Search(t.Context(), anything(), 0, 0); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if n, m := hits(t, one, "quokka role:user"), hits(t, other, "quokka role:user"); n != 2 || m != 0 {
		t.Errorf("the libraries find %d and %d quokkas, want 2 and 0", n, m)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := other.Show(t.Context(), "one")
	if err != nil || !slices.ContainsFunc(d.Messages, func(m retold.Message) bool { return m.Content == "lanterns, not a word of marsupials" }) {
		t.Errorf("with the other closed: %v, %v", d, err)
	}
}
