package digest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/retold-history/retold"
)

// A Change is what became of one file.
type Change struct {
	Path           string
	Edits          int // that were made
	Added, Removed int // lines, as far as diffs are stored
	Last           *retold.Message
}

// Changes are the files that were edited, those edited last at the end.
func Changes(messages []retold.Message) (out []Change) {
	for _, m := range live(messages) {
		if !isEdit(m) || m.Tool.Status != retold.StatusCompleted {
			continue
		}
		added, removed := lines(m.Tool.Diff)
		for i, path := range m.Tool.Files {
			at := slices.IndexFunc(out, func(c Change) bool { return c.Path == path })
			c := Change{Path: path}
			if at >= 0 {
				c = out[at]
				out = slices.Delete(out, at, at+1)
			}
			c.Edits++
			c.Last = m
			if i == 0 {
				c.Added, c.Removed = c.Added+added, c.Removed+removed
			}
			out = append(out, c)
		}
	}
	return out
}

func isEdit(m *retold.Message) bool { return m.Tool != nil && m.Tool.Kind == retold.ToolEdit }

// lines counts what a unified diff adds and removes.
func lines(diff string) (added, removed int) {
	inHunk := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inHunk = true
		case strings.HasPrefix(line, "--- ") && !inHunk, strings.HasPrefix(line, "+++ ") && !inHunk:
		case inHunk && strings.HasPrefix(line, "+"):
			added++
		case inHunk && strings.HasPrefix(line, "-"):
			removed++
		case strings.HasPrefix(line, "diff "):
			inHunk = false
		}
	}
	return added, removed
}

// An Unfinished is an edit that may need another look.
type Unfinished struct {
	Message *retold.Message
	Path    string
	Why     string // one sentence
}

// UnfinishedEdits are edits that may need another look: those that were not made (rejected, failed,
// left waiting) and not made later either, and those made after the last test
// that passed. Where no test ever passed, only the former.
func UnfinishedEdits(messages []retold.Message) []Unfinished {
	all := live(messages)
	passed := -1
	for _, c := range Commands(messages) {
		if !c.Failed && !c.Unknown && IsTest(c.Text) {
			passed = max(passed, c.Message.Index)
		}
	}
	byPath := map[string]Unfinished{}
	for _, m := range all {
		if !isEdit(m) {
			continue
		}
		for _, path := range m.Tool.Files {
			switch why := notMade(m); {
			case why != "":
				byPath[path] = Unfinished{m, path, why}
			case passed >= 0 && m.Index > passed:
				byPath[path] = Unfinished{m, path, "edited after the last test that passed"}
			default:
				delete(byPath, path)
			}
		}
	}
	var out []Unfinished
	for _, u := range byPath {
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b Unfinished) int {
		return cmp.Or(cmp.Compare(a.Message.Index, b.Message.Index), strings.Compare(a.Path, b.Path))
	})
	return out
}

func notMade(m *retold.Message) string {
	switch m.Tool.Status {
	case retold.StatusPending:
		return "never finished"
	case retold.StatusCancelled:
		return "cancelled or rejected"
	case retold.StatusFailed:
		return "failed"
	}
	return ""
}
