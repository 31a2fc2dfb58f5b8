package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/retold-history/retold/bench/cost"
)

type result struct {
	command
	samples []cost.Sample
}

func (r result) wall() float64 { return ms(cost.Median(r.samples, cost.Wall)) }
func (r result) cpu() float64  { return ms(cost.Median(r.samples, cost.CPU)) }

func ms(n int64) float64 { return float64(n) / float64(time.Millisecond) }

// table is the results in Markdown: ratios to the C shell's times, and what is
// left of the wall time without the process start.
func table(results []result) string {
	var b strings.Builder
	b.WriteString("| command | wall ms | CPU ms | peak MB | wall ÷ C | CPU ÷ C | wall − start |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range results {
		wall, cpu, over, peak := "", "", "", "–"
		if r.base >= 0 {
			wall = ratio(r.wall(), results[r.base].wall())
			cpu = ratio(r.cpu(), results[r.base].cpu())
		}
		if r.start >= 0 {
			over = fmt.Sprintf("%.1f", r.wall()-results[r.start].wall())
		}
		if n := cost.Median(r.samples, cost.Peak); n > 0 {
			peak = fmt.Sprintf("%.0f", float64(n)/(1<<20))
		}
		fmt.Fprintf(&b, "| %s | %.1f | %.1f | %s | %s | %s | %s |\n", r.name, r.wall(), r.cpu(), peak, wall, cpu, over)
	}
	return b.String()
}

func ratio(a, b float64) string {
	if b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", a/b)
}
