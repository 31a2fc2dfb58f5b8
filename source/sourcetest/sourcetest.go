// Package sourcetest knows what every source owes its callers, whatever agent it
// reads: headers and sessions that agree, messages that keep the contract of
// product.md, and not one byte changed in the folders it reads.
package sourcetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
)

// Run checks a source against a home that holds at least one session. newSource
// returns a fresh source that looks in home; home is the folder that must come
// out of the test as it went in.
func Run(t *testing.T, newSource func() retold.Source, home string) {
	t.Helper()
	before := Tree(t, home)
	t.Run("places", func(t *testing.T) { places(t, newSource()) })
	t.Run("sessions", func(t *testing.T) { sessions(t, newSource()) })
	t.Run("unknown session", func(t *testing.T) { unknown(t, newSource()) })
	t.Run("cancelled", func(t *testing.T) { cancelled(t, newSource()) })
	t.Run("concurrent", func(t *testing.T) { concurrent(t, newSource()) })
	t.Run("inspect", func(t *testing.T) { inspect(t, newSource()) })
	t.Run("track", func(t *testing.T) { track(t, newSource()) })
	t.Run("resume", func(t *testing.T) { resume(t, newSource()) })
	if diff := cmp.Diff(before, Tree(t, home)); diff != "" {
		t.Errorf("reading changed the home (-before +after)\n%s", diff)
	}
}

// places wants every place named and explained, and one of them used.
func places(t *testing.T, s retold.Source) {
	used := 0
	for _, p := range list(t, s) {
		if p.Agent != s.Agent() || p.Path == "" || p.Kind == "" || p.Reason == "" {
			t.Errorf("place is not fully described: %+v", p)
		}
		if p.Used {
			used++
		}
	}
	if used == 0 {
		t.Error("no place is used")
	}
}

func list(t *testing.T, s retold.Source) []retold.Place {
	t.Helper()
	all, err := s.Places(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Headers returns the headers of all used places; an error yielded fails the test.
func Headers(t *testing.T, s retold.Source) []retold.Header {
	t.Helper()
	var out []retold.Header
	for _, p := range list(t, s) {
		if !p.Used {
			continue
		}
		for h, err := range s.Headers(t.Context(), p) {
			if err != nil {
				t.Errorf("headers of %s: %v", p.Path, err)
				continue
			}
			if h.Ref.Place != p.Path || h.Ref.Agent != s.Agent() {
				t.Errorf("header %s refers to %+v, not to its place", h.ID, h.Ref)
			}
			out = append(out, h)
		}
	}
	return out
}

// sessions reads every session and compares it with its header.
func sessions(t *testing.T, s retold.Source) {
	headers := Headers(t, s)
	if len(headers) == 0 {
		t.Fatal("no sessions")
	}
	seen := map[string]bool{}
	for _, h := range headers {
		if h.ID == "" || h.ID != h.Ref.ID || seen[h.Ref.Place+"\x00"+h.ID] {
			t.Errorf("header %q: id is empty, twice, or not its Ref's", h.ID)
		}
		seen[h.Ref.Place+"\x00"+h.ID] = true
		if h.Stamp == "" || h.Agent != s.Agent() || len(h.Sources) == 0 {
			t.Errorf("header %s: stamp, agent or sources are missing: %+v", h.ID, h)
		}
		t.Run(h.ID, func(t *testing.T) { session(t, s, h) })
	}
}

func session(t *testing.T, s retold.Source, h retold.Header) {
	d, err := s.Session(t.Context(), h.Ref)
	if err != nil {
		t.Fatal(err)
	}
	CheckDetail(t, d)
	agree(t, h, d)
	again, err := s.Session(t.Context(), h.Ref)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, again); diff != "" {
		t.Errorf("two reads differ (-first +second)\n%s", diff)
	}
	if c, ok := s.(retold.Completer); ok {
		full := h
		if err := c.Complete(t.Context(), &full); err != nil {
			t.Fatal(err)
		}
		if full.MessageCount != len(d.Messages) {
			t.Errorf("Complete counts %d messages, the session has %d", full.MessageCount, len(d.Messages))
		}
		if full.Title != d.Title || full.FirstMessagePreview != d.FirstMessagePreview {
			t.Errorf("Complete says %q, %q; the session %q, %q", full.Title, full.FirstMessagePreview, d.Title, d.FirstMessagePreview)
		}
	}
	if st, ok := s.(retold.Streamer); ok {
		stream(t, st, h.Ref, d)
	}
}

// agree wants what a header says confirmed by the session.
func agree(t *testing.T, h retold.Header, d *retold.SessionDetail) {
	for _, f := range []struct{ name, header, session string }{
		{"id", h.ID, d.ID},
		{"agent", h.Agent, d.Agent},
		{"title", h.Title, d.Title},
		{"workspace path", h.WorkspacePath, d.WorkspacePath},
		{"workspace name", h.WorkspaceName, d.WorkspaceName},
		{"model", h.Model, d.Model},
		{"branch", h.Branch, d.Branch},
		{"parent", h.ParentID, d.ParentID},
	} {
		if f.header != "" && f.header != f.session {
			t.Errorf("%s: header %q, session %q", f.name, f.header, f.session)
		}
	}
	if h.MessageCount >= 0 && h.MessageCount != d.MessageCount {
		t.Errorf("message count: header %d, session %d", h.MessageCount, d.MessageCount)
	}
	if !h.CreatedAt.IsZero() && !h.CreatedAt.Equal(d.CreatedAt) {
		t.Errorf("created: header %v, session %v", h.CreatedAt, d.CreatedAt)
	}
	if diff := cmp.Diff(h.Sources, d.Sources); diff != "" {
		t.Errorf("sources (-header +session)\n%s", diff)
	}
	if h.Empty && len(d.Messages) > 0 && !h.Draft { // a draft is shown, though nobody said it
		t.Errorf("the header calls a session of %d messages empty", len(d.Messages))
	}
}

// stream wants the same messages one by one, and an error of the receiver back.
func stream(t *testing.T, s retold.Streamer, ref retold.Ref, d *retold.SessionDetail) {
	var got []retold.Message
	end, err := s.Stream(t.Context(), ref, func(m retold.Message) error { got = append(got, m); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.Messages, got); diff != "" {
		t.Errorf("streamed messages differ (-session +stream)\n%s", diff)
	}
	if len(end.Messages) != 0 || end.MessageCount != len(d.Messages) {
		t.Errorf("the stream ends with %d messages and a count of %d", len(end.Messages), end.MessageCount)
	}
	stop := errors.New("enough")
	if _, err := s.Stream(t.Context(), ref, func(retold.Message) error { return stop }); len(d.Messages) > 0 && !errors.Is(err, stop) {
		t.Errorf("the receiver's error came back as %v", err)
	}
}

func unknown(t *testing.T, s retold.Source) {
	for _, p := range list(t, s) {
		if !p.Used {
			continue
		}
		for _, id := range []string{"00000000-0000-4000-8000-000000000000", "", "../..", "%"} {
			_, err := s.Session(t.Context(), retold.Ref{Agent: s.Agent(), Place: p.Path, ID: id})
			if !errors.Is(err, retold.ErrSessionNotFound) {
				t.Errorf("session %q: %v, want %v", id, err, retold.ErrSessionNotFound)
			}
		}
	}
}

// cancelled wants a cancelled context to end a loop with its own error.
func cancelled(t *testing.T, s retold.Source) {
	headers := Headers(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, p := range list(t, s) {
		if !p.Used {
			continue
		}
		var last error
		for _, err := range s.Headers(ctx, p) {
			last = err
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("headers of %s ended with %v", p.Path, last)
		}
	}
	for _, h := range headers[:min(len(headers), 3)] {
		if _, err := s.Session(ctx, h.Ref); !errors.Is(err, context.Canceled) {
			t.Errorf("session %s ended with %v", h.ID, err)
		}
	}
}

// concurrent reads everything at once, several times.
func concurrent(t *testing.T, s retold.Source) {
	headers := Headers(t, s)
	headers = headers[:min(len(headers), 40)]
	var wg sync.WaitGroup
	counts := make([][4]int, len(headers))
	for i, h := range headers {
		for round := range 4 {
			wg.Go(func() {
				d, err := s.Session(t.Context(), h.Ref)
				if err != nil {
					t.Errorf("session %s: %v", h.ID, err)
					return
				}
				counts[i][round] = len(d.Messages)
			})
		}
	}
	wg.Wait()
	for i, c := range counts {
		if c[0] != c[1] || c[0] != c[2] || c[0] != c[3] {
			t.Errorf("session %s was read with %v messages", headers[i].ID, c)
		}
	}
}

// inspect wants the bytes of every file accounted for.
func inspect(t *testing.T, s retold.Source) {
	ins, ok := s.(retold.Inspector)
	if !ok {
		return
	}
	for _, p := range list(t, s) {
		if !p.Used {
			continue
		}
		files, err := ins.Inspect(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			sum := f.Overhead
			for _, fam := range f.Families {
				sum += fam.Bytes
			}
			if sum != f.FileBytes || f.Path == "" || f.Access == "" {
				t.Errorf("%s (%q): families and overhead add up to %d of %d bytes", f.Path, f.Access, sum, f.FileBytes)
			}
		}
	}
}
