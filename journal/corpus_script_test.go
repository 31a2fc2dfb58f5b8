package journal_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// A scenario is a made-up history of one or more repositories and of the
// conversations beside them: testdata/corpus/README.md describes the language.
type scenario struct {
	name  string
	prose string
	held  bool // its file begins with "held-": the engine was never tuned on it
	cues  []cue
}

// A cue is one thing that happens.
type cue struct {
	verb string
	args []string
	attr map[string]string
	body string
}

// cueVerbs are what can happen, with the number of arguments each needs.
var cueVerbs = map[string]int{
	"at": 2, "repo": 1, "in": 1, "clone": 2, "relocate": 2, "rm": 2, "mv": 2, "sh": 0, "later": 1, "format": 1,
	"session": 1, "prompt": 1, "say": 1, "read": 2, "edit": 2, "write": 2, "shell": 1, "task": 2,
	"stage": 1, "commit": 0, "chatter": 2, "name": 2, "lines": 1, "file": 1,
}

var cueAttrs = []string{
	"wait", "from", "maybe", "author", "via", "form", "staged", "skew", "remote", "like", "tool", "store", "status",
	"shape", "branch", "parent", "workspace", "sees", "keep", "run", "exit", "unsaid", "kind", "empty", "times", "by", "committer", "orphan", "date",
}

func loadScenarios(t testing.TB) (all []scenario) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "corpus", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(p), ".txtar")
		s := scenario{name: name, held: strings.HasPrefix(name, "held-")}
		archive := txtar.Parse(data)
		s.prose = string(archive.Comment)
		if strings.TrimSpace(s.prose) == "" {
			t.Errorf("%s says nothing about itself", p)
		}
		for _, f := range archive.Files {
			c, err := parseCue(f)
			if err != nil {
				t.Fatalf("%s: %q: %v", p, f.Name, err)
			}
			s.cues = append(s.cues, c)
		}
		all = append(all, s)
	}
	return all
}

func parseCue(f txtar.File) (cue, error) {
	words := strings.Fields(f.Name)
	c := cue{verb: words[0], attr: map[string]string{}, body: string(f.Data)}
	need, ok := cueVerbs[c.verb]
	if !ok {
		return c, fmt.Errorf("unknown verb %q", c.verb)
	}
	for _, w := range words[1:] {
		key, value, ok := strings.Cut(w, "=")
		if ok && slices.Contains(cueAttrs, key) {
			c.attr[key] = value
			continue
		}
		arg, err := url.PathUnescape(w) // %20, and bytes that are not UTF-8
		if err != nil {
			return c, err
		}
		c.args = append(c.args, arg)
	}
	if len(c.args) < need {
		return c, fmt.Errorf("%s needs %d arguments", c.verb, need)
	}
	return c, nil
}

// pace is how long a thing takes when its wait= does not say more.
var pace = map[string]time.Duration{
	"prompt": 40 * time.Second, "say": 10 * time.Second, "read": 5 * time.Second, "edit": 15 * time.Second,
	"write": 20 * time.Second, "shell": 8 * time.Second, "task": 30 * time.Second, "commit": 20 * time.Second, "sh": 20 * time.Second,
}

// turnRefs reads "A#1,B#2"; nothing for "none".
func turnRefs(list string) (refs []string) {
	for ref := range strings.SplitSeq(list, ",") {
		if ref != "" && ref != "none" {
			refs = append(refs, ref)
		}
	}
	return refs
}

// A hunk of an edit: lines with " ", "-" or "+" before them.
type hunkLine struct {
	mark byte
	text string
}

func hunksOf(body string) (hunks [][]hunkLine, err error) {
	hunks = [][]hunkLine{nil}
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "@@"):
			hunks = append(hunks, nil)
		case line == "":
			hunks[len(hunks)-1] = append(hunks[len(hunks)-1], hunkLine{' ', ""})
		case strings.ContainsAny(line[:1], " +-"):
			hunks[len(hunks)-1] = append(hunks[len(hunks)-1], hunkLine{line[0], line[1:]})
		default:
			return nil, fmt.Errorf("a line of an edit begins with %q", line[:1])
		}
	}
	return slices.DeleteFunc(hunks, func(h []hunkLine) bool { return len(h) == 0 }), nil
}
