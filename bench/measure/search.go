package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
)

// searchRounds is how often each query runs.
const searchRounds = 3

// A found is what the queries of one class cost: one figure for each query.
type found struct {
	class       string
	walls, over []time.Duration // on the clock: whole process; and less the process start beside it
	work        []time.Duration // on the processors, less the process start
	empty       []string        // queries that found nothing
	fewest      int             // hits of the query with the fewest
	most        int
}

// searches runs every query of every class as a process of its own, next to a
// process that does nothing, round by round. The first run of each is not timed:
// it shows what the query finds.
func (p *plan) searches(ctx context.Context, classes []bench.Class) ([]found, error) {
	idle := command{name: "retold version", args: []string{p.retold, "version"}}
	var all []found
	for _, class := range classes {
		f := found{class: class.Name, fewest: -1}
		for _, query := range class.Queries {
			search := p.retoldCommand(query, -1, -1, "search", "--json", "--limit", "20", query)
			total, err := hits(ctx, search)
			if err != nil {
				return nil, fmt.Errorf("search %s: %w", query, err)
			}
			if total == 0 {
				f.empty = append(f.empty, query)
			}
			if f.fewest < 0 || total < f.fewest {
				f.fewest = total
			}
			f.most = max(f.most, total)
			var start, whole result
			start.command, whole.command = idle, search
			for range searchRounds {
				for _, r := range []*result{&start, &whole} {
					if err := r.run(ctx, true); err != nil {
						return nil, err
					}
				}
			}
			wall := time.Duration(cost.Median(whole.samples, cost.Wall))
			f.walls = append(f.walls, wall)
			f.over = append(f.over, wall-time.Duration(cost.Median(start.samples, cost.Wall)))
			f.work = append(f.work, time.Duration(cost.Median(whole.samples, cost.CPU)-cost.Median(start.samples, cost.CPU)))
		}
		all = append(all, f)
	}
	return all, nil
}

// hits runs a search and returns the total it tells.
func hits(ctx context.Context, c command) (int, error) {
	var out bytes.Buffer
	if _, err := cost.Run(ctx, c.args, c.env, &out); err != nil {
		return 0, err
	}
	var page struct {
		Pagination struct{ Total int }
	}
	if err := json.Unmarshal(out.Bytes(), &page); err != nil {
		return 0, err
	}
	return page.Pagination.Total, nil
}

// searchTable is the searches in Markdown, times in milliseconds.
func searchTable(all []found) string {
	var b strings.Builder
	b.WriteString("| query | hits | p50 | p95 | p50 − start | p95 − start | CPU p50 − start | CPU p95 − start |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, f := range all {
		fmt.Fprintf(&b, "| %s (%d) | %d–%d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", f.class, len(f.walls), f.fewest, f.most,
			ms(int64(cost.Quantile(f.walls, 50))), ms(int64(cost.Quantile(f.walls, 95))), ms(int64(cost.Quantile(f.over, 50))), ms(int64(cost.Quantile(f.over, 95))),
			ms(int64(cost.Quantile(f.work, 50))), ms(int64(cost.Quantile(f.work, 95))))
	}
	for _, f := range all {
		if len(f.empty) > 0 {
			fmt.Fprintf(&b, "\n%s: nothing found for %q\n", f.class, f.empty)
		}
	}
	return b.String()
}
