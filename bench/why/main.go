// Command why measures how well and how fast commits find their conversations, on
// a real repository: it makes up the conversations that could have led to some of
// its commits, leaves others without one, lets still others have a conversation
// that worked in the same files at the same time and wrote something else, and
// compares what is found with what was made up.
//
//	go build -o /tmp/retold ./cmd/retold
//	go run ./bench/why -repo DIR -n 500 -retold /tmp/retold
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/library"
)

func main() { bench.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("why", flag.ContinueOnError)
	dir := flags.String("repo", ".", "the repository")
	n := flags.Int("n", 500, "how many of its newest commits")
	seed := flags.Uint64("seed", 1, "seed of all randomness")
	program := flags.String("retold", "", "the retold to time; none: only what is found is measured")
	long := flags.Int("long", 5000, "messages of a session that every timed commit has to look at")
	if err := flags.Parse(args); err != nil {
		return err
	}
	repo, err := git.Open(ctx, *dir)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "retold-why-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	h := &history{random: rand.New(rand.NewPCG(*seed, 7)), root: repo.Root, truth: map[string]*truth{}} //nolint:gosec // a benchmark
	if err := h.make(ctx, repo, *n, *long, filepath.Join(home, "User")); err != nil {
		return err
	}
	r := &report{Repository: filepath.Base(repo.Root), Commits: len(h.ids), Sessions: h.sessions, Messages: h.messages}
	if *program != "" {
		// First: a process begins its life as large as the one that starts it.
		debug.FreeOSMemory()
		if err := r.time(ctx, *program, repo.Root, h, home); err != nil {
			return err
		}
	}
	if err := r.judge(ctx, repo, h, home); err != nil {
		return err
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// A report is what was found, and how long it took.
type report struct {
	Repository string `json:"repository"`
	Commits    int    `json:"commits"`
	Sessions   int    `json:"sessions"`
	Messages   int    `json:"messages"`

	Answers       int      `json:"answers"` // commits that a conversation wrote telling lines of
	Linked        int      `json:"linked"`  // of these, to the right one
	Controls      int      `json:"controls"`
	False         int      `json:"false"` // links to a conversation that did not write it
	Lines         int      `json:"lines"` // lines that a conversation wrote
	LinesRight    int      `json:"linesRight"`
	LinesWrong    int      `json:"linesWrong"` // attributed, to nobody or another one in truth
	FalseExamples []string `json:"falseExamples,omitempty"`
	Missed        []string `json:"missed,omitempty"`

	ExplainMS float64            `json:"explainMs"` // all commits, digests included
	Timed     map[string]float64 `json:"timed,omitempty"`
	PeakMB    map[string]float64 `json:"peakMB,omitempty"`
}

// judge explains every commit and compares.
func (r *report) judge(ctx context.Context, repo *git.Repo, h *history, home string) (err error) {
	l, err := library.Open(ctx, library.Options{CursorUser: []string{filepath.Join(home, "User")}, Home: filepath.Join(home, "judge")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if _, err := l.Sync(ctx, library.SyncOptions{}); err != nil {
		return err
	}
	j, err := l.Journal(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	for a, err := range j.ExplainAll(ctx, repo, h.ids) {
		if err != nil {
			return err
		}
		r.compare(a, h.truth[a.Commit])
	}
	r.ExplainMS = float64(time.Since(began).Microseconds()) / 1000
	return nil
}

func (r *report) compare(a *journal.Attribution, t *truth) {
	right := false
	for _, l := range a.Links {
		if l.Class != journal.ClassLinked {
			continue
		}
		if t != nil && l.SessionID == t.session {
			right = true
			continue
		}
		r.False++
		if len(r.FalseExamples) < 10 {
			r.FalseExamples = append(r.FalseExamples, fmt.Sprintf("%s to %s: %+v", a.Commit, l.SessionID, l.Evidence))
		}
	}
	switch {
	case t == nil || !t.telling:
		r.Controls++
	case right:
		r.Answers++
		r.Linked++
	default:
		r.Answers++
		if len(r.Missed) < 10 {
			r.Missed = append(r.Missed, fmt.Sprintf("%s (%s): %s", a.Commit, t.session, a.Reason))
		}
	}
	if t != nil {
		r.lines(a, t)
	}
}

func (r *report) lines(a *journal.Attribution, t *truth) {
	for _, lines := range t.lines {
		r.Lines += len(lines)
	}
	for _, f := range a.Files {
		for _, w := range f.Wrote {
			for line := w.From; line <= w.To; line++ {
				if w.SessionID == t.session && t.lines[f.Path][line] {
					r.LinesRight++
				} else {
					r.LinesWrong++
				}
			}
		}
	}
}
