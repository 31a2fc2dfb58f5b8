package library_test

import (
	"context"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// slow is a memory whose sessions can only be read when somebody opens the gate.
type slow struct {
	*memory
	asked chan string
	gate  chan struct{}
}

func (s *slow) Session(ctx context.Context, ref retold.Ref) (*retold.SessionDetail, error) {
	select {
	case s.asked <- ref.ID:
	default:
	}
	select {
	case <-s.gate:
		return s.memory.Session(ctx, ref)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func impatient(t *testing.T, home string, patience time.Duration, sources ...retold.Source) *library.Library {
	t.Helper()
	l, err := library.Open(t.Context(), library.Options{
		Sources: sources, Home: home, Patience: patience, Env: paths.Env{GOOS: "linux", Home: t.TempDir()},
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

// While the messages of a first sync are being read, sessions are listed, a
// search says what it could not look at, and reading one session does not wait
// for the others.
func TestAnswersWhileReading(t *testing.T) {
	s := &slow{&memory{agent: "warp", sessions: []memorySession{
		session("older", day(1), "warp", "u:the first quokka"), session("newer", day(2), "warp", "u:the second quokka"),
	}}, make(chan string, 10), make(chan struct{})}
	l := impatient(t, t.TempDir(), time.Nanosecond, s)
	list, err := l.List(t.Context(), retold.Filter{}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := list.Pagination.Total; got != 2 {
		t.Errorf("%d sessions are listed while they are read, want 2", got)
	}
	q, err := retold.ParseQuery("quokka role:user", day(3))
	if err != nil {
		t.Fatal(err)
	}
	page, err := l.Search(t.Context(), q, 5, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !page.Behind || page.Pending != 2 || len(page.Data) != 0 {
		t.Errorf("behind %v, %d pending, %d hits; want behind, 2, 0", page.Behind, page.Pending, len(page.Data))
	}
	close(s.gate)
	d, err := l.Read(t.Context(), "older", library.Window{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Messages) != 1 || d.Messages[0].Content != "the first quokka" {
		t.Errorf("read %+v", d.Messages)
	}
	if _, err := l.Sync(t.Context(), library.SyncOptions{}); err != nil { // waits for the work in the background
		t.Fatal(err)
	}
	if page, err = l.Search(t.Context(), q, 5, 0); err != nil || page.Pending != 0 || len(page.Data) != 2 {
		t.Errorf("%v, %+v; want 2 hits and nothing pending", err, page)
	}
}

// With patience enough an answer holds everything that was there when it was
// asked for.
func TestPatienceSeesWhatWasWritten(t *testing.T) {
	m := &memory{agent: "warp", sessions: []memorySession{session("one", day(1), "warp", "u:a quokka")}}
	l := impatient(t, t.TempDir(), time.Hour, m)
	q, err := retold.ParseQuery("quokka role:user", day(3))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		page, err := l.Search(t.Context(), q, -1, 0)
		if err != nil || page.Behind || len(page.Data) != n+1 {
			t.Fatalf("after %d more: %v, %d hits, behind %v", n, err, len(page.Data), page.Behind)
		}
		m.sessions[0].messages = append(m.sessions[0].messages, retold.Message{Role: retold.RoleUser, Content: "another quokka"})
	}
}

// Closing ends the work in the background; what fails there is told.
func TestBackgroundEnds(t *testing.T) {
	home := t.TempDir()
	m := &memory{agent: "warp", sessions: []memorySession{session("one", day(1), "warp", "u:a quokka")}}
	s := &slow{m, make(chan string, 1), make(chan struct{})}
	l := impatient(t, home, time.Nanosecond, s)
	if _, err := l.List(t.Context(), retold.Filter{}, 0, 0); err != nil {
		t.Fatal(err)
	}
	<-s.asked // it is at work
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := impatient(t, home, time.Hour, m)
	d, err := again.Show(t.Context(), "one")
	if err != nil || len(d.Messages) != 1 {
		t.Errorf("%v, %+v; want the message read after all", err, d)
	}
}

// A program that started before there was any history finds the first.
func TestHistoryBegins(t *testing.T) {
	m := &memory{agent: "warp"}
	l := impatient(t, t.TempDir(), time.Hour, m)
	if _, err := l.List(t.Context(), retold.Filter{}, 0, 0); retold.CodeOf(err) != retold.CodeDatabaseNotFound {
		t.Fatalf("without history: %v", err)
	}
	m.sessions = []memorySession{session("one", day(1), "warp", "u:a quokka")}
	if list, err := l.List(t.Context(), retold.Filter{}, 0, 0); err != nil || len(list.Data) != 1 {
		t.Errorf("%v, %+v; want the session", err, list)
	}
}

// unlisted is a slow source whose headers wait too.
type unlisted struct {
	*slow
	list chan struct{}
}

func (s *unlisted) Headers(ctx context.Context, p retold.Place) iter.Seq2[retold.Header, error] {
	<-s.list
	return s.slow.Headers(ctx, p)
}

// A question that comes while another is having the first listing made is
// answered from that listing, before any message is read.
func TestTwoFirstQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{agent: "warp", sessions: []memorySession{session("one", day(1), "warp", "u:a quokka")}}
		s := &unlisted{&slow{m, make(chan string, 1), make(chan struct{})}, make(chan struct{})}
		l := impatient(t, t.TempDir(), time.Hour, s)
		totals := make(chan int, 2)
		for range 2 {
			go func() {
				list, err := l.Headers(t.Context(), retold.Filter{})
				if err != nil {
					t.Error(err)
				}
				totals <- len(list)
			}()
			synctest.Wait() // it waits for the listing
		}
		close(s.list)
		for range 2 {
			if n := <-totals; n != 1 {
				t.Errorf("%d sessions are listed, want 1", n)
			}
		}
		close(s.gate)
	})
}

// A long reading makes the first question wait, not every one.
func TestPatienceIsLostOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{agent: "warp", sessions: []memorySession{session("one", day(1), "warp", "u:a quokka")}}
		s := &slow{m, make(chan string, 1), make(chan struct{})}
		l := impatient(t, t.TempDir(), time.Second, s)
		q, err := retold.ParseQuery("quokka", day(3))
		if err != nil {
			t.Fatal(err)
		}
		var waited []time.Duration
		for range 3 {
			start := time.Now()
			page, err := l.Search(t.Context(), q, 5, 0)
			if err != nil || !page.Behind {
				t.Fatalf("%v, %+v; want an answer that says it is behind", err, page)
			}
			waited = append(waited, time.Since(start))
		}
		if want := []time.Duration{time.Second, 0, 0}; !slices.Equal(waited, want) {
			t.Errorf("questions waited %v, want %v", waited, want)
		}
		close(s.gate)
		if _, err := l.Sync(t.Context(), library.SyncOptions{}); err != nil {
			t.Fatal(err)
		}
		if page, err := l.Search(t.Context(), q, 5, 0); err != nil || page.Behind {
			t.Errorf("%v, behind %v after all was read", err, page.Behind)
		}
	})
}
