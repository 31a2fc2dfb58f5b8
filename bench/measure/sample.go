package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A sample is what one run cost.
type sample struct {
	wall, cpu time.Duration
	rss       int64 // peak resident bytes; 0 where the system does not say
}

type result struct {
	command
	samples []sample
}

func timed(cmd *exec.Cmd, stderr *bytes.Buffer) (sample, error) {
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return sample{}, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	state := cmd.ProcessState
	return sample{wall: wall, cpu: state.UserTime() + state.SystemTime(), rss: peak(state)}, nil
}

func (r result) median(of func(sample) int64) int64 {
	values := make([]int64, 0, len(r.samples))
	for _, s := range r.samples {
		values = append(values, of(s))
	}
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func (r result) wall() float64 { return ms(r.median(func(s sample) int64 { return int64(s.wall) })) }
func (r result) cpu() float64  { return ms(r.median(func(s sample) int64 { return int64(s.cpu) })) }

func ms(n int64) float64 { return float64(n) / float64(time.Millisecond) }

// table is the results in Markdown; ratios are of wall time to the C shell's.
func table(results []result) string {
	var b strings.Builder
	b.WriteString("| command | wall ms | CPU ms | peak MB | wall ÷ C | CPU ÷ C |\n|---|---:|---:|---:|---:|---:|\n")
	for _, r := range results {
		wall, cpu, peak := "", "", "–"
		if r.base >= 0 {
			wall = ratio(r.wall(), results[r.base].wall())
			cpu = ratio(r.cpu(), results[r.base].cpu())
		}
		if n := r.median(func(s sample) int64 { return s.rss }); n > 0 {
			peak = fmt.Sprintf("%.0f", float64(n)/(1<<20))
		}
		fmt.Fprintf(&b, "| %s | %.1f | %.1f | %s | %s | %s |\n", r.name, r.wall(), r.cpu(), peak, wall, cpu)
	}
	return b.String()
}

func ratio(a, b float64) string {
	if b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", a/b)
}
