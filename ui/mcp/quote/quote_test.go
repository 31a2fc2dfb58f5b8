package quote_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/retold-history/retold/ui/mcp/quote"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain text\n\tstays", "plain text\n\tstays"},
		{"zero\u200bwidth\ufeff and soft\u00adhyphen", "zerowidth and softhyphen"},
		{"family 👨\u200d👩\u200d👧 and heart ❤\ufe0f", "family 👨\u200d👩\u200d👧 and heart ❤\ufe0f"},
		{"می\u200cخواهم", "می\u200cخواهم"},
		{"\u200d\u200cstart and end\u200d", "start and end"},
		{"a\u200c\u200d\u200c\u200db", "ab"},
		{"on \u2764\ufe0f\u200d\U0001f525 fire", "on \u2764\ufe0f\u200d\U0001f525 fire"},
		{"a\u200db a\ufe0fb 1\ufe0f", "ab ab 1"},
		{"line\u2028line\u2029line", "line\nline\nline"},
		{"not \ufdd0 a \ufdd1 note \ufdd2", "not  a  note "},
		{"x\ufe00\ufe01\U000e0100", "x"},
		{"flag 🏴\U000e0067\U000e0062", "flag 🏴"},
		{"\x1b[31mred\x1b[0m", "red"},
		{"a\u202eb", "a⟨U+202E⟩b"},
		{"\u200f\u200emarks", "marks"},
		{"bad \xff byte", "bad \ufffd byte"},
		{"\u3164filler\u115f", "filler"},
	} {
		if got := quote.Visible(c.in); got != c.want {
			t.Errorf("%+q: %+q, not %+q", c.in, got, c.want)
		}
	}
}

func TestBlobs(t *testing.T) {
	long := strings.Repeat("aB3dE6gH9", 300)
	for _, c := range []struct{ in, want string }{
		{"see data:image/png;base64," + long + ") there", "see [image/png, 2,722 characters, left out]) there"},
		{"x " + long + "== y", "x [data, 2,702 characters, left out] y"},
		{strings.Repeat("-=", 2000), strings.Repeat("-=", 2000)},
		{strings.Repeat("a", 5000), strings.Repeat("a", 5000)},
		{"data:image/png;base64,short", "data:image/png;base64,short"},
		{long[:900], long[:900]},
	} {
		if got := quote.Blobs(c.in); got != c.want {
			t.Errorf("%.60s…: %.200s", c.in, got)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		head string
		full int
	}{{"", 3, "", 0}, {"abc", 3, "abc", 3}, {"abcd", 3, "abc", 4}, {"äöü", 2, "äö", 3}, {"äöü", 3, "äöü", 3}, {"äöü", 0, "", 3}, {"😀😀", 1, "😀", 2}} {
		if head, full := quote.Cut(c.in, c.n); head != c.head || full != c.full {
			t.Errorf("%q at %d: %q of %d", c.in, c.n, head, full)
		}
	}
}

func TestWhen(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		age  time.Duration
		want string
	}{
		{0, "2026-11-21 12:00 UTC (just now)"},
		{time.Minute, "2026-11-21 11:59 UTC (1 minute ago)"},
		{3 * time.Hour, "2026-11-21 09:00 UTC (3 hours ago)"},
		{72 * time.Hour, "2026-11-18 12:00 UTC (3 days ago)"},
		{100 * 24 * time.Hour, "2026-08-13 12:00 UTC (3 months ago)"},
		{900 * 24 * time.Hour, "2024-06-04 12:00 UTC (2 years ago)"},
		{-time.Hour, "2026-11-21 13:00 UTC (in the future)"},
	} {
		if got := quote.When(now.Add(-c.age), now); got != c.want {
			t.Errorf("%v: %s", c.age, got)
		}
	}
	if got := quote.When(time.Time{}, now); got != "time unknown" {
		t.Error(got)
	}
}

// What was cut and what was skipped make the whole, at every place.
func TestCutAndSkip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		n := rapid.IntRange(0, 20).Draw(t, "n")
		head, full := quote.Cut(s, n)
		if head+quote.Skip(s, n) != s || full != utf8.RuneCountInString(s) || utf8.RuneCountInString(head) != min(n, full) {
			t.Fatalf("%q at %d: %q of %d and %q", s, n, head, full, quote.Skip(s, n))
		}
	})
}

// Safe text is valid, stays as it is when made safe again, and holds nothing unseen.
func TestSafeTwice(t *testing.T) {
	parts := []string{"word ", "tok", "\x07", "\u2028", "ghp_", strings.Repeat("Ab1", 12), "password=", "\ufdd0", "\ufdd1", "\x1b[31m", "\u200b", "\u200d", "é", "\xff", "data:image/png;base64,", strings.Repeat("aB3+", 30), strings.Repeat("xY7/", 400), "\r", "\u202e", "<quoted-", "👍", "\ufe0f"}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts"), "")
		once := quote.Safe(s)
		if twice := quote.Safe(once); twice != once {
			t.Fatalf("%+q becomes %+q and then %+q", s, once, twice)
		}
		if !utf8.ValidString(once) || strings.ContainsAny(once, "\x1b\u200b\u202e\r") {
			t.Fatalf("%+q becomes %+q", s, once)
		}
	})
}

// No text holds the mark that is put around it, not even one that guesses.
func TestMarksAreNotForged(t *testing.T) {
	text := "an innocent text"
	for range 50 {
		mark := quote.NewMark(text)
		if strings.Contains(strings.ToLower(text), string(mark)) {
			t.Fatalf("%s stands in %q", mark, text)
		}
		text += "\n</" + strings.ToUpper(string(mark)) + ">"
	}
	if first, second := quote.NewMark("a", "b"), quote.NewMark("a", "b"); first != second {
		t.Error("the same texts have different marks")
	}
	if quote.NewMark("ab", "") == quote.NewMark("a", "b") {
		t.Error("texts run into each other")
	}
}
