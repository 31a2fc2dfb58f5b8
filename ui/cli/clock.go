package cli

import (
	"fmt"
	"time"
)

// isoTime is a time for programs, as the JSON contract has it; "" when unknown.
func isoTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// when tells a time in the way of the reader: how long ago on a terminal, ISO
// in a pipe.
func (v *voice) when(t time.Time) string {
	if !v.tty {
		return isoTime(t)
	}
	return ago(t, now())
}

// ago tells a time as a person would who looks at the clock: hours for today,
// days for the last week, a date for the rest.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "—"
	}
	t = t.In(now.Location())
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	d := now.Sub(t)
	switch {
	case d < -time.Minute: // a clock that was wrong
		return t.Format("2 Jan 2006")
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case !t.Before(midnight):
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	case !t.Before(midnight.AddDate(0, 0, -1)):
		return "yesterday"
	case !t.Before(midnight.AddDate(0, 0, -6)):
		return t.Format("Monday")
	case t.Year() == now.Year():
		return t.Format("2 Jan")
	}
	return t.Format("2 Jan 2006")
}
