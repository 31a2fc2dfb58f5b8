package journal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/journal"
)

// The judge sees what is wrong: a link to another's session, a link that is
// missing, a line given to the wrong turn or to anybody at all.
func TestCorpusJudges(t *testing.T) {
	s := &scenario{name: "s"}
	g := &judge{
		told:  &told{turns: map[string]int{"a/p1": 1, "a/p2": 2, "b/p1": 1}},
		names: map[string]string{"a": "s/A", "b": "other/B"},
	}
	v := &verdict{e: &expected{scenario: s, from: []string{"A#1"}, files: map[string][]written{
		"f": {{"first line", "A#1"}, {"second line", "A#1"}, {"third line", "me"}, {"}", "me"}, {"fifth line", "A#1"}},
	}}}
	a := &journal.Attribution{
		Links: []journal.Link{
			{SessionID: "b", MessageID: "p1", Class: journal.ClassLinked},
			{SessionID: "a", MessageID: "p2", Class: journal.ClassLinked},
			{SessionID: "a", MessageID: "p1", Class: journal.ClassPossible},
		},
		Files: []journal.FileLines{{Path: "f", Wrote: []journal.Wrote{
			{From: 1, To: 1, SessionID: "a", PromptID: "p1"},
			{From: 2, To: 4, SessionID: "a", PromptID: "p2"},
		}}},
	}
	g.links(v, a)
	g.lines(v, a, map[string][]int{"f": {1, 2, 3, 4, 5}})
	if want := (rightWrong{right: 1, wrong: 1}); v.sessions != want {
		t.Errorf("sessions %+v, want %+v", v.sessions, want)
	}
	if want := (rightWrong{wrong: 2, missed: 1}); v.turns != want {
		t.Errorf("turns %+v, want %+v", v.turns, want)
	}
	if want := (rightWrong{right: 1, wrong: 2, missed: 2}); v.lines != want {
		t.Errorf("lines %+v, want %+v", v.lines, want)
	}
}

// The ledger knows who wrote a line through edits, formatting and moves.
func TestCorpusLedger(t *testing.T) {
	l := newLedger()
	l.put("f", "one line\ntwo lines\n", "me")
	hunks, err := hunksOf(" one line\n-two lines\n+call(alpha, beta)\n+last line\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.edit("f", hunks, "A#1", false); err != nil {
		t.Fatal(err)
	}
	if err := l.format("f", "one line\ncall(\n  alpha,\n  beta,\n)\nlast line\n"); err == nil {
		want := []written{{"one line", "me"}, {"call(", "A#1"}, {"  alpha,", "A#1"}, {"  beta,", "A#1"}, {")", ""}, {"last line", "A#1"}}
		if diff := cmp.Diff(want, l.files["f"], cmp.AllowUnexported(written{})); diff != "" {
			t.Error(diff)
		}
	} else {
		t.Error(err)
	}
	if err := l.format("f", "one line\nanother text\n"); err == nil {
		t.Error("format took other words for white space")
	}
	if err := l.edit("f", [][]hunkLine{{{'-', "not there"}}}, "A#1", false); err == nil {
		t.Error("an edit of a line that is not there was made")
	}
	l.learn("g", "last line\nnew line\n", "B#1")
	if diff := cmp.Diff([]written{{"last line", "A#1"}, {"new line", "B#1"}}, l.files["g"], cmp.AllowUnexported(written{})); diff != "" {
		t.Error(diff)
	}
}
