package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/retold-history/retold"
)

// concurrent: many read while one writes; each sees whole commits. A session's
// messages all say the same number, the number of the commit.
func concurrent(t *testing.T, s retold.Store) {
	k := session("s")
	state := func(n int) []retold.Message {
		out := make([]retold.Message, 20)
		for i := range out {
			out[i] = retold.Message{ID: fmt.Sprint(i), Index: i, Role: retold.RoleUser, Content: fmt.Sprintf("common state%d %d", n, i)}
		}
		return out
	}
	putAll(t, s, []told{{k, state(0)}})
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 6 {
		readers.Go(func() {
			for !t.Failed() {
				select {
				case <-done:
					return
				default:
					oneState(t, s, k.Key)
				}
			}
		})
	}
	writing(t, s, func(w retold.StoreWriter) {
		for n := range 60 {
			put(t, w, k, n%20, state(n)[n%20:])
			put(t, w, k, 0, state(n))
			must(t, w.Commit(t.Context()))
			if _, err := s.Writer(t.Context()); !errors.Is(err, retold.ErrLibraryBusy) {
				t.Errorf("a second writer meanwhile: %v", err)
			}
		}
	})
	close(done)
	readers.Wait()
	if n := search(t, s, "state59", 30, 0).Pagination.Total; n != 20 {
		t.Errorf("the last state is found %d times", n)
	}
	if n := search(t, s, "state58", 30, 0).Pagination.Total; n != 0 {
		t.Errorf("the state before is found %d times", n)
	}
}

// oneState reads a session and holds it to be as one commit left it.
func oneState(t *testing.T, s retold.Store, key retold.Key) {
	var first string
	n := 0
	for m, err := range s.Messages(t.Context(), key, 0) {
		var word string
		if err == nil {
			_, err = fmt.Sscanf(m.Content, "common %s", &word)
		}
		if err != nil {
			t.Errorf("read while writing: %v", err)
			return
		}
		if n++; first == "" {
			first = word
		} else if word != first {
			t.Errorf("%s and %s in one reading", first, word)
			return
		}
	}
	if r := search(t, s, "common", 5, 0); n != 20 || r.Pagination.Total != 20 || len(r.Data) != 5 {
		t.Errorf("%d messages, %d found, %d shown; want 20, 20, 5", n, r.Pagination.Total, len(r.Data))
	}
}

// filled is a sheet that is ready to be put.
type filled struct {
	kept  retold.Kept
	sheet retold.Sheet
}

func fill(t *testing.T, w retold.StoreWriter, key retold.Key, messages []retold.Message) retold.Sheet {
	sheet, err := w.Sheet(t.Context(), key, 0)
	if err != nil {
		t.Error(err)
		panic(err) // FailNow is for the test's own goroutine
	}
	for _, m := range messages {
		if err := sheet.Add(t.Context(), m); err != nil {
			t.Error(err)
		}
	}
	return sheet
}

// parallelSheets: sheets are filled by several goroutines while the writer puts
// and commits what is finished; some are dropped.
func parallelSheets(t *testing.T, s retold.Store) {
	const workers, each, long = 4, 12, 40
	messages := func(name string) (out []retold.Message) {
		for i := range long {
			out = append(out, retold.Message{ID: fmt.Sprint(i), Index: i, Role: retold.RoleUser, Content: fmt.Sprintf("shared word of %s %d", name, i)})
		}
		return out
	}
	writing(t, s, func(w retold.StoreWriter) {
		out := make(chan filled)
		var fillers sync.WaitGroup
		for n := range workers {
			fillers.Go(func() {
				for i := range each {
					k := session(fmt.Sprintf("p%d-%d", n, i))
					sheet := fill(t, w, k.Key, messages(k.ID))
					if i%4 == 3 {
						sheet.Drop()
						continue
					}
					out <- filled{k, sheet}
				}
			})
		}
		go func() {
			fillers.Wait()
			close(out)
		}()
		n := 0
		for f := range out {
			must(t, w.Put(t.Context(), &f.kept, f.sheet))
			if n++; n%3 == 0 || w.CommitDue() {
				must(t, w.Commit(t.Context()))
				if got := search(t, s, "shared", 1, 0).Pagination.Total; got != n*long {
					t.Errorf("after %d sessions: %d messages are found, want %d", n, got, n*long)
				}
			}
		}
		must(t, w.Commit(t.Context()))
	})
	const sessions = workers * each * 3 / 4
	if got := search(t, s, "shared", 1, 0).Pagination.Total; got != sessions*long {
		t.Errorf("%d messages are found, want %d", got, sessions*long)
	}
	list, total, err := s.List(t.Context(), retold.Filter{}, -1, 0)
	if err != nil || total != sessions {
		t.Errorf("%d sessions, want %d: %v", total, sessions, err)
	}
	for i := range list {
		same(t, messages(list[i].ID), messagesOf(t, s, list[i].Key, 0))
	}
}
