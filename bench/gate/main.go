// Command gate compares the speed of two revisions of retold and fails when the
// new one is slower.
//
//	go run ./bench/gate -old HEAD~1 -new HEAD
//
// It builds both, makes a small history, and runs every measure of one beside
// that of the other, round by round, so that a busy machine slows both alike.
// What counts are the medians, by limits.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
)

func main() { bench.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("gate", flag.ContinueOnError)
	older := flags.String("old", "HEAD", "`revision` to compare with")
	newer := flags.String("new", "", "`revision` to judge; none: the files as they lie here")
	size := flags.Int64("size", 96, "megabytes of history to measure on")
	rounds := flags.Int("n", 9, "rounds; every measure runs once in each, for both revisions")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "retold-gate-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var sides []*side
	for _, s := range []struct{ name, revision string }{{"old", *older}, {"new", *newer}} {
		binary := filepath.Join(dir, "retold-"+s.name)
		if err := build(ctx, s.revision, filepath.Join(dir, s.name), binary); err != nil {
			return fmt.Errorf("build %s: %w", s.name, err)
		}
		sides = append(sides, &side{binary: binary, home: filepath.Join(dir, "library-"+s.name)})
	}
	made, err := bench.Make(ctx, filepath.Join(dir, "history"), bench.Options{Size: *size << 20, Seed: 1})
	if err != nil {
		return err
	}
	verdicts, err := compare(ctx, made, sides[0], sides[1], *rounds)
	if err != nil {
		return err
	}
	report := cost.NewReport(out)
	report.Say("%d MB, %d messages; medians of %d interleaved rounds\n\n%s", *size, made.Bubbles, *rounds, table(verdicts))
	return errors.Join(judge(verdicts), report.Err())
}

// judge returns an error that names what is slower than its limit.
func judge(verdicts []verdict) error {
	var slower []string
	for _, v := range verdicts {
		if v.tooMuch() {
			slower = append(slower, v.name)
		}
	}
	if len(slower) > 0 {
		return fmt.Errorf("the new revision is over the limit in %s", strings.Join(slower, "; "))
	}
	return nil
}
