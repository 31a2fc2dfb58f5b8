package journal_test

import (
	"fmt"
	"strings"
	"testing"
)

// A sumRow is what one sort of commits comes to.
type sumRow struct {
	commits         int
	sessions, turns rightWrong
	lines           rightWrong
	falseCommits    int // with a link that is not so
}

func (r *sumRow) add(v *verdict) {
	r.commits++
	r.sessions.add(v.sessions)
	r.turns.add(v.turns)
	r.lines.add(v.lines)
	if v.sessions.wrong > 0 {
		r.falseCommits++
	}
}

// A corpusSummary is what all of it comes to.
type corpusSummary struct {
	answers, controls, scenery sumRow
	heldAnswers, heldControls  sumRow
	kinds                      map[string]*sumRow // of controls
	order                      []string
	head                       rightWrong // lines of the files as they are at the end
}

func (s *corpusSummary) add(v *verdict) {
	switch {
	case !v.e.scored:
		s.scenery.add(v)
	case len(v.e.from) > 0 && v.e.scenario.held:
		s.heldAnswers.add(v)
	case len(v.e.from) > 0:
		s.answers.add(v)
	case v.e.scenario.held:
		s.heldControls.add(v)
	default:
		s.controls.add(v)
	}
	if v.e.scored && len(v.e.from) == 0 {
		if s.kinds == nil {
			s.kinds = map[string]*sumRow{}
		}
		if s.kinds[v.e.kind] == nil {
			s.kinds[v.e.kind] = &sumRow{}
			s.order = append(s.order, v.e.kind)
		}
		s.kinds[v.e.kind].add(v)
	}
}

func (s *corpusSummary) check(t *testing.T) {
	t.Helper()
	for name, r := range map[string]*sumRow{"answers": &s.answers, "controls": &s.controls, "scenery": &s.scenery, "held answers": &s.heldAnswers, "held controls": &s.heldControls} {
		if r.falseCommits > 0 {
			t.Errorf("%s: %d commits are linked to a conversation that did not make them", name, r.falseCommits)
		}
	}
	answers, controls := s.answers, s.controls
	answers.merge(s.heldAnswers)
	controls.merge(s.heldControls)
	if answers.commits < leastAnswerCommits || controls.commits < leastControlCommits {
		t.Errorf("only %d commits with an answer and %d without", answers.commits, controls.commits)
	}
	if r := answers.sessions.recall(); r < leastCommitRecall {
		t.Errorf("%.1f %% of the conversations behind commits are found, at least %.0f %% have to be", r, leastCommitRecall)
	}
	lines := answers.lines
	lines.add(controls.lines)
	lines.add(s.head)
	if p := lines.precision(); p < leastLinePrecision {
		t.Errorf("%.2f %% of the lines that are said to be somebody's are, at least %.0f %% have to be", p, leastLinePrecision)
	}
	if r := lines.recall(); r < leastLineRecall {
		t.Errorf("%.2f %% of the agent's lines are found, at least %.0f %% have to be", r, leastLineRecall)
	}
}

func (r *sumRow) merge(o sumRow) {
	r.commits += o.commits
	r.falseCommits += o.falseCommits
	r.sessions.add(o.sessions)
	r.turns.add(o.turns)
	r.lines.add(o.lines)
}

func (s *corpusSummary) markdown() string {
	var b strings.Builder
	b.WriteString("| commits | number | conversations: found | false | turns: found | false | lines: right | wrong | missed |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range []struct {
		name string
		sumRow
	}{
		{"with a conversation behind them", s.answers},
		{"the same, held out", s.heldAnswers},
		{"controls: nobody's", s.controls},
		{"controls, held out", s.heldControls},
		{"scenery: first commits and the like", s.scenery},
	} {
		found, turns := "", ""
		if n := r.sessions.right + r.sessions.missed; n > 0 {
			found = fmt.Sprintf("%d of %d (%.1f %%)", r.sessions.right, n, r.sessions.recall())
			turns = fmt.Sprintf("%d of %d (%.1f %%)", r.turns.right, r.turns.right+r.turns.missed, r.turns.recall())
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %s | %d | %d | %d | %d |\n", r.name, r.commits, found, r.sessions.wrong, turns, r.turns.wrong, r.lines.right, r.lines.wrong, r.lines.missed)
	}
	lines := s.answers.lines
	lines.add(s.heldAnswers.lines)
	lines.add(s.controls.lines)
	lines.add(s.heldControls.lines)
	fmt.Fprintf(&b, "\nLines that commits add: precision %.2f %%, recall %.2f %%.\n", lines.precision(), lines.recall())
	fmt.Fprintf(&b, "Lines of files as they are in the end (`why FILE:LINE`): %d right, %d wrong, %d missed; precision %.2f %%, recall %.2f %%.\n",
		s.head.right, s.head.wrong, s.head.missed, s.head.precision(), s.head.recall())
	b.WriteString("\n| controls | commits | with a false link |\n|---|---:|---:|\n")
	for _, k := range s.order {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", k, s.kinds[k].commits, s.kinds[k].falseCommits)
	}
	return b.String()
}
