package journal_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/journal"
)

// longSession is one session of 5,000 messages and the 500 commits it became.
func longSession(tb testing.TB) (*shelf, *git.Repo, []string) {
	tb.Helper()
	at := time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)
	h, repoAt := &shelf{}, &stream{}
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("pkg/file%d.go", i)] = fmt.Sprintf("package pkg // %d\n", i)
	}
	repoAt.commit(at.Add(-time.Hour), "Start", files)
	s := h.session("long", "", at)
	for i := range 1000 {
		path := fmt.Sprintf("pkg/file%d.go", i%20)
		var added []string
		for k := range 12 {
			added = append(added, fmt.Sprintf("func step%dPart%d() int { return compute(%d, %d) }", i, k, i*31, k*17))
		}
		s.prompt(fmt.Sprintf("Add step %d to %s, please.", i, path))
		s.answer("I will add the functions that the step needs.")
		s.shell("go vet ./...", strings.Repeat("ok pkg 0.1s\n", 40))
		s.edit(path, fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1,0 +1,%d @@\n+%s\n", path, path, len(added), strings.Join(added, "\n+")))
		s.answer("Done: " + strings.Repeat("it is all there and tested. ", 20))
		files[path] += strings.Join(added, "\n") + "\n"
		if i%2 == 1 {
			last := fmt.Sprintf("pkg/file%d.go", (i-1)%20)
			repoAt.commit(s.at.Add(time.Second), fmt.Sprintf("Steps to %d", i), map[string]string{path: files[path], last: files[last]})
		}
	}
	repo, ids := repoAt.build(tb)
	h.kept[0].WorkspacePath, h.kept[0].UpdatedAt = repo.Root, s.at
	return h, repo, ids
}

// BenchmarkExplain explains the last commit of a long session: "new" by a journal
// that has never read it, "read" by one that has its digest, "known" once more.
func BenchmarkExplain(b *testing.B) {
	h, repo, ids := longSession(b)
	last := ids[len(ids)-1]
	explain := func(b *testing.B, j *journal.Journal, id string) {
		a, err := j.Explain(b.Context(), repo, id)
		if err != nil {
			b.Fatal(err)
		}
		if a.Class != journal.ClassLinked {
			b.Fatalf("%s is %s: %s", id, a.Class, a.Reason)
		}
	}
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			explain(b, journal.New(journal.Options{History: h, Cache: &pad{}}), last)
		}
	})
	b.Run("read", func(b *testing.B) {
		cache := &pad{}
		explain(b, journal.New(journal.Options{History: h, Cache: cache}), ids[len(ids)-2])
		n := 0
		for b.Loop() {
			n++
			explain(b, journal.New(journal.Options{History: h, Cache: cache}), ids[len(ids)-2-n%300])
		}
	})
	b.Run("known", func(b *testing.B) {
		j := journal.New(journal.Options{History: h, Cache: &pad{}})
		explain(b, j, last)
		for b.Loop() {
			explain(b, j, last)
		}
	})
}

// BenchmarkDigest reads a session of 5,000 messages.
func BenchmarkDigest(b *testing.B) {
	h, _, _ := longSession(b)
	messages := h.messages[h.kept[0].Key]
	for b.Loop() {
		if len(journal.Digest(messages)) == 0 {
			b.Fatal("nothing")
		}
	}
}

// BenchmarkExplainAll explains 500 commits.
func BenchmarkExplainAll(b *testing.B) {
	h, repo, ids := longSession(b)
	for b.Loop() {
		n := 0
		for a, err := range journal.New(journal.Options{History: h, Cache: &pad{}}).ExplainAll(b.Context(), repo, ids) {
			if err != nil {
				b.Fatal(err)
			}
			if a.Class == journal.ClassLinked {
				n++
			}
		}
		if n != len(ids)-1 {
			b.Fatalf("%d of %d commits are linked", n, len(ids))
		}
	}
}

// BenchmarkLine asks for one line of a file again and again.
func BenchmarkLine(b *testing.B) {
	h, repo, _ := longSession(b)
	j := journal.New(journal.Options{History: h, Cache: &pad{}})
	for b.Loop() {
		w, err := j.Line(b.Context(), repo, "HEAD", "pkg/file3.go", 300)
		if err != nil {
			b.Fatal(err)
		}
		if w.Class != journal.ClassLinked {
			b.Fatalf("%+v", w)
		}
	}
}
