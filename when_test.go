package retold_test

import (
	"testing"
	"time"

	"github.com/retold-history/retold"
)

func TestParseWhen(t *testing.T) {
	zone := time.FixedZone("somewhere", 2*3600)
	now := time.Date(2026, 3, 10, 15, 4, 5, 0, zone)
	for in, want := range map[string][2]string{
		"2026-03-01":                {"2026-03-01T00:00:00+02:00", "2026-03-02T00:00:00+02:00"},
		"2026-02":                   {"2026-02-01T00:00:00+02:00", "2026-03-01T00:00:00+02:00"},
		"2025":                      {"2025-01-01T00:00:00+02:00", "2026-01-01T00:00:00+02:00"},
		"today":                     {"2026-03-10T00:00:00+02:00", "2026-03-11T00:00:00+02:00"},
		" Yesterday ":               {"2026-03-09T00:00:00+02:00", "2026-03-10T00:00:00+02:00"},
		"now":                       {"2026-03-10T15:04:05+02:00", "2026-03-10T15:04:05+02:00"},
		"7d":                        {"2026-03-03T15:04:05+02:00", "2026-03-03T15:04:05+02:00"},
		"2w":                        {"2026-02-24T15:04:05+02:00", "2026-02-24T15:04:05+02:00"},
		"3h":                        {"2026-03-10T12:04:05+02:00", "2026-03-10T12:04:05+02:00"},
		"30m":                       {"2026-03-10T14:34:05+02:00", "2026-03-10T14:34:05+02:00"},
		"2026-03-01T10:00:00Z":      {"2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"},
		"2026-03-01T10:00:00+05:30": {"2026-03-01T10:00:00+05:30", "2026-03-01T10:00:00+05:30"},
		"2026-03-01 10:00":          {"2026-03-01T10:00:00+02:00", "2026-03-01T10:00:00+02:00"},
	} {
		got, err := retold.ParseWhen(in, now)
		if err != nil {
			t.Errorf("ParseWhen(%q): %v", in, err)
			continue
		}
		if from, to := got.From.Format(time.RFC3339), got.To.Format(time.RFC3339); from != want[0] || to != want[1] {
			t.Errorf("ParseWhen(%q) = %s to %s, want %s to %s", in, from, to, want[0], want[1])
		}
	}
	for _, in := range []string{"", "d", "-7d", "7x", "7", "tomorrow", "2026-13-01", "99999999999d", "2026-03-01T25:00:00Z"} {
		if got, err := retold.ParseWhen(in, now); retold.CodeOf(err) != retold.CodeUsage {
			t.Errorf("ParseWhen(%q) = %v, %v; want a usage error", in, got, err)
		}
	}
}
