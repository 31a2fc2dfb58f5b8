package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/retold-history/retold/bench/cost"
)

// time runs the program as a person and as a hook would.
func (r *report) time(ctx context.Context, program, repo string, h *history, home string) error {
	r.Timed, r.PeakMB = map[string]float64{}, map[string]float64{}
	env := append(os.Environ(), "RETOLD_HOME="+filepath.Join(home, "retold"), "RETOLD_CURSOR_USER="+filepath.Join(home, "User"))
	once := func(name string, args ...string) error {
		sample, err := cost.Run(ctx, append([]string{program}, args...), env, io.Discard)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		ms := float64(sample.Wall.Microseconds()) / 1000
		if old, ok := r.Timed[name]; !ok || ms < old {
			r.Timed[name] = ms
		}
		r.PeakMB[name] = max(r.PeakMB[name], float64(sample.Peak)/(1<<20))
		return nil
	}
	last := h.ids[len(h.ids)-1]
	file, err := someFile(ctx, repo)
	if err != nil {
		return err
	}
	steps := []struct {
		name  string
		times int
		args  []string
	}{
		{"sync", 1, []string{"sync"}},
		{"backfill", 1, []string{"journal", "backfill", "--repo", repo, h.ids[0] + ".." + last}},
		{"backfill again", 1, []string{"journal", "backfill", "--repo", repo, h.ids[0] + ".." + last}},
		{"write one", 5, []string{"journal", "write", "--repo", repo, last}},
		{"why COMMIT", 5, []string{"why", "--repo", repo, last}},
		{"why FILE:LINE", 5, []string{"why", "--repo", repo, file + ":1"}},
		{"why FILE", 3, []string{"why", "--repo", repo, file}},
	}
	for _, s := range steps {
		for range s.times {
			if err := once(s.name, s.args...); err != nil {
				return err
			}
		}
	}
	for range 5 {
		began := time.Now()
		if err := exec.CommandContext(ctx, "git", "-C", repo, "blame", "-w", "-M", "-L1,1", file).Run(); err != nil { //nolint:gosec // a file of the repository
			return err
		}
		ms := float64(time.Since(began).Microseconds()) / 1000
		if old, ok := r.Timed["git blame FILE:LINE"]; !ok || ms < old {
			r.Timed["git blame FILE:LINE"] = ms
		}
	}
	return nil
}

// someFile is the file that most of the newest commits touched.
func someFile(ctx context.Context, repo string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", "-C", repo, "log", "-100", "--format=", "--name-only", "--diff-filter=M", "-z").Output()
	if err != nil {
		return "", err
	}
	count := map[string]int{}
	best := ""
	for _, name := range strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 || r == '\n' }) {
		if _, err := os.Stat(filepath.Join(repo, name)); err != nil {
			continue
		}
		if count[name]++; count[name] > count[best] {
			best = name
		}
	}
	return best, nil
}
