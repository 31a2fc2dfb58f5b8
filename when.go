package retold

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Span is the stretch of time that words like "yesterday" stand for: From is
// in it, To is not. A word for an instant has From and To equal.
type Span struct{ From, To time.Time }

// layouts are the ways to write a time, with the length of what they stand for.
var layouts = []struct {
	layout             string
	years, months, day int
}{
	{"2006-01-02", 0, 0, 1},
	{"2006-01", 0, 1, 0},
	{"2006", 1, 0, 0},
	{time.RFC3339Nano, 0, 0, 0},
	{"2006-01-02T15:04:05", 0, 0, 0},
	{"2006-01-02T15:04", 0, 0, 0},
	{"2006-01-02 15:04:05", 0, 0, 0},
	{"2006-01-02 15:04", 0, 0, 0},
}

// ParseWhen reads a time as a person writes it: a day (2026-03-01), month or
// year, RFC 3339 with or without zone and seconds, "today", "yesterday", "now",
// or an age: 30m, 3h, 7d, 2w. Days begin at midnight in now's zone, as do days
// that say no zone. "since X" means from X's From on and "until X" up to X's To,
// so that a named day is included by both. An error is a *Error with
// CodeUsage.
func ParseWhen(s string, now time.Time) (Span, error) {
	word := strings.TrimSpace(s)
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ToLower(word) {
	case "now":
		return Span{now, now}, nil
	case "today":
		return Span{midnight, midnight.AddDate(0, 0, 1)}, nil
	case "yesterday":
		return Span{midnight.AddDate(0, 0, -1), midnight}, nil
	}
	if t, ok := ago(word, now); ok {
		return Span{t, t}, nil
	}
	for _, l := range layouts {
		if t, err := time.ParseInLocation(l.layout, word, now.Location()); err == nil {
			return Span{t, t.AddDate(l.years, l.months, l.day)}, nil
		}
	}
	return Span{}, &Error{
		Code: CodeUsage, Err: fmt.Errorf("%q is not a time", s),
		Hint: "write 2026-03-01, 2026-03-01T15:04, RFC 3339, 30m, 3h, 7d, 2w, today or yesterday",
	}
}

// ago reads an age of whole units. Days and weeks are calendar days, so that 7d
// ago is the same time of day even when the clocks changed in between.
func ago(word string, now time.Time) (time.Time, bool) {
	if len(word) < 2 {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(word[:len(word)-1])
	if err != nil || n < 0 || n > 100_000 {
		return time.Time{}, false
	}
	switch word[len(word)-1] {
	case 'm':
		return now.Add(-time.Duration(n) * time.Minute), true
	case 'h':
		return now.Add(-time.Duration(n) * time.Hour), true
	case 'd':
		return now.AddDate(0, 0, -n), true
	case 'w':
		return now.AddDate(0, 0, -7*n), true
	}
	return time.Time{}, false
}
