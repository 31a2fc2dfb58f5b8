package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
)

// A side is one of the two revisions.
type side struct {
	binary, home string // home: RETOLD_HOME
	samples      map[string][]cost.Sample
	sizes        []int64 // of the library after each first sync
	deaf         map[string]bool
}

// A measure is commands that are timed together. A fresh one starts from an
// empty library.
type measure struct {
	name     string
	fresh    bool
	commands [][]string
}

// perClass is how many queries of each kind there are.
const perClass = 5

func measures(ctx context.Context, made *bench.Made) ([]measure, error) {
	list := []measure{
		{name: "process start", commands: [][]string{{"version"}}},
		{name: "first sync", fresh: true, commands: [][]string{{"sync"}}},
		{name: "sync with nothing new", commands: [][]string{{"sync"}, {"sync"}}},
		{name: "list", commands: [][]string{{"list", "--limit", "20"}, {"list", "--limit", "20"}}},
		{name: "show", commands: [][]string{{"show", made.Typical.ID}}},
		{name: "export --all", commands: [][]string{{"export", "--all", "--format", "jsonl", "-o", "-"}}},
	}
	classes, err := bench.Classes(ctx, made, perClass)
	if err != nil {
		return nil, err
	}
	for _, c := range classes {
		m := measure{name: "search: " + c.Name}
		for _, q := range c.Queries {
			m.commands = append(m.commands, []string{"search", "--json", "--limit", "20", q})
		}
		list = append(list, m)
	}
	return list, nil
}

// compare runs every measure for both sides, one beside the other, the one that
// goes first changing from round to round. The round before the first warms
// caches and shows what the old side cannot do.
func compare(ctx context.Context, made *bench.Made, older, newer *side, rounds int) ([]verdict, error) {
	list, err := measures(ctx, made)
	if err != nil {
		return nil, err
	}
	for _, s := range []*side{older, newer} {
		s.samples, s.deaf = map[string][]cost.Sample{}, map[string]bool{}
	}
	for round := range rounds + 1 {
		for _, m := range list {
			order := []*side{older, newer}
			if round%2 == 1 {
				order = []*side{newer, older}
			}
			for _, s := range order {
				err := s.run(ctx, made, m, round > 0)
				exit, ended := errors.AsType[*exec.ExitError](err)
				switch {
				case ended && s == older && round == 0 && exit.ExitCode() == usage:
					s.deaf[m.name] = true
				case err != nil:
					return nil, fmt.Errorf("%s: %w", m.name, err)
				}
			}
		}
	}
	var verdicts []verdict
	for _, m := range list {
		verdicts = append(verdicts, weigh(m.name, older.samples[m.name], newer.samples[m.name])...)
	}
	return append(verdicts, verdict{
		name: "library", unit: "MB", limit: weight, unheard: len(older.sizes) == 0,
		was: median(older.sizes) / (1 << 20), is: median(newer.sizes) / (1 << 20),
	}), nil
}

// usage is the exit status of a command line that retold does not understand.
const usage = 2

// run runs one measure and keeps what its commands took together.
func (s *side) run(ctx context.Context, made *bench.Made, m measure, keep bool) error {
	if s.deaf[m.name] {
		return nil
	}
	if m.fresh {
		if err := os.RemoveAll(s.home); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.home, 0o700); err != nil {
		return err
	}
	var sum cost.Sample
	for _, command := range m.commands {
		args := append([]string{s.binary, "--cursor-user", made.CursorUser, "--cursor-home", made.CursorHome}, command...)
		took, err := cost.Run(ctx, args, []string{"RETOLD_HOME=" + s.home}, nil)
		if err != nil {
			return err
		}
		sum.Wall, sum.CPU, sum.Peak = sum.Wall+took.Wall, sum.CPU+took.CPU, max(sum.Peak, took.Peak)
	}
	if !keep {
		return nil
	}
	s.samples[m.name] = append(s.samples[m.name], sum)
	if m.fresh {
		size, _, err := cost.Folder(s.home)
		if err != nil {
			return err
		}
		s.sizes = append(s.sizes, size)
	}
	return nil
}
