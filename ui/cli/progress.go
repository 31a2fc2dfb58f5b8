package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/retold-history/retold/library"
)

// patience is how long a job may take before a person is told how far it is.
const patience = 300 * time.Millisecond

// reading shows how far the reading of sessions is.
func (v *voice) reading(p library.Progress) {
	if p.Elapsed >= patience {
		v.progress(readingLine(p))
	}
}

// readingLine is progress as a person is told it: how much of the sessions, at
// what rate, how long it will still take.
func readingLine(p library.Progress) string {
	if p.SessionsTotal == 0 {
		return p.Stage + " …"
	}
	parts := []string{
		fmt.Sprintf("%s %s %s of %s sessions", p.Stage, bar(p.Sessions, p.SessionsTotal, 20), number(int64(p.Sessions)), number(int64(p.SessionsTotal))),
		number(int64(p.Messages)) + " messages",
	}
	if s := p.Elapsed.Seconds(); s > 0 && p.Bytes > 0 {
		parts = append(parts, size(int64(float64(p.Bytes)/s))+"/s")
	}
	if p.Left > 0 {
		parts = append(parts, span(p.Left)+" left")
	}
	return strings.Join(parts, " · ")
}

// bar is n of total as a bar of width columns.
func bar(n, total, width int) string {
	full := 0
	if total > 0 {
		full = min(max(n, 0), total) * width / total
	}
	return strings.Repeat("━", full) + strings.Repeat("╌", width-full)
}

// span is a stretch of time as people say it.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
