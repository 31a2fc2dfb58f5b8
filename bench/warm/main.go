// Command warm measures retold inside one process that stays: search of every
// kind, the list, a look that finds nothing new, and messages that another
// process adds to a session until they can be found.
//
//	go run ./bench/make -o DIR -size 1G > made.json
//	go run ./bench/warm -made made.json
//
// It works on a copy of the history, because it writes to it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
	"github.com/retold-history/retold/library"
)

func main() {
	bench.Main(func(ctx context.Context, args []string, out io.Writer) error { return run(ctx, args, os.Stdin, out) })
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) (err error) {
	flags := flag.NewFlagSet("warm", flag.ContinueOnError)
	file := flags.String("made", "made.json", "what bench/make printed")
	temp := flags.String("temp", "", "folder for the copy and the library, which are removed (default: the system's)")
	queries := flags.Int("queries", 40, "queries of each kind")
	rounds := flags.Int("n", 20, "rounds of everything else")
	write := flags.String("write", "", "be the writer of this `DATABASE`: for each line of standard input, an id, add to that session")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *write != "" {
		return serve(ctx, *write, in, out)
	}
	data, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	var made bench.Made
	if err := json.Unmarshal(data, &made); err != nil {
		return fmt.Errorf("read %s: %w", *file, err)
	}
	dir, err := os.MkdirTemp(*temp, "retold-warm-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	report := cost.NewReport(out)
	m, err := newMeter(ctx, dir, &made, report)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.lib.Close()) }()
	return errors.Join(m.run(ctx, *queries, *rounds), report.Err())
}

// A meter measures one library.
type meter struct {
	lib  *library.Library
	made *bench.Made // with the paths of the copy
	out  *cost.Report
}

func newMeter(ctx context.Context, dir string, made *bench.Made, out *cost.Report) (*meter, error) {
	user, home := filepath.Join(dir, "User"), filepath.Join(dir, "cursor")
	if err := os.CopyFS(user, os.DirFS(made.CursorUser)); err != nil {
		return nil, err
	}
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	database, err := filepath.Rel(made.CursorUser, made.Database)
	if err != nil {
		return nil, err
	}
	copied := *made
	copied.CursorUser, copied.CursorHome, copied.Database = user, home, filepath.Join(user, database)
	lib, err := library.Open(ctx, library.Options{CursorUser: []string{user}, CursorHome: []string{home}, Home: filepath.Join(dir, "library")})
	if err != nil {
		return nil, err
	}
	return &meter{lib: lib, made: &copied, out: out}, nil
}

func (m *meter) run(ctx context.Context, queries, rounds int) error {
	start := time.Now()
	report, err := m.lib.Sync(ctx, library.SyncOptions{})
	if err != nil {
		return err
	}
	m.out.Say("first sync: %d messages in %.2f s\n\n| in a warm process, ms | runs | p50 | p95 | worst |\n|---|---:|---:|---:|---:|\n", report.Messages, time.Since(start).Seconds())
	classes, err := bench.Classes(ctx, m.made, queries)
	if err != nil {
		return err
	}
	for _, class := range classes {
		if err := m.search(ctx, class); err != nil {
			return err
		}
	}
	err = m.time("`list --limit 20`", rounds, func() error {
		_, err := m.lib.List(ctx, retold.Filter{}, 20, 0)
		return err
	})
	if err != nil {
		return err
	}
	err = m.time("sync with nothing new", rounds, func() error {
		r, err := m.lib.Sync(ctx, library.SyncOptions{})
		if err == nil && !r.Unchanged {
			return errors.New("a sync found something new where nothing was")
		}
		return err
	})
	if err != nil {
		return err
	}
	return m.appends(ctx, rounds)
}

// search runs every query of a class for the first time, then again; the second
// time shows what a person who types ahead and back sees.
func (m *meter) search(ctx context.Context, class bench.Class) error {
	for _, again := range []string{"", ", again"} {
		var took []time.Duration
		for _, query := range class.Queries {
			start := time.Now()
			q, err := retold.ParseQuery(query, start)
			if err != nil {
				return fmt.Errorf("search %s: %w", query, err)
			}
			found, err := m.lib.Search(ctx, q, 20, 0)
			if err != nil {
				return fmt.Errorf("search %s: %w", query, err)
			}
			took = append(took, time.Since(start))
			if len(found.Data) == 0 {
				m.out.Say("| nothing found: %s | | | | |\n", query)
			}
		}
		m.row("search: "+class.Name+again, took)
	}
	return nil
}

// time runs do n times and prints what that took.
func (m *meter) time(name string, n int, do func() error) error {
	var took []time.Duration
	for range n {
		start := time.Now()
		if err := do(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		took = append(took, time.Since(start))
	}
	m.row(name, took)
	return nil
}
