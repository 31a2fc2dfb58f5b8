package agentstate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

func TestUnwrap(t *testing.T) {
	for name, c := range map[string]struct {
		in, said string
		spoken   bool
		context  []string // "kind name text"
	}{
		"plain":                  {"Fix it.\n", "Fix it.\n", true, nil},
		"query":                  {"<user_query>\nFix it.\n</user_query>", "Fix it.", true, nil},
		"query keeps its spaces": {"<user_query>\n  Fix\n\n it. \n\n</user_query>", "  Fix\n\n it. \n", true, nil},
		"CRLF":                   {"<user_query>\r\nFix it.\r\n</user_query>", "Fix it.", true, nil},
		"unclosed query":         {"<user_query>\nFix it.", "Fix it.", true, nil},
		"closing tag was typed":  {"<user_query>\nWhy </user_query> here?\n</user_query>", "Why </user_query> here?", true, nil},
		"two queries":            {"<user_query>a</user_query>\n<user_query>b</user_query>", "a\n\nb", true, nil},
		"context before":         {"<rules>\nUse tabs.\n</rules>\n<user_query>\nFix\n</user_query>", "Fix", true, []string{"rule rules Use tabs."}},
		"unknown context before": {"<weather>wet</weather><user_query>\nFix\n</user_query>", "Fix", true, []string{"context weather wet"}},
		"context after":          {"<user_query>\nFix\n</user_query>\n<open_files>a.go</open_files>", "Fix", true, []string{"context open_files a.go"}},
		"query inside context":   {"<attached_files>\n<user_query>no</user_query>\n</attached_files>\n<user_query>yes</user_query>", "yes", true, []string{"context attached_files <user_query>no</user_query>"}},
		"context alone":          {"<user_info>\nOS: linux\n</user_info>", "", false, []string{"context user_info OS: linux"}},
		"context, then speech":   {"<timestamp>noon</timestamp>\nFix it.", "Fix it.", true, []string{"context timestamp noon"}},
		"HTML was typed":         {"<div>centre me</div>", "<div>centre me</div>", true, nil},
		"unclosed context":       {"<rules> are made", "<rules> are made", true, nil},
		"placeholders":           {"<user_query>x</user_query>\n[Image]\n[File: a.csv]\nmore", "x", true, []string{"image image ", "file a.csv ", "context text more"}},
		"nothing":                {"", "", false, nil},
	} {
		said, spoken, context := agentstate.Unwrap(c.in)
		var got []string
		for _, a := range context {
			got = append(got, a.Kind+" "+a.Name+" "+a.Text)
		}
		if said != c.said || spoken != c.spoken || cmp.Diff(c.context, got) != "" {
			t.Errorf("%s: said %q (%v), context %q", name, said, spoken, got)
		}
	}
}

// Half a million blocks, and as many that are never closed, take no time.
func TestUnwrapHostile(t *testing.T) {
	for _, unit := range []string{"<rules></rules>", "<rules>", "<x></x>", "</user_query>", "<user_query>", "\n<user_query></user_query>"} {
		text := strings.Repeat(unit, 500_000)
		agentstate.Unwrap(text)
		agentstate.Unwrap(text + "<user_query>end</user_query>")
	}
}

func TestTimeOf(t *testing.T) {
	for text, want := range map[string]time.Time{
		"Thursday, Feb 12, 2026, 3:04 PM (UTC-5)":    time.Date(2026, 2, 12, 20, 4, 0, 0, time.UTC),
		"Thursday, Feb 12, 2026, 3:04 PM (UTC+5:30)": time.Date(2026, 2, 12, 9, 34, 0, 0, time.UTC),
		"Thursday, Feb 12, 2026, 3:04 PM (UTC)":      time.Date(2026, 2, 12, 15, 4, 0, 0, time.UTC),
		"2026-02-12T15:04:00+01:00":                  time.Date(2026, 2, 12, 14, 4, 0, 0, time.UTC),
		"Thursday, Feb 12, 2026, 3:04 PM":            {}, // no zone, no time
		"yesterday (UTC-5)":                          {},
		"x (UTC?)":                                   {},
	} {
		got := agentstate.TimeOf([]retold.Attachment{{Name: "rules"}, {Name: "timestamp", Text: text}})
		if !got.Equal(want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
