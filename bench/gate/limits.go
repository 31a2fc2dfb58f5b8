package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold/bench/cost"
)

// A limit is how much more the new revision may take: factor times the old, and
// slack on top.
type limit struct {
	factor float64
	slack  float64 // in the unit of the figure
}

// The limits. Processor time and bytes depend on the work and hardly on the
// machine, so they are held tight; time on the clock is not.
var (
	clock  = limit{1.50, 3} // ms
	work   = limit{1.12, 1} // ms
	memory = limit{1.25, 8} // MB
	weight = limit{1.02, 0} // MB
)

// A verdict is one figure of one measure for both revisions.
type verdict struct {
	name, unit string
	was, is    float64
	limit      limit
	unheard    bool // the old revision cannot do this
}

func (v verdict) tooMuch() bool { return !v.unheard && v.is > v.was*v.limit.factor+v.limit.slack }

// weigh makes the verdicts on one measure.
func weigh(name string, was, is []cost.Sample) []verdict {
	list := []verdict{
		{name: name + ", clock", unit: "ms", limit: clock, was: millis(was, cost.Wall), is: millis(is, cost.Wall)},
		{name: name + ", processors", unit: "ms", limit: work, was: millis(was, cost.CPU), is: millis(is, cost.CPU)},
	}
	if peak := megabytes(is); peak > 0 && strings.HasPrefix(name, "first sync") {
		list = append(list, verdict{name: name + ", memory", unit: "MB", limit: memory, was: megabytes(was), is: peak})
	}
	for i := range list {
		list[i].unheard = len(was) == 0
	}
	return list
}

func millis(samples []cost.Sample, of func(cost.Sample) int64) float64 {
	return float64(cost.Median(samples, of)) / float64(time.Millisecond)
}

func megabytes(samples []cost.Sample) float64 {
	return float64(cost.Median(samples, cost.Peak)) / (1 << 20)
}

// median of plain figures.
func median(list []int64) float64 {
	if len(list) == 0 {
		return 0
	}
	return float64(slices.Sorted(slices.Values(list))[len(list)/2])
}

// table is the verdicts in Markdown.
func table(verdicts []verdict) string {
	var b strings.Builder
	b.WriteString("| measure | old | new | new ÷ old | limit | |\n|---|---:|---:|---:|---:|---|\n")
	for _, v := range verdicts {
		was, ratio, ends := fmt.Sprintf("%.1f %s", v.was, v.unit), "–", "ok"
		switch {
		case v.unheard:
			was, ends = "–", "new"
		case v.tooMuch():
			ends = "**too much**"
		}
		if v.was > 0 && !v.unheard {
			ratio = fmt.Sprintf("%.2f", v.is/v.was)
		}
		fmt.Fprintf(&b, "| %s | %s | %.1f %s | %s | %.2f × + %g %s | %s |\n", v.name, was, v.is, v.unit, ratio, v.limit.factor, v.limit.slack, v.unit, ends)
	}
	return b.String()
}
