package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// printed is what a terminal without colours shows of what print prints.
func printed(t *testing.T, width int, print func(*app)) string {
	t.Helper()
	a, out := onTerminal(width)
	print(a)
	if err := a.flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// fitsWidth checks that no line is wider than the terminal.
func fitsWidth(t *testing.T, text string, width int) {
	t.Helper()
	for l := range strings.SplitSeq(text, "\n") {
		if cells(l) > width {
			t.Errorf("%d columns, and the terminal has %d: %q", cells(l), width, l)
		}
	}
}

func TestHeatMap(t *testing.T) {
	days := []retold.DayCount{
		{Day: "2025-01-01", Messages: 99},
		{Day: "2026-01-26", Messages: 1},
		{Day: "2026-02-03", Messages: 2},
		{Day: "2026-02-15", Messages: 5},
		{Day: "2026-03-01", Messages: 9},
		{Day: "2026-03-04", Messages: 40},
	}
	got := printed(t, 6+2*8, func(a *app) { a.heatMap(days) })
	want := `
      Jan   Feb     Mar
  Mon · · ░ · · · · ·
      · · · ░ · · · ·
  Wed · · · · · · · █
      · · · · · · ·
  Fri · · · · · · ·
      · · · · · · ·
  Sun · · · · ▒ · ▓
      · 0  ░ 1–2  ▒ 3–5  ▓ 6–9  █ 10+ messages a day
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := printed(t, 20, func(a *app) { a.heatMap(days) }); got != "" {
		t.Errorf("a map on a narrow terminal:\n%s", got)
	}
	if got := printed(t, 80, func(a *app) { a.heatMap(nil) }); got != "" {
		t.Errorf("a map of nothing:\n%s", got)
	}
	year := printed(t, 300, func(a *app) { a.heatMap(days) })
	if lines := strings.Split(year, "\n"); cells(lines[2]) > 6+2*mostWeeks {
		t.Errorf("a map of more than a year:\n%s", year)
	}
}

func TestBars(t *testing.T) {
	got := printed(t, 40, func(a *app) {
		a.bars("Things", []barRow{{"one\x1b[2J", 1000, "a note"}, {"潮池", 500, ""}, {"", 1, ""}, {"more", 1, ""}}, 3)
	})
	want := `
Things
  one        1,000  ████████████████████
  潮池         500  ██████████
  (unknown)      1  ▏
  … and 1 more (--json has all)
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	wide := printed(t, 90, func(a *app) { a.bars("Things", []barRow{{"one", 1000, "a note"}}, 3) })
	if !strings.HasSuffix(wide, "█ a note\n") {
		t.Errorf("%q", wide)
	}
}

func TestActivityFits(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := retold.Stats{
		Sessions: 1, Messages: 12345, Tokens: &retold.Tokens{Input: 12_345_678, Output: 999}, Lines: retold.Lines{Added: 1, Removed: 2},
		First: &at, Last: &at, Days: []retold.DayCount{{Day: "2026-03-01", Messages: 3, Sessions: 1}},
		Agents:     []retold.UseCount{{Name: "cursor", Sessions: 1, Messages: 12345}},
		Workspaces: []retold.UseCount{{Name: strings.Repeat("very long name ", 9), Sessions: 2, Messages: 1}, {Name: "", Messages: 1}},
		Models:     []retold.UseCount{{Name: "gpt-5", Messages: 2}, {Name: "gpt-5-high", Messages: 1}},
		Tools:      []retold.ToolCount{{Name: "run", Kind: retold.ToolShell, Calls: 9, Failed: 2}},
	}
	s.Hours[6][12] = 3
	for _, width := range []int{20, 40, 80, 200} {
		fitsWidth(t, printed(t, width, func(a *app) { a.activity(&s) }), max(width, 34))
	}
	s.Undated = 1
	wide := printed(t, 120, func(a *app) { a.activity(&s) })
	for _, want := range []string{"1 session · 12,345 messages · 12.3M tokens in, 999 out · +1 −2 lines", "active on 1 day", "2 failed", "1 message without a time"} {
		if !strings.Contains(wide, want) {
			t.Errorf("%q is not in\n%s", want, wide)
		}
	}
}

func TestSpark(t *testing.T) {
	if got, want := spark([]int{0, 1, 4, 8}), " ▂▅█"; got != want {
		t.Errorf("spark is %q, want %q", got, want)
	}
}

func TestReadingLine(t *testing.T) {
	got := readingLine(library.Progress{
		Stage: "reading", Sessions: 50, SessionsTotal: 1000, Messages: 12345, Bytes: 90_000_000, Elapsed: 2 * time.Second, Left: 75 * time.Second,
	})
	if want := "reading ━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 50 of 1,000 sessions · 12,345 messages · 45.0 MB/s · 1 min 15 s left"; got != want {
		t.Errorf("progress is\n%s, want\n%s", got, want)
	}
	if got := readingLine(library.Progress{Stage: "looking"}); got != "looking …" {
		t.Errorf("progress is %q", got)
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		3 * time.Millisecond: "3 ms", 1200 * time.Millisecond: "1.2 s", 42 * time.Second: "42 s", 61 * time.Second: "1 min 1 s", 2 * time.Hour: "2 h 0 min",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1234: "1.2k", 456_789: "457k", 12_345_678: "12.3M", 9_000_000_000: "9.0G"} {
		if got := short(n); got != want {
			t.Errorf("short(%d) = %s, want %s", n, got, want)
		}
	}
}

// Progress on a terminal is gone before anything else is said.
func TestProgressIsRemoved(t *testing.T) {
	a, out := onTerminal(80)
	a.errTTY, a.errWidth = true, 30
	a.progress("reading a name that is far too long for the line")
	a.line("data")
	a.progress("again")
	a.note("a note")
	a.progress("")
	if err := a.flush(); err != nil {
		t.Fatal(err)
	}
	want := "\r\x1b[Kreading a name that is far t…\r\x1b[K\r\x1b[Kagain\r\x1b[Kdata\na note\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestHit(t *testing.T) {
	at := now().Add(-5 * time.Minute)
	text := printed(t, 60, func(a *app) {
		a.hits([]retold.Hit{
			{SessionIndex: 3, Title: "A \x1b[31mred title that is longer than the line", WorkspaceName: "tidepool", MessageID: "m", MessageIndex: 7, Role: retold.RoleUser, Timestamp: at, Match: "…say hello", Highlights: [][2]int{{7, 12}}},
			{SessionIndex: 12, Title: "hello", Match: "hello", Highlights: [][2]int{{0, 5}}},
			{SessionIndex: 4, MessageID: "t", MessageIndex: 0, Role: retold.RoleTool, ToolName: "run", Match: strings.Repeat("word ", 30)},
		})
	})
	fitsWidth(t, text, 60)
	for _, want := range []string{"3  5m ago  tidepool  user #7  A red title", "…\n    …say hello\n\n12  —  title\n    hello\n", "4  —  run #0\n    word"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	bold := func(t string) string { return "<" + t + ">" }
	for _, c := range []struct {
		match string
		spans [][2]int
		want  string
	}{
		{"say hello you", [][2]int{{4, 9}}, "say <hello> you"},
		{"a b", [][2]int{{0, 1}, {2, 3}}, "<a> <b>"},
		{"a\x1b[31m\nb", [][2]int{{7, 8}}, "a <b>"},
		{"ab", [][2]int{{1, 9}, {-1, 1}, {1, 0}, {0, 1}}, "<a>b"},
	} {
		if got := lit(c.match, c.spans, bold); got != c.want {
			t.Errorf("lit(%q) = %q, want %q", c.match, got, c.want)
		}
	}
}

func TestSummary(t *testing.T) {
	page := func(n, total, offset int, estimated bool) *library.SearchPage {
		var p library.SearchPage
		p.Data = make([]retold.Hit, n)
		p.Pagination = retold.Pagination{Total: total, Offset: offset, HasMore: offset+n < total}
		p.Estimated = estimated
		p.Facets.Roles = []retold.Count{{Name: "tool", Count: 1300}, {Name: "user", Count: 3}}
		return &p
	}
	for _, c := range []struct {
		page *library.SearchPage
		o    searchOptions
		want string
	}{
		{page(1, 1, 0, false), searchOptions{}, "1 hit\n"},
		{page(8, 8, 0, false), searchOptions{}, "8 hits\ntool 1,300, user 3\n"},
		{page(20, 12345, 0, true), searchOptions{}, "20 of ≈12,345 hits · more: --offset 20\n"},
		{page(20, 45, 20, false), searchOptions{}, "21–40 of 45 hits · more: --offset 40\ntool 1,300, user 3\n"},
		{page(20, 21, 0, true), searchOptions{sessions: true}, "20 of at least 21 sessions · more: --offset 20\n"},
		{page(0, 45, 60, false), searchOptions{}, "there are only 45 hits\n"},
		{page(0, 0, 0, false), searchOptions{}, ""},
	} {
		if got := printed(t, 80, func(a *app) { a.summary(c.o, c.page) }); got != c.want {
			t.Errorf("summary is %q, want %q", got, c.want)
		}
	}
}

func TestPointed(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		query string
		at    int
		want  []string
	}{
		{"foo role:x", 9, []string{"foo role:x", "         ^"}},
		{"潮\t\x1b[31m bad", 10, []string{"潮  bad", "    ^"}},
		{long + "bad" + long, 100, []string{"…" + strings.Repeat("x", 47) + "bad" + strings.Repeat("x", 20) + "…", strings.Repeat(" ", 48) + "^"}},
		{"", 0, []string{"", "^"}},
	} {
		got := pointed(fmt.Errorf("wrapped: %w", &retold.QueryError{Query: c.query, Offset: c.at, Reason: "bad"}))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.query, diff)
		}
	}
	if got := pointed(fmt.Errorf("no query")); got != nil {
		t.Errorf("%q", got)
	}
}

// A query and flags ask for both, whatever fields they share.
func TestNarrowed(t *testing.T) {
	parse := func(s string) retold.Query {
		q, err := retold.ParseQuery(s, now())
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	user := retold.Filter{Roles: []retold.Role{retold.RoleUser}}
	for in, want := range map[string]retold.Query{
		"x":               {Filter: user, Match: parse("x").Match},
		"":                {Filter: user},
		"tool:edit":       {Filter: parse("tool:edit").Filter, Match: retold.Where{Filter: user}},
		"tool:edit a":     {Filter: parse("tool:edit").Filter, Match: retold.And{retold.Where{Filter: user}, parse("a").Match}},
		"a OR role:error": {Filter: user, Match: parse("a OR role:error").Match},
	} {
		got, err := narrowed(parse(in), user)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

func TestTellerOnATerminal(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, now().Location())
	s := retold.Session{ID: "s", Title: "Fix\x1b[2J it", WorkspaceName: "tidepool"}
	say := func(id, text string) *retold.Message {
		return &retold.Message{ID: id, Role: retold.RoleAssistant, Content: text}
	}
	ran := &retold.Message{ID: "t", Role: retold.RoleTool, Tool: &retold.ToolCall{Name: "run", Kind: retold.ToolShell, Status: retold.StatusPending}}
	done := &retold.Message{ID: "t", Role: retold.RoleTool, Tool: &retold.ToolCall{Name: "run", Kind: retold.ToolShell, Status: retold.StatusFailed}}
	a, out := onTerminal(60)
	teller := teller{voice: &a.voice}
	for _, e := range []library.Event{
		{Kind: "session", Session: s},
		{Kind: "message", Session: s, Message: say("a", "I")},
		{Kind: "update", Session: s, Message: say("a", "I think\nthat")},
		{Kind: "message", Session: s, Message: ran},
		{Kind: "update", Session: s, Message: say("a", "I think not")},
		{Kind: "message", Session: s, Message: say("b", strings.Repeat("long ", 30))},
		{Kind: "update", Session: s, Message: done},
	} {
		e.Time = at
		if err := teller.tell(e); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	head := "12:00:00  Fix it           "
	want := []string{
		"── Monday, 2 March 2026", head + "new session  tidepool", head + "assistant  I", "\x1b[A\r\x1b[K" + head + "assistant  I think that",
		head + "tool  $ run → not finished", head + "assistant  long long long long l…", head + "✗ tool  $ run → failed",
	}
	for i := range lines {
		if i >= len(want) || !strings.HasPrefix(lines[i], want[i]) {
			t.Fatalf("line %d is %q, want %q", i, lines[i], want)
		}
		if cells(lines[i]) > 60 {
			t.Errorf("line %d is %d columns wide", i, cells(lines[i]))
		}
	}
}
