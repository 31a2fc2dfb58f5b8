// Command measure times retold on a made history beside the C sqlite3 shell
// reading the same rows, and prints a Markdown table.
//
//	go run ./bench/make -o DIR > made.json
//	go build -o retold ./cmd/retold
//	go run ./bench/measure -retold ./retold -made made.json
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"github.com/retold-history/retold/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	retold := flags.String("retold", "./retold", "retold binary")
	shell := flags.String("sqlite3", "sqlite3", "C sqlite3 shell")
	file := flags.String("made", "made.json", "what bench/make printed")
	rounds := flags.Int("n", 7, "rounds; every command runs once in each")
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
	if _, err := exec.LookPath(*shell); err != nil {
		return fmt.Errorf("the C shell is what retold is measured against: %w", err)
	}
	results, err := measure(ctx, commands(*retold, *shell, &made), *rounds)
	if err != nil {
		return err
	}
	fmt.Printf("%d bytes, %d sessions, %d messages; show: a session of %d messages; medians of %d interleaved rounds\n\n",
		made.Bytes, made.Sessions, made.Bubbles, made.Typical.Bubbles, *rounds)
	fmt.Print(table(results))
	return nil
}

// A command is one thing to time. Its base is the index of the command that its
// ratio is taken against, or -1.
type command struct {
	name string
	args []string
	base int
}

// commands lists retold's commands, each after the C shell reading the rows that
// it needs. The shell reads with immutable=1, as retold does where no program
// has the file open, and so leaves no side files that would change how retold
// opens it.
func commands(retold, shell string, made *bench.Made) []command {
	c := func(queries ...string) []string {
		args := []string{shell, "-batch", "file:" + made.Database + "?immutable=1"}
		return append(args, queries...)
	}
	r := func(args ...string) []string {
		return append([]string{retold, "--cursor-user", made.CursorUser, "--cursor-home", made.CursorHome}, args...)
	}
	const lists = `SELECT value FROM composerHeaders; SELECT value FROM ItemTable;`
	const composers = `SELECT value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;';`
	id := made.Typical.ID
	one := fmt.Sprintf(`SELECT value FROM cursorDiskKV WHERE key = 'composerData:%[1]s'; SELECT key, value FROM cursorDiskKV WHERE key >= 'bubbleId:%[1]s:' AND key < 'bubbleId:%[1]s;';`, id)
	const bubbles = `SELECT key, value FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;';`
	return []command{
		{"process start: `retold version`", []string{retold, "version"}, -1},
		{"C: composer rows and lists", c(lists + composers), -1},
		{"`list`", r("list"), 1},
		{"`list --all --json`", r("list", "--all", "--json"), 1},
		{"C: one session's rows", c(one), -1},
		{"`show`, one session", r("show", id), 4},
		{"C: all message rows", c(composers + bubbles), -1},
		{"`export --all`, JSON lines", r("export", "--all", "--format", "jsonl", "-o", "-"), 6},
	}
}

// measure runs every command once a round, so that a busy moment of the machine
// falls on all alike. One round before the first warms the page cache.
func measure(ctx context.Context, list []command, rounds int) ([]result, error) {
	results := make([]result, len(list))
	for i, c := range list {
		results[i] = result{command: c}
	}
	for round := range rounds + 1 {
		for i := range results {
			s, err := once(ctx, results[i].args)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", results[i].name, err)
			}
			if round > 0 {
				results[i].samples = append(results[i].samples, s)
			}
		}
	}
	return results, nil
}

// once runs a command with its output thrown away.
func once(ctx context.Context, args []string) (_ sample, err error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var stderr bytes.Buffer
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return sample{}, err
	}
	defer func() { err = errors.Join(err, null.Close()) }()
	cmd.Stderr, cmd.Stdout = &stderr, null
	return timed(cmd, &stderr)
}
