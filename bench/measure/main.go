// Command measure times retold on a made history beside the C sqlite3 shell
// reading the same rows, and prints Markdown tables.
//
//	go run ./bench/make -o DIR > made.json
//	go build -o retold ./cmd/retold
//	go run ./bench/measure -retold ./retold -made made.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
)

func main() { bench.Main(run) }

// A plan is what to measure and how often.
type plan struct {
	retold, shell string
	made          bench.Made
	home          string // RETOLD_HOME
	rounds        int    // of the commands
	syncs         int    // first syncs
	queries       int    // per class
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	var p plan
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	flags.StringVar(&p.retold, "retold", "./retold", "retold binary")
	flags.StringVar(&p.shell, "sqlite3", "sqlite3", "C sqlite3 shell")
	file := flags.String("made", "made.json", "what bench/make printed")
	home := flags.String("home", "", "folder for libraries, which are removed (default: the system's for temporary files)")
	flags.IntVar(&p.rounds, "n", 7, "rounds; every command runs once in each")
	flags.IntVar(&p.syncs, "syncs", 3, "first syncs")
	flags.IntVar(&p.queries, "queries", 40, "queries of each kind")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &p.made); err != nil {
		return fmt.Errorf("read %s: %w", *file, err)
	}
	if _, err := exec.LookPath(p.shell); err != nil {
		return fmt.Errorf("the C shell is what retold is measured against: %w", err)
	}
	dir, err := os.MkdirTemp(*home, "retold-measure-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p.home = filepath.Join(dir, "library")
	report := cost.NewReport(out)
	report.Say("%d bytes, %d sessions, %d messages\n", p.made.Bytes, p.made.Sessions, p.made.Bubbles)
	return errors.Join(p.run(ctx, report), report.Err())
}

// run measures part after part; each prints as soon as it is known.
func (p *plan) run(ctx context.Context, out *cost.Report) error {
	first, err := p.firstSync(ctx)
	if err != nil {
		return err
	}
	out.Say("\n## First sync\n\nMedians of %d, each into an empty library beside the C shell.\n\n%s", p.syncs, table(first))
	size, files, err := cost.Folder(p.home)
	if err != nil {
		return err
	}
	held := p.made.BubbleBytes()
	out.Say("\nLibrary: %d bytes in %d files, %.3f × the %d bytes of the bubbles.\n", size, files, float64(size)/float64(held), held)
	results, err := measure(ctx, p.commands(), p.rounds)
	if err != nil {
		return err
	}
	out.Say("\n## Commands on the library\n\nMedians of %d interleaved rounds; show: a session of %d messages.\n\n%s", p.rounds, p.made.Typical.Bubbles, table(results))
	classes, err := bench.Classes(ctx, &p.made, p.queries)
	if err != nil {
		return err
	}
	found, err := p.searches(ctx, classes)
	if err != nil {
		return err
	}
	out.Say("\n## Search, whole process\n\nEach query %d times, its median taken; each run next to a process start, which is subtracted in the last four columns.\n\n%s", searchRounds, searchTable(found))
	return nil
}
