package journal_test

import (
	"context"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

// TestSays has a conversation whose edits are not known, or are others, and what
// Cursor itself recorded of it.
func TestSays(t *testing.T) {
	at := monday.Add(30 * time.Second)
	wrote := retold.Authored{ConversationID: "s", Path: "shop.go", First: at, Last: at, Lines: 3}
	late, elsewhere, other := wrote, wrote, wrote
	late.First, late.Last = at.Add(time.Hour), at.Add(time.Hour)
	elsewhere.Path, other.ConversationID = "bank.go", "t"
	for name, c := range map[string]struct {
		said   retold.Authored
		scored bool // Cursor counts the commit as a conversation's
		edits  bool // an edit of other lines of the file is known
		class  journal.Class
		weight float64
	}{
		"checked":                {wrote, true, false, journal.ClassLinked, 5},
		"not scored":             {wrote, false, false, journal.ClassNone, 0},
		"against the lines":      {wrote, true, true, journal.ClassPossible, 0},
		"after the commit":       {late, true, false, journal.ClassNone, 0},
		"another file":           {elsewhere, true, false, journal.ClassNone, 0},
		"a conversation unknown": {other, true, false, journal.ClassNone, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h, build := &shelf{}, &stream{}
			build.commit(monday.Add(-time.Hour), "Start", map[string]string{"shop.go": "package shop\n"})
			s := h.session("s", "", monday)
			s.prompt("Add up the prices of a basket.")
			if c.edits {
				s.edit("shop.go", diffOf("shop.go", "+", "+func discountOf(sum int) int {", "+\treturn sum / 10", "+}", "+var percent = discountOf(100)"))
			}
			h.kept[0].UpdatedAt = s.at
			build.commit(monday.Add(time.Minute), "Add up", map[string]string{"shop.go": "package shop\n\nfunc total(prices []int) (sum int) {\n\tfor _, price := range prices {\n\t\tsum += price\n\t}\n\treturn sum\n}\n"})
			repo, ids := build.build(t)
			h.kept[0].WorkspacePath = repo.Root
			says := &retold.Authorship{Wrote: []retold.Authored{c.said}, Commits: map[string]int{}, ProblemList: []retold.Problem{{Kind: retold.ProblemUnknown, Reason: "a table is missing"}}}
			if c.scored {
				says.Commits[ids[1]] = 3
			}
			j := journal.New(journal.Options{History: h, Says: func(context.Context) ([]*retold.Authorship, error) { return []*retold.Authorship{says}, nil }})
			a, err := j.Explain(t.Context(), repo, ids[1])
			if err != nil {
				t.Fatal(err)
			}
			weight := 0.0
			for _, l := range a.Links {
				for _, e := range l.Evidence {
					if e.Kind == journal.EvidenceCursor {
						weight += e.Weight
					}
				}
			}
			if a.Class != c.class || weight != c.weight || len(a.Problems) != 1 {
				t.Errorf("%s, %v by Cursor's record, problems %v: %+v", a.Class, weight, a.Problems, a.Links)
			}
		})
	}
}

// TestMadeByOtherCommands has conversations that ran git commands which bring their
// messages, and one that only printed what such a command once said.
func TestMadeByOtherCommands(t *testing.T) {
	for command, want := range map[string]journal.Class{
		"git revert --no-edit HEAD":      journal.ClassLinked,
		"cd . && git cherry-pick topic":  journal.ClassLinked,
		"git merge --continue":           journal.ClassLinked,
		"cat last-week.log # of the git": journal.ClassNone,
	} {
		h, build := &shelf{}, &stream{}
		build.commit(monday.Add(-time.Hour), "Start", map[string]string{"shop.go": "package shop\n\nconst percent = 10 // of every basket\n"})
		build.commit(monday.Add(time.Minute), "Revert \"Percent\"", map[string]string{"shop.go": "package shop\n"})
		repo, ids := build.build(t)
		s := h.session("s", repo.Root, monday)
		s.prompt("Take it back.")
		s.shell(command, "[main "+ids[1][:7]+"] Revert \"Percent\"\n 1 file changed, 2 deletions(-)\n")
		h.kept[0].UpdatedAt = s.at
		a, err := journal.New(journal.Options{History: h}).Explain(t.Context(), repo, ids[1])
		if err != nil {
			t.Fatal(err)
		}
		if a.Class != want {
			t.Errorf("%s: %s %+v", command, a.Class, a.Links)
		}
	}
}

// TestAfterTheCommit has a conversation that begins while the clocks may still
// differ: a few lines like the commit's are chance, most of what it wrote are not.
func TestAfterTheCommit(t *testing.T) {
	lines := []string{"+func discountOf(sum int) int {", "+\treturn sum / percentOff", "+var percentOff = 10 // for everybody"}
	for name, c := range map[string]struct {
		more []string
		want journal.Class
	}{
		"most of it":  {[]string{"+}"}, journal.ClassLinked},
		"a few of it": {[]string{"+func taxOf(sum int) int {", "+\treturn sum * taxRate / 100", "+var taxRate = 19 // it was 16", "+var freeOfTax = []string{\"books\"}", "+}"}, journal.ClassNone},
	} {
		t.Run(name, func(t *testing.T) {
			h, build := &shelf{}, &stream{}
			build.commit(monday.Add(-time.Hour), "Start", map[string]string{"shop.go": "package shop\n"})
			build.commit(monday, "Discounts", map[string]string{"shop.go": "package shop\n\nfunc discountOf(sum int) int {\n\treturn sum / percentOff\n}\n\nvar percentOff = 10 // for everybody\n"})
			repo, ids := build.build(t)
			s := h.session("s", repo.Root, monday.Add(time.Second))
			s.prompt("Prices, please.")
			s.edit("shop.go", diffOf("shop.go", append(append([]string{}, lines...), c.more...)...))
			h.kept[0].UpdatedAt = s.at
			a, err := journal.New(journal.Options{History: h}).Explain(t.Context(), repo, ids[1])
			if err != nil {
				t.Fatal(err)
			}
			if a.Class != c.want {
				t.Errorf("%s %+v", a.Class, a.Links)
			}
		})
	}
}
