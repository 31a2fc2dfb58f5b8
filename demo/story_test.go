package demo

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

func stories(t *testing.T) []*story {
	t.Helper()
	all, err := loadStories()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The demo promises at least 30 sessions in at least five workspaces, with every
// shape and every verb that story/README.md explains.
func TestStoriesCoverEverything(t *testing.T) {
	readme, err := os.ReadFile("story/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "| shape |")
	shapes, folders, used := map[string]bool{}, map[string]bool{}, map[string]bool{}
	all := stories(t)
	for _, s := range all {
		shapes[s.shape], folders[s.workspace.id] = true, true
		if !strings.Contains(table, "`"+s.shape+"`") {
			t.Errorf("%s: shape %s is not in story/README.md", s.name, s.shape)
		}
		for _, st := range s.steps {
			used[st.verb] = true
		}
	}
	if len(all) < 35 || len(folders) < 8 {
		t.Errorf("%d stories in %d workspaces", len(all), len(folders))
	}
	for _, m := range regexp.MustCompile("(?m)^\\| ((?:`[a-z0-9-]+` ?)+) \\|").FindAllStringSubmatch("| `x` |"+table, -1) {
		for name := range strings.FieldsSeq(strings.ReplaceAll(m[1], "`", "")) {
			if name != "x" && !shapes[name] {
				t.Errorf("no story of shape %s", name)
			}
		}
	}
	for _, verb := range verbs {
		if !used[verb] {
			t.Errorf("no step %s", verb)
		}
	}
}

func TestTimesMakeSense(t *testing.T) {
	all := stories(t)
	last := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for _, s := range all {
		if s.end.After(last) || s.end.Before(s.start) {
			t.Errorf("%s: from %v to %v", s.name, s.start, s.end)
		}
		if s.parent == "" {
			continue
		}
		i := slices.IndexFunc(all, func(p *story) bool { return p.name == s.parent })
		if i < 0 {
			t.Errorf("%s: no story %s", s.name, s.parent)
			continue
		}
		found := false
		for _, st := range all[i].steps {
			if st.attr["child"] == s.name {
				found = true
				if s.start.Before(st.at) || s.end.After(st.at.Add(st.took)) {
					t.Errorf("%s runs from %v to %v, its task from %v to %v", s.name, s.start, s.end, st.at, st.at.Add(st.took))
				}
				if childID(st) != s.id() {
					t.Errorf("%s is %s, its task started %s", s.name, s.id(), childID(st))
				}
			}
		}
		if !found {
			t.Errorf("no step of %s starts %s", s.parent, s.name)
		}
	}
}

func TestIDsAreUnique(t *testing.T) {
	seen := map[string]string{}
	for _, s := range stories(t) {
		ids := []string{s.id()}
		for _, st := range s.steps {
			ids = append(ids, st.id, st.call)
		}
		for _, id := range ids {
			if other, ok := seen[id]; ok {
				t.Errorf("%s is in %s and in %s", id, other, s.name)
			}
			seen[id] = s.name
		}
	}
}

func TestBadStoriesAreRefused(t *testing.T) {
	const head = "shape: chat\nworkspace: lantern\nstart: 2024-03-12 20:14\n"
	for _, bad := range []string{
		"shape: chat\n", head + "colour: red\n", head + "workspace: moon\n",
		head + "-- sing --\nla\n", head + "-- user wait=soon --\nhi\n", head + "-- user sel=a.go:3 --\nhi\n", head + "-- shell exit=one --\n$ ls\n",
	} {
		if _, err := parseStory("bad", txtar.Parse([]byte(bad))); err == nil {
			t.Errorf("accepted\n%s", bad)
		}
	}
}
