package journal_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/journal"
)

// files asks who wrote every line of every file as it lies there in the end,
// committed or not, and about one line alone.
func (g *judge) files(ctx context.Context, st *stage, hear func(*verdict)) {
	for i, p := range st.places() {
		v := &verdict{e: &expected{scenario: &st.s, label: "files of " + p.name}}
		v.err = g.everyFile(ctx, st, p, i == 0, v)
		hear(v)
	}
}

// places are the folders that are still there.
func (st *stage) places() (list []*stagePlace) {
	for _, name := range slices.Sorted(maps.Keys(st.repos)) {
		p := st.repos[name]
		if _, err := os.Stat(filepath.Join(p.dir, ".git")); err == nil && !p.elsewhere && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

func (g *judge) everyFile(ctx context.Context, st *stage, p *stagePlace, alone bool, v *verdict) error {
	repo, err := git.Open(ctx, p.dir)
	if err != nil {
		return err
	}
	st.here = p
	tracked, err := st.run("git", "-c", "core.quotePath=false", "ls-files", "-z")
	if err != nil {
		return err
	}
	for path := range strings.SplitSeq(strings.TrimSuffix(tracked, "\x00"), "\x00") {
		truth := p.ledger.files[path]
		if !slices.ContainsFunc(truth, func(w written) bool { return w.who != "me" && w.who != "" }) {
			continue // nobody but the person was ever at it
		}
		var lines []*journal.LineWhy
		for w, err := range g.j.File(ctx, repo, "", path) {
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			lines = append(lines, w)
		}
		if len(lines) != len(truth) {
			return fmt.Errorf("%s has %d lines, not %d", path, len(lines), len(truth))
		}
		for i, w := range lines {
			g.line(v, path, i, w, truth[i])
		}
		if !alone {
			continue
		}
		alone = false // one line of one file has to do
		middle := len(lines) / 2
		single, err := g.j.Line(ctx, repo, "", path, middle+1)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, middle+1, err)
		}
		if diff := cmp.Diff(lines[middle], single); diff != "" {
			return fmt.Errorf("%s:%d alone is not what it is among the others: %s", path, middle+1, diff)
		}
	}
	return nil
}

func (g *judge) line(v *verdict, path string, i int, w *journal.LineWhy, truth written) {
	if w.Text != truth.text && strings.TrimSuffix(w.Text, "\r") != truth.text {
		v.err = fmt.Errorf("%s:%d is %q, not %q", path, i+1, w.Text, truth.text)
	}
	if truth.who == "" || !significant(truth.text) {
		return
	}
	said := ""
	if w.Class == journal.ClassLinked && w.SessionID != nil && w.PromptID != nil {
		said = g.ref(v.e.scenario, *w.SessionID, *w.PromptID)
	}
	c := compareLine(truth.who, said)
	v.lines.add(c)
	if c.wrong+c.missed > 0 {
		v.said = append(v.said, fmt.Sprintf("line %s:%d is %s's, said to be %q: %s (%s)", path, i+1, truth.who, said, truth.text, w.Reason))
	}
}
