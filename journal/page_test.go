package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

// plainEntry is an entry of a commit at a minute of a day.
func plainEntry(id string, minute int, text string) *journal.Entry {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(minute) * time.Minute)
	return &journal.Entry{
		Version: journal.EntryVersion, Repo: journal.EntryRepo{ID: "r", Name: "tidepool"},
		Commit:      journal.EntryCommit{ID: id, Subject: text, Author: "Ada", Authored: at, Committed: at},
		Intent:      []journal.Quote{{Text: text, More: text}},
		Reflections: []journal.Reflection{{ID: "1", Text: text, At: at}},
		Commands:    []journal.Command{{Text: text}},
	}
}

// hostile are texts that look like marks, or begin something that does not end.
var hostile = []string{
	"fine", "```", "<!-- entry:" + commitName(3) + " -->", "<!-- /entry:" + commitName(1) + " -->", "---\na: b\n---", "\r\n<!-- entry:" + commitName(2) + " -->\r\n",
	"x\u2028<!-- /entry:" + commitName(1) + " -->", "<!--", "# h\n## h", "````\n`````", "\x00\x1b[31m", "\u202eabc", "<details>", "日本語。", "a\rb",
}

func commitName(n int) string { return strings.Repeat(string("0123456789abcdef"[n]), 40) }

// TestFolderKeepsWhatPeopleWrite: whatever entries are put and dropped in whatever
// order, each is there once, they stand in order of time, and the lines that a
// person wrote between them stay, in their order.
func TestFolderKeepsWhatPeopleWrite(t *testing.T) {
	all, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(all, strconv.Itoa(n))
		f := journal.Folder{Path: dir, Zone: time.UTC}
		file := f.File(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
		in := map[string]*journal.Entry{}
		var mine []string
		for i := range rapid.IntRange(1, 12).Draw(t, "steps") {
			id := commitName(rapid.IntRange(0, 5).Draw(t, "commit"))
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				in[id] = plainEntry(id, 10*int(id[0]%16), rapid.SampledFrom(hostile).Draw(t, "text"))
				path, _, err := f.Put(in[id])
				if err != nil || path != file {
					t.Fatal(path, err)
				}
				if _, changed, err := f.Put(in[id]); err != nil || changed {
					t.Fatal("a second time", changed, err)
				}
			case 2:
				delete(in, id)
				if err := f.Drop(time.Date(2026, 3, 2, 23, 0, 0, 0, time.UTC), id); err != nil {
					t.Fatal(err)
				}
			case 3:
				line := "mine " + string(rune('A'+i))
				mine = byHand(t, file, line, rapid.Bool().Draw(t, "top"), mine)
			}
			check(t, file, in, mine)
		}
	})
}

// byHand adds a line to a file, at its end or in front of the first entry.
func byHand(t *rapid.T, file, line string, top bool, mine []string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		return mine // nothing to write in yet
	}
	s := string(text)
	at := len(s)
	if i := strings.Index(s, "\n<!-- entry:"); top && i >= 0 {
		at = i
		i := 0
		for _, m := range mine { // those that stand before
			if strings.Index(s, m+"\n") < at {
				i++
			}
		}
		mine = slices.Insert(slices.Clone(mine), i, line)
	} else {
		mine = append(mine, line)
	}
	if err := os.WriteFile(file, []byte(s[:at]+line+"\n"+s[at:]), 0o644); err != nil {
		t.Fatal(err)
	}
	return mine
}

func check(t *rapid.T, file string, in map[string]*journal.Entry, mine []string) {
	text, err := os.ReadFile(file)
	if err != nil && (len(in) > 0 || len(mine) > 0) {
		t.Fatal(err)
	}
	var hand, marks []string
	inside := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case inside == "" && strings.HasPrefix(line, "<!-- entry:"):
			inside = strings.TrimSuffix(strings.TrimPrefix(line, "<!-- entry:"), " -->")
			marks = append(marks, inside)
		case inside != "" && line == "<!-- /entry:"+inside+" -->":
			inside = ""
		case strings.HasPrefix(line, "<!-- entry:") || strings.HasPrefix(line, "<!-- /entry:"):
			t.Fatalf("a mark out of place: %s\n%s", line, text)
		case inside == "" && strings.HasPrefix(line, "mine "):
			hand = append(hand, line)
		}
	}
	var want []string
	for id := range in {
		want = append(want, id)
	}
	slices.Sort(want) // the letters rise with the time
	if diff := cmp.Diff(want, marks); diff != "" {
		t.Fatalf("entries: %s\n%s", diff, text)
	}
	slices.Sort(hand)
	mine = slices.Sorted(slices.Values(mine))
	if !slices.Equal(hand, mine) {
		t.Fatalf("a person's lines are %q, not %q\n%s", hand, mine, text)
	}
	if len(text) > 0 && !strings.HasPrefix(string(text), "---\ndate: 2026-03-02\ntimezone: \"UTC\"\nutcOffset: \"+00:00\"\n---\n") {
		t.Fatalf("front matter: %.200s", text)
	}
}

// TestBrokenMarks: what cannot be told apart is not touched, and the file is named.
func TestBrokenMarks(t *testing.T) {
	id, other := commitName(1), commitName(2)
	begin, end := "<!-- entry:"+id+" -->\n", "<!-- /entry:"+id+" -->\n"
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"whole":             {"a\n" + begin + "b\n" + end + "c\n", true},
		"by Windows":        {strings.ReplaceAll("a\n"+begin+"b\n"+end+"c\n", "\n", "\r\n"), true},
		"blanks behind":     {"a\n<!-- entry:" + id + " -->  \nb\n" + end + "c\n", true},
		"no end":            {"a\n" + begin + "b\nc\n", false},
		"no beginning":      {"a\n" + end + "c\n", false},
		"the wrong way":     {end + "a\n" + begin, false},
		"twice":             {begin + end + begin + end, false},
		"another within":    {begin + "<!-- entry:" + other + " -->\n" + end, false},
		"another's is open": {"<!-- entry:" + other + " -->\nkept\n", true},
		"in a sentence":     {"I deleted <!-- entry:" + id + " --> once.\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := journal.Folder{Path: t.TempDir(), Zone: time.UTC}
			e := plainEntry(id, 0, "fine")
			path := f.File(e.Commit.Committed)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, _, err := f.Put(e)
			if c.ok {
				if err != nil {
					t.Fatal(err)
				}
				after := read(t, path)
				for _, word := range []string{"a\n", "c\n", "kept", "once."} {
					if strings.Contains(c.text, word) && !strings.Contains(strings.ReplaceAll(after, "\r", ""), word) {
						t.Errorf("%q is lost:\n%s", word, after)
					}
				}
				return
			}
			var e2 *retold.Error
			if !errors.As(err, &e2) || e2.Path != path || e2.Hint == "" {
				t.Errorf("%v does not name the file", err)
			}
			if err := f.Drop(e.Commit.Committed, id); err == nil {
				t.Error("dropped")
			}
			if after := read(t, path); after != c.text {
				t.Errorf("the file changed:\n%s", after)
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAnotherClock: an entry that falls on another day by another clock is moved,
// and a file that is left with nothing in it goes.
func TestAnotherClock(t *testing.T) {
	dir := t.TempDir()
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	e := plainEntry(commitName(1), 0, "fine")
	e.Commit.Committed = time.Date(2026, 3, 28, 23, 30, 0, 0, time.UTC)
	first, _, err := journal.Folder{Path: dir, Zone: lisbon}.Put(e)
	if err != nil {
		t.Fatal(err)
	}
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	second, changed, err := journal.Folder{Path: dir, Zone: tokyo}.Put(e)
	if err != nil || !changed || first == second {
		t.Fatal(first, second, changed, err)
	}
	if _, err := os.Stat(first); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s stands: %v", first, err)
	}
	e.Commit.Committed = time.Date(2026, 3, 29, 12, 0, 0, 0, time.UTC) // the clock goes forward
	path, _, err := journal.Folder{Path: t.TempDir(), Zone: lisbon}.Put(e)
	if err != nil {
		t.Fatal(err)
	}
	if text := read(t, path); !strings.Contains(text, "timezone: \"Europe/Lisbon\"\nutcOffset: \"+00:00, later +01:00\"\n") {
		t.Errorf("%.200s", text)
	}
}
