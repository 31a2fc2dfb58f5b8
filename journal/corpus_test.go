package journal_test

import (
	"context"
	"flag"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var printTable = flag.Bool("table", false, "print what the corpus found as Markdown, for docs/journal.md")

// The bars below which the engine must not fall.
const (
	leastCommitRecall   = 95.0
	leastLinePrecision  = 99.0
	leastLineRecall     = 95.0
	leastAnswerCommits  = 60
	leastControlCommits = 60
)

// TestCorpus plays every scenario of testdata/corpus with real repositories and
// real databases of Cursor's, asks about every commit, and holds the answers
// against what happened. One link that is not so fails it.
func TestCorpus(t *testing.T) {
	all := loadScenarios(t)
	root := t.TempDir()
	stages := playAll(t, all, root)
	var talks []*talk
	for _, st := range stages {
		talks = append(talks, st.order...)
	}
	t.Run("shuffled", func(t *testing.T) {
		asked := stages
		if !*printTable { // a third has to do
			asked = nil
			for i := 0; i < len(stages); i += 3 {
				asked = append(asked, stages[i])
			}
		}
		testShuffled(t, asked, filepath.Join(root, "shuffled"), append(late(talks), astray(stages, talks)...))
	})
	g := newJudge(readTalks(t, filepath.Join(root, "machine"), talks), stages)
	checkTold(t, g.told, stages)
	var sums corpusSummary
	for v := range g.verdicts(t, stages, (*judge).stage) {
		sums.add(v)
		if len(v.said) > 0 {
			t.Logf("%s %s (%s):\n   %s", v.e.scenario.name, v.e.label, v.e.kind, strings.Join(v.said, "\n   "))
		}
	}
	for v := range g.verdicts(t, stages, (*judge).files) {
		if sums.head.add(v.lines); len(v.said) > 0 {
			t.Logf("%s %s:\n   %s", v.e.scenario.name, v.e.label, strings.Join(v.said, "\n   "))
		}
	}
	sums.check(t)
	if *printTable || testing.Verbose() {
		t.Log("\n" + sums.markdown())
	}
}

// testShuffled asks who made the commits when every conversation was held months
// after them, and once more in another repository: none did.
func testShuffled(t *testing.T, stages []*stage, dir string, shuffled []*talk) {
	g := newJudge(readTalks(t, dir, shuffled), stages)
	for _, k := range shuffled {
		g.names[k.id] = "shuffled/" + k.name
	}
	g.alone = true
	commits := 0
	for v := range g.verdicts(t, stages, (*judge).places) {
		commits++
		if v.sessions.wrong+v.lines.wrong > 0 {
			t.Errorf("%s %s:\n   %s", v.e.scenario.name, v.e.label, strings.Join(v.said, "\n   "))
		}
	}
	t.Logf("%d conversations out of place, %d commits", len(shuffled), commits)
}

// verdicts judges all stages and yields what became of it.
func (g *judge) verdicts(t *testing.T, stages []*stage, how func(*judge, context.Context, *stage, func(*verdict))) func(func(*verdict) bool) {
	t.Helper()
	verdicts := make([][]*verdict, len(stages))
	inParallel(t.Context(), len(stages), func(ctx context.Context, i int) {
		how(g, ctx, stages[i], func(v *verdict) { verdicts[i] = append(verdicts[i], v) })
	})
	return func(yield func(*verdict) bool) {
		for _, list := range verdicts {
			for _, v := range list {
				if v.err != nil {
					t.Errorf("%s %s: %v", v.e.scenario.name, v.e.label, v.err)
				} else if !yield(v) {
					return
				}
			}
		}
	}
}

// playAll plays the scenarios, two at a time per processor, and returns them in
// their order. A scenario that does not play fails the test.
func playAll(t *testing.T, all []scenario, root string) []*stage {
	t.Helper()
	stages := make([]*stage, len(all))
	inParallel(t.Context(), len(all), func(ctx context.Context, i int) {
		st, err := play(ctx, all[i], filepath.Join(root, all[i].name))
		if err != nil {
			t.Error(err)
		}
		stages[i] = st
	})
	if t.Failed() {
		t.FailNow()
	}
	return stages
}

// inParallel calls do for 0 to n-1, a few at once.
func inParallel(ctx context.Context, n int, do func(context.Context, int)) {
	var wait sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0)+1)
	for i := range n {
		room <- struct{}{}
		wait.Go(func() {
			defer func() { <-room }()
			do(ctx, i)
		})
	}
	wait.Wait()
}
