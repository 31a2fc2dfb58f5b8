package journal_test

import (
	"testing"
	"time"

	"github.com/retold-history/retold/journal"
)

// BenchmarkWrite writes the entry of the last commit of a session of 5,000 messages
// that has its digest: what the hook's queue does.
func BenchmarkWrite(b *testing.B) {
	h, repo, ids := longSession(b)
	cache, book := &pad{}, newPaper()
	o := journal.WriteOptions{Folder: &journal.Folder{Path: b.TempDir(), Zone: time.UTC}}
	n := 0
	for b.Loop() {
		j := journal.New(journal.Options{History: h, Cache: cache, Notebook: book})
		n++
		if w, err := j.Write(b.Context(), repo, ids[len(ids)-1-n%300], o); err != nil || w.Entry.Class != journal.ClassLinked {
			b.Fatal(w, err)
		}
	}
}

// BenchmarkBackfill writes the entries of 500 commits.
func BenchmarkBackfill(b *testing.B) {
	h, repo, ids := longSession(b)
	for b.Loop() {
		j := journal.New(journal.Options{History: h, Cache: &pad{}, Notebook: newPaper()})
		n := 0
		for w, err := range j.Backfill(b.Context(), repo, ids, journal.WriteOptions{Folder: &journal.Folder{Path: b.TempDir(), Zone: time.UTC}}) {
			if err != nil {
				b.Fatal(err)
			}
			if n++; !w.Changed {
				b.Fatal("nothing was written of", w.Entry.Commit.ID)
			}
		}
		if n != len(ids) {
			b.Fatalf("%d of %d", n, len(ids))
		}
	}
}
