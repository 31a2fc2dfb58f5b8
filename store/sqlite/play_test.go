package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/store/sqlite"
)

// play is what the test binary does when a test starts it as another process.
func play(part, path string) error {
	ctx := context.Background()
	switch part {
	case "write":
		return playWrite(ctx, path)
	case "read":
		return playRead(ctx, path)
	}
	return fmt.Errorf("no part %q", part)
}

// A history is what a library holds after so many commits. Each commit changes
// one session from some message on; the rest stays as it was.
type history [5][]retold.Message

func (h *history) step(n int) (session, from int) {
	session = n % len(h)
	old := h[session]
	from = min(n*3%20, len(old))
	list := append([]retold.Message(nil), old[:from]...)
	for i := range 2 + n*7%30 {
		list = append(list, retold.Message{
			ID: fmt.Sprint(from + i), Index: from + i, Role: retold.RoleAssistant,
			Content: fmt.Sprintf("common version%d %x", n, noise(n, i)),
		})
	}
	h[session] = list
	return session, from
}

// noise is bytes that do not pack.
func noise(n, i int) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", n, i))
	return bytes.Repeat(sum[:], 1+n%3)
}

func historyAt(n int) *history {
	h := &history{}
	for i := 1; i <= n; i++ {
		h.step(i)
	}
	return h
}

func keptSession(session, n int) *retold.Kept {
	id := fmt.Sprint("session", session)
	return &retold.Kept{Session: retold.Session{ID: id, Agent: "cursor", Title: fmt.Sprintf("titled at%d", n)}, Key: retold.KeyOf("cursor", id)}
}

// commits is how many commits a library says that it holds: each notes its
// number with a place.
func commits(ctx context.Context, s *sqlite.Store) (int, error) {
	places, err := s.Places(ctx)
	if err != nil || len(places) == 0 {
		return 0, err
	}
	return places[0].Mapping, nil
}

// playWrite goes on where the library ends, and says so after each commit, until
// it is killed. A sheet that it never puts grows all the while.
func playWrite(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	s.SetSmallLimits()
	w, err := s.Writer(ctx)
	if err != nil {
		return err
	}
	n, err := commits(ctx, s)
	if err != nil {
		return err
	}
	h := historyAt(n)
	unfinished, err := w.Sheet(ctx, retold.KeyOf("cursor", "unfinished"), 0)
	if err != nil {
		return err
	}
	for range 3000 {
		n++
		session, from := h.step(n)
		sheet, err := w.Sheet(ctx, keptSession(session, n).Key, from)
		if err != nil {
			return err
		}
		for _, m := range h[session][from:] {
			if err := errors.Join(sheet.Add(ctx, m), unfinished.Add(ctx, m)); err != nil {
				return err
			}
		}
		place := retold.KeptPlace{Place: retold.Place{Agent: "cursor", Path: "/home/ada"}, Mapping: n}
		if err := errors.Join(w.Put(ctx, keptSession(session, n), sheet), w.PutPlace(ctx, place), w.Commit(ctx)); err != nil {
			return err
		}
		fmt.Println(n)
	}
	return nil
}

// playRead reads a library that it cannot write, and tries to write to it.
func playRead(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	n := 0
	for m, err := range s.Messages(ctx, retold.KeyOf("cursor", "s"), 0) {
		if err != nil {
			return err
		}
		if m.Content != "" {
			n++
		}
	}
	q, err := retold.ParseQuery("number", now)
	if err != nil {
		return err
	}
	r, err := s.Search(ctx, q, now, 5, 0)
	if err != nil {
		return err
	}
	_, err = s.Writer(ctx)
	fmt.Println(n, r.Pagination.Total, s.ReadOnly(), errors.Is(err, retold.ErrLibraryReadOnly))
	return s.Close()
}
