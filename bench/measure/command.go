package main

import (
	"context"
	"fmt"
	"os"

	"github.com/retold-history/retold/bench/cost"
)

// A command is one thing to time. Its base is the index of the command that its
// ratio is taken against, or -1; its start that of the process start that is
// subtracted, or -1.
type command struct {
	name        string
	args        []string
	base, start int
	env         []string
}

// shellCommand is the C shell running queries. It reads with immutable=1, as
// retold does where no program has the file open, and so leaves no side files
// that would change how retold opens it.
func (p *plan) shellCommand(name string, queries ...string) command {
	args := []string{p.shell, "-batch", "file:" + p.made.Database + "?immutable=1"}
	return command{name: name, args: append(args, queries...), base: -1, start: -1}
}

// retoldCommand is retold with the made history and the library of this run.
func (p *plan) retoldCommand(name string, base, start int, args ...string) command {
	args = append([]string{p.retold, "--cursor-user", p.made.CursorUser, "--cursor-home", p.made.CursorHome}, args...)
	return command{name: name, args: args, base: base, start: start, env: []string{"RETOLD_HOME=" + p.home}}
}

const allBubbles = `SELECT key, value FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;';`

// firstSync syncs into an empty library again and again, and leaves the last one
// there.
func (p *plan) firstSync(ctx context.Context) ([]result, error) {
	results := []result{
		{command: p.shellCommand("C: `SELECT key, value` of all bubbles", allBubbles)},
		{command: p.shellCommand("C: `sum(length(value))` of all bubbles", `SELECT sum(length(value)) FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;';`)},
		{command: p.retoldCommand("first `sync`", 0, -1, "sync")},
	}
	for round := range p.syncs + 1 {
		if round > 0 { // the round before the first reads the database into the page cache
			if err := os.RemoveAll(p.home); err != nil {
				return nil, err
			}
			if err := os.MkdirAll(p.home, 0o700); err != nil {
				return nil, err
			}
		}
		for i := range results {
			if round == 0 && i == 2 {
				continue
			}
			if err := results[i].run(ctx, round > 0); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// commands lists retold's commands on a library that is up to date, each after
// the C shell reading the rows that a program without a library would need.
func (p *plan) commands() []command {
	const lists = `SELECT value FROM composerHeaders; SELECT value FROM ItemTable;`
	const composers = `SELECT value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;';`
	id := p.made.Typical.ID
	one := fmt.Sprintf(`SELECT value FROM cursorDiskKV WHERE key = 'composerData:%[1]s'; SELECT key, value FROM cursorDiskKV WHERE key >= 'bubbleId:%[1]s:' AND key < 'bubbleId:%[1]s;';`, id)
	return []command{
		{name: "process start: `retold version`", args: []string{p.retold, "version"}, base: -1, start: -1},
		p.retoldCommand("`sync` with nothing new", -1, 0, "sync"),
		p.shellCommand("C: composer rows and lists", lists+composers),
		p.retoldCommand("`list --limit 20`", 2, 0, "list", "--limit", "20"),
		p.retoldCommand("`list --all --json`", 2, 0, "list", "--all", "--json"),
		p.retoldCommand("`stats`", -1, 0, "stats"),
		p.shellCommand("C: one session's rows", one),
		p.retoldCommand("`show`, one session", 6, 0, "show", id),
		p.shellCommand("C: all message rows", composers+allBubbles),
		p.retoldCommand("`export --all`, JSON lines", 8, 0, "export", "--all", "--format", "jsonl", "-o", "-"),
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
			if err := results[i].run(ctx, round > 0); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// run runs the command once and keeps what it cost.
func (r *result) run(ctx context.Context, keep bool) error {
	s, err := cost.Run(ctx, r.args, r.env, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	if keep {
		r.samples = append(r.samples, s)
	}
	return nil
}
