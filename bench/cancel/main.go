// Command cancel measures how long a call takes to return after its context was
// cancelled, which is how long a person waits who types on, and an agent that
// gave up.
//
//	go run ./bench/make -o DIR -size 1G > made.json
//	go run ./bench/cancel -made made.json
//
// It only reads the history; its library is a temporary one.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
	"github.com/retold-history/retold/library"
)

func main() { bench.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("cancel", flag.ContinueOnError)
	file := flags.String("made", "made.json", "what bench/make printed")
	temp := flags.String("temp", "", "folder for the library, which is removed (default: the system's)")
	after := flags.Duration("after", 5*time.Millisecond, "cancel a call this long after it began")
	queries := flags.Int("queries", 40, "queries of each kind")
	rounds := flags.Int("n", 20, "rounds of everything else")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	var made bench.Made
	if err := json.Unmarshal(data, &made); err != nil {
		return fmt.Errorf("read %s: %w", *file, err)
	}
	classes, err := bench.Classes(ctx, &made, *queries)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(*temp, "retold-cancel-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	lib, err := library.Open(ctx, library.Options{CursorUser: []string{made.CursorUser}, CursorHome: []string{made.CursorHome}, Home: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lib.Close()) }()
	report := cost.NewReport(out)
	report.Say("| cancelled after %s, ms until it returned | runs | done before | p50 | p95 | worst |\n|---|---:|---:|---:|---:|---:|\n", *after)
	m := meter{lib: lib, after: *after, out: report}
	if err := m.all(ctx, classes, made.Longest.ID, *rounds); err != nil {
		return err
	}
	return report.Err()
}
