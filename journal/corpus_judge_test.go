package journal_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/journal"
)

// A verdict is how the answer about one commit compares with what happened.
type verdict struct {
	e        *expected
	sessions rightWrong // linked sessions
	turns    rightWrong // linked turns
	lines    rightWrong // lines the commit adds
	said     []string
	err      error
}

// A judge knows which session is whose.
type judge struct {
	told  *told
	names map[string]string // of a session: "scenario/A"
	j     *journal.Journal
	alone bool // nobody made anything
}

func newJudge(all *told, stages []*stage) *judge {
	g := &judge{told: all, names: map[string]string{}}
	for _, st := range stages {
		for _, k := range st.order {
			g.names[k.id] = st.s.name + "/" + k.name
		}
	}
	g.j = journal.New(journal.Options{History: all, Notebook: &pad{}, Cache: &pad{}})
	return g
}

// ref names a turn by a message in it, as the scenario does: "A#2".
func (g *judge) ref(s *scenario, session, message string) string {
	name := strings.TrimPrefix(g.names[session], s.name+"/")
	if name == "" {
		name = session
	}
	return fmt.Sprintf("%s#%d", name, g.told.turns[session+"/"+message])
}

// stage judges all commits of a stage: those before a move where they were made,
// then all once more where that changed.
func (g *judge) stage(ctx context.Context, st *stage, hear func(*verdict)) {
	fail := func(err error) bool {
		if err != nil {
			hear(&verdict{e: st.commits[0], err: err})
		}
		return err != nil
	}
	for _, m := range st.moves {
		if fail(os.Rename(m.to, m.from)) {
			return
		}
		g.ask(ctx, st, m.from, m.from, hear)
		if fail(os.Rename(m.from, m.to)) {
			return
		}
		g.ask(ctx, st, m.from, m.to, hear)
	}
	for _, dir := range st.dirs() {
		if !slices.ContainsFunc(st.moves, func(m folderMove) bool { return m.from == dir }) {
			g.ask(ctx, st, dir, dir, hear)
		}
	}
	for _, c := range st.later {
		st.here = st.repos[c.args[0]]
		if _, err := st.shell(c.body); fail(err) {
			return
		}
		for _, dir := range st.dirs() {
			if _, err := os.Stat(dir); err != nil {
				g.ask(ctx, st, dir, st.here.dir, hear)
			}
		}
	}
}

// places judges all commits of a stage where they lie.
func (g *judge) places(ctx context.Context, st *stage, hear func(*verdict)) {
	for _, dir := range st.dirs() {
		if _, err := os.Stat(dir); err == nil {
			g.ask(ctx, st, dir, dir, hear)
		}
	}
}

// dirs are the repositories that have commits.
func (st *stage) dirs() []string {
	seen := map[string]bool{}
	for _, e := range st.commits {
		seen[e.dir] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// ask asks about the commits made in one folder, in the same or another.
func (g *judge) ask(ctx context.Context, st *stage, from, in string, hear func(*verdict)) {
	var list []*expected
	var ids []string
	for _, e := range st.commits {
		if e.dir != from {
			continue
		}
		again := *e
		if from != in {
			again.label += ", folder gone"
		}
		if g.alone {
			again.from, again.maybe = nil, nil
		}
		list, ids = append(list, &again), append(ids, e.id)
	}
	repo, err := git.Open(ctx, in)
	if err != nil {
		hear(&verdict{e: list[0], err: err})
		return
	}
	added, err := addedLines(ctx, st, in, ids)
	if err != nil {
		hear(&verdict{e: list[0], err: err})
		return
	}
	i := 0
	for a, err := range g.j.ExplainAll(ctx, repo, ids) {
		v := &verdict{e: list[i], err: err}
		if err == nil {
			g.links(v, a)
			g.lines(v, a, added[v.e.id])
		}
		hear(v)
		i++
	}
}

func (g *judge) links(v *verdict, a *journal.Attribution) {
	e := v.e
	var sessions, turns, want, allowed []string
	add := func(to *[]string, s string) {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	for _, l := range a.Links {
		if l.Class == journal.ClassLinked {
			ref := g.ref(e.scenario, l.SessionID, l.MessageID)
			turns = append(turns, ref)
			add(&sessions, sessionOf(ref))
		}
	}
	for _, r := range e.from {
		add(&want, sessionOf(r))
		add(&allowed, sessionOf(r))
	}
	for _, r := range e.maybe {
		add(&allowed, sessionOf(r))
	}
	v.turns = compareRefs(e.from, slices.Concat(e.from, e.maybe), turns)
	v.sessions = compareRefs(want, allowed, sessions)
	if v.turns.wrong+v.turns.missed+v.sessions.wrong > 0 {
		v.said = append(v.said, fmt.Sprintf("links %v, want %v; class %s, %s", turns, e.from, a.Class, a.Reason))
		for _, l := range a.Links {
			v.said = append(v.said, fmt.Sprintf("   %s %s %.1f %v", l.Class, g.ref(e.scenario, l.SessionID, l.MessageID), l.Score, evidenceOf(l)))
		}
	}
}

func evidenceOf(l journal.Link) (list []string) {
	for _, e := range l.Evidence {
		list = append(list, fmt.Sprintf("%s %+.1f (%s)", e.Kind, e.Weight, e.Detail))
	}
	return list
}

func sessionOf(ref string) string { s, _, _ := strings.Cut(ref, "#"); return s }

// lines compares who is said to have written each line that the commit adds. Only
// significant lines count: of two closing braces git itself cannot say which is new. Lines whose writer is not one of the commit's (moved, formatted)
// are no question of this commit's.
func (g *judge) lines(v *verdict, a *journal.Attribution, added map[string][]int) {
	for path, numbers := range added {
		truth := v.e.files[path]
		said := map[int]string{}
		for _, f := range a.Files {
			if f.Path != path {
				continue
			}
			for _, w := range f.Wrote {
				for n := w.From; n <= w.To; n++ {
					said[n] = g.ref(v.e.scenario, w.SessionID, w.PromptID)
				}
			}
		}
		for _, n := range numbers {
			if n > len(truth) || !significant(truth[n-1].text) {
				continue
			}
			who := truth[n-1].who
			if g.alone {
				who = "me"
			}
			if who != "me" && !slices.Contains(v.e.from, who) {
				continue
			}
			c := compareLine(who, said[n])
			v.lines.add(c)
			if c.wrong+c.missed > 0 {
				v.said = append(v.said, fmt.Sprintf("   line %s:%d is %s's, said to be %q: %s", path, n, who, said[n], truth[n-1].text))
			}
		}
	}
}

// significant reports whether a line has four letters or digits: "});", "end" and
// the like are left out.
func significant(s string) bool {
	n := 0
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n >= 4
}
