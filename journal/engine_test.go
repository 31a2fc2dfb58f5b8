package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

var monday = time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)

func diffOf(path string, lines ...string) string {
	var removed, added int
	for _, l := range lines {
		if l[0] == '-' {
			removed++
		} else {
			added++
		}
	}
	return fmt.Sprintf("--- a/%s\n+++ b/%s\n@@ -1,%d +1,%d @@\n%s\n", path, path, removed, added, strings.Join(lines, "\n"))
}

// spoken is a session of two edits in two turns that became two commits.
func spoken(t *testing.T) (h *shelf, j *journal.Journal, cache *pad, ids []string, repo func() string, build *stream) {
	t.Helper()
	h, build, cache = &shelf{}, &stream{}, &pad{}
	build.commit(monday.Add(-time.Hour), "Start", map[string]string{"shop.go": "package shop\n"})
	s := h.session("s", "", monday)
	s.prompt("Add up the prices of a basket.")
	s.edit("shop.go", diffOf("shop.go", "+", "+func total(prices []int) (sum int) {", "+\tfor _, price := range prices {", "+\t\tsum += price", "+\t}", "+\treturn sum", "+}"))
	build.commit(s.at.Add(time.Minute), "Add up", map[string]string{"shop.go": "package shop\n\nfunc total(prices []int) (sum int) {\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n"})
	s.at = s.at.Add(2 * time.Minute)
	s.prompt("Take ten percent off.")
	s.edit("shop.go", diffOf("shop.go", "-\treturn sum", "+\treturn sum - discountOf(sum)", "+}", "+", "+func discountOf(sum int) int {", "+\treturn sum / 10"))
	h.kept[0].UpdatedAt = s.at
	build.commit(s.at.Add(time.Minute), "Ten percent off", map[string]string{"shop.go": "package shop\n\nfunc total(prices []int) (sum int) {\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum - discountOf(sum)\n}\n\nfunc discountOf(sum int) int {\n\treturn sum / 10\n}\n"})
	return h, journal.New(journal.Options{History: h, Notebook: &pad{}, Cache: cache}), cache, nil, nil, build
}

func TestExplain(t *testing.T) {
	h, j, cache, _, _, build := spoken(t)
	repo, ids := build.build(t)
	h.kept[0].WorkspacePath = repo.Root
	var got []string
	for a, err := range j.ExplainAll(t.Context(), repo, ids) {
		if err != nil {
			t.Fatal(err)
		}
		line := string(a.Class)
		for _, l := range a.Links {
			line += fmt.Sprintf(" %s#%s %s %d", l.SessionID, l.MessageID, l.Class, l.Lines)
		}
		for _, s := range a.Spans {
			line += fmt.Sprintf(" [%d-%d]", s.From, s.To)
		}
		got = append(got, line)
	}
	want := []string{"none", "linked s#s-0 linked 7 [0-1]", "linked s#s-2 linked 5 s#s-0 possible 0 [2-3]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := h.reads.Load(); n != 1 {
		t.Errorf("the session was read %d times", n)
	}
	// Another journal reads no session: what it did is in the cache.
	later := journal.New(journal.Options{History: h, Cache: cache})
	a, err := later.Explain(t.Context(), repo, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if a.Class != journal.ClassLinked || a.Links[0].Key != retold.KeyOf("cursor", "s") || a.Links[0].Last != 3 || len(a.Spans) != 1 || a.Spans[0].Key.ID != "s" || h.reads.Load() != 1 {
		t.Errorf("%+v after %d reads", a, h.reads.Load())
	}
	// When the session changes it is read again.
	h.kept[0].Revision++
	if _, err := later.Explain(t.Context(), repo, "HEAD"); err != nil || h.reads.Load() != 2 {
		t.Errorf("%v after %d reads", err, h.reads.Load())
	}
}

func TestLine(t *testing.T) {
	h, j, _, _, _, build := spoken(t)
	build.commit(monday.Add(3*time.Hour), "Break lines elsewhere", map[string]string{"shop.go": "package shop\n\nfunc total(\n\tprices []int,\n) (sum int) {\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum - discountOf(sum)\n}\n\nfunc discountOf(sum int) int {\n\treturn sum / 10\n}\n"})
	repo, _ := build.build(t)
	h.kept[0].WorkspacePath = repo.Root
	var got []string
	for w, err := range j.File(t.Context(), repo, "HEAD", "shop.go") {
		if err != nil {
			t.Fatal(err)
		}
		who := "-"
		if w.MessageID != nil {
			who = *w.MessageID
		}
		got = append(got, fmt.Sprintf("%s %d %s", who, len(w.Through), w.Text))
	}
	want := []string{
		"- 0 package shop", "s-1 0 ", "s-1 1 func total(", "s-1 1 \tprices []int,", "s-1 1 ) (sum int) {", "s-1 0 \tfor _, price := range prices {", "s-1 0 \t\tsum += price",
		"s-1 0 \t}", "s-3 0 \treturn sum - discountOf(sum)", "s-3 0 }", "s-3 0 ", "s-3 0 func discountOf(sum int) int {", "s-3 0 \treturn sum / 10", "s-1 0 }",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	w, err := j.Line(t.Context(), repo, "", "shop.go", 9)
	if err != nil {
		t.Fatal(err)
	}
	if w.Prompt == nil || *w.Prompt != "Take ten percent off." || w.Class != journal.ClassLinked || len(w.Evidence) == 0 {
		t.Errorf("%+v", w)
	}
	if _, err := j.Line(t.Context(), repo, "HEAD", "shop.go", 99); err == nil {
		t.Error("line 99 is there")
	}
}

// A line that is not committed yet is known by the edit that wrote it.
func TestLineUncommitted(t *testing.T) {
	h, _, cache, _, _, build := spoken(t)
	repo, _ := build.build(t)
	h.kept[0].WorkspacePath = repo.Root
	s := &teller{h: h, at: monday.Add(time.Hour), kept: &h.kept[0], key: h.kept[0].Key}
	s.prompt("Say what it costs.")
	id := s.edit(filepath.Join(repo.Root, "shop.go"), diffOf("shop.go", "+func label(sum int) string { return fmt.Sprint(sum) }"))
	path := filepath.Join(repo.Root, "shop.go")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(text, "func label(sum int) string { return fmt.Sprint(sum) }\n// mine is this line\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	j := journal.New(journal.Options{History: h, Cache: cache, Now: func() time.Time { return monday.Add(2 * time.Hour) }})
	last := 1 + strings.Count(string(text), "\n")
	w, err := j.Line(t.Context(), repo, "", "shop.go", last)
	if err != nil {
		t.Fatal(err)
	}
	if w.Commit != nil || w.MessageID == nil || *w.MessageID != id {
		t.Errorf("%+v", w)
	}
	if w, err = j.Line(t.Context(), repo, "", "shop.go", last+1); err != nil || w.Class != journal.ClassNone || w.SessionID != nil {
		t.Errorf("%+v, %v", w, err)
	}
}

// Sessions come in any order, and the answer is the same.
func TestExplainIsDeterministic(t *testing.T) {
	h, build := &shelf{}, &stream{}
	build.commit(monday, "Start", map[string]string{"a.go": "package a\n"})
	text := "package a\n"
	for i := range 4 {
		l := fmt.Sprintf("var theSameLineInAllOfThem = computeIt(%d)", i/2)
		s := h.session(fmt.Sprintf("s%d", i), "", monday.Add(time.Minute))
		s.prompt("Compute it.")
		s.edit("a.go", diffOf("a.go", "+"+l))
		if i%2 == 0 {
			text += l + "\n"
		}
	}
	build.commit(monday.Add(time.Hour), "Compute", map[string]string{"a.go": text})
	repo, _ := build.build(t)
	var first *journal.Attribution
	for range 8 {
		for i := range h.kept {
			h.kept[i].WorkspacePath = repo.Root
		}
		a, err := journal.New(journal.Options{History: h}).Explain(t.Context(), repo, "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = a
			if !a.Links[0].Uncertain {
				t.Errorf("two sessions wrote the same line: %+v", a.Links[0])
			}
		}
		if diff := cmp.Diff(first, a); diff != "" {
			t.Fatal(diff)
		}
		h.kept = append(h.kept[1:], h.kept[0])
	}
}
