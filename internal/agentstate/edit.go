package agentstate

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/retold-history/retold"
)

// maxDiffSide bounds each side of a diff that has to be computed; a generated
// file beyond it is not worth minutes.
const maxDiffSide = 2 << 20

// files lists the paths that the call read, wrote or asked about by name.
// Folders that were merely searched are in the parameters.
func (t *ToolCall) files(o outcome) []string {
	var out []string
	add := func(paths ...string) {
		for _, p := range paths {
			if p != "" && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	args, _ := parse(t.body.bytes(1))
	switch t.Name {
	case "read", "edit", "delete", "pi_read", "pi_edit", "pi_write":
		add(textNamed(args, t.typeOf(1), "path"), textNamed(o.body, o.kind, "path"))
	case "read_lints":
		add(args.texts(1)...)
	case "generate_image":
		add(args.text(2), textNamed(o.body, o.kind, "filePath"))
	case "blame_by_file_path":
		add(args.text(1))
	case "ai_attribution":
		add(args.texts(5)...)
	case "report_bug":
		add(args.text(2))
	case "apply_agent_diff":
		for change := range appliedChanges(o) {
			add(change.text(1))
		}
	}
	return out
}

// appliedChanges yields the AppliedAgentChange records of apply_agent_diff.
func appliedChanges(o outcome) func(func(message) bool) {
	return func(yield func(message) bool) {
		list := o.body.all(1)
		if o.name == "error" {
			list = o.body.all(2)
		}
		for b := range list {
			m, _ := parse(b)
			if !yield(m) {
				return
			}
		}
	}
}

// diff is the unified diff of an edit that took place, "" when it cannot be known.
func (t *ToolCall) diff(o outcome) string {
	switch {
	case t.Name == "edit" && o.name == "success":
		return editDiff(o.body)
	case t.Name == "delete" && o.name == "success" && o.body.has(4):
		return UnifiedDiff(o.body.text(1), o.body.text(4), "", false, true)
	case t.Name == "pi_edit" && o.name == "success":
		path := t.argText("path")
		for _, text := range []string{o.body.text(3), o.body.text(2)} { // patch, diff
			if strings.Contains(text, "@@") {
				return withHeader(path, text)
			}
		}
	case t.Name == "apply_agent_diff":
		var b strings.Builder
		for c := range appliedChanges(o) {
			if before, after := c.has(3), c.has(4); before || after {
				b.WriteString(UnifiedDiff(c.text(1), c.text(3), c.text(4), !before, !after))
			}
		}
		return b.String()
	}
	return ""
}

// editDiff reads EditSuccess: the stored diff, else the two texts.
func editDiff(s message) string {
	path := s.text(1)
	if d := s.text(5); strings.TrimSpace(d) != "" {
		return withHeader(path, d)
	}
	before, after := s.text(6), s.text(7)
	switch {
	case s.has(6):
		return UnifiedDiff(path, before, after, false, false)
	case s.has(7) && s.uint(4) == 0: // lines_removed: nothing was there before
		return UnifiedDiff(path, "", after, true, false)
	}
	return ""
}

// withHeader puts the two file lines above a diff that has none.
func withHeader(path, diff string) string {
	if strings.HasPrefix(diff, "--- ") || strings.HasPrefix(diff, "diff ") || strings.Contains(diff, "\n--- ") || path == "" {
		return diff
	}
	return "--- " + path + "\n+++ " + path + "\n" + diff
}

// UnifiedDiff compares two texts of a file. It is "" when they are equal or too
// large to compare.
func UnifiedDiff(path, before, after string, created, deleted bool) string {
	if before == after || len(before) > maxDiffSide || len(after) > maxDiffSide {
		return ""
	}
	from, to := path, path
	if created {
		from = "/dev/null"
	}
	if deleted {
		to = "/dev/null"
	}
	return udiff.Unified(from, to, before, after)
}

// fragmentDiff is the diff that a replacement of one piece of a file makes; its
// line numbers count from the piece.
func fragmentDiff(path, before, after string, status retold.ToolStatus) string {
	if status != retold.StatusCompleted || path == "" {
		return ""
	}
	if !strings.HasSuffix(before, "\n") && !strings.HasSuffix(after, "\n") { // a piece, not the file's end
		before, after = before+"\n", after+"\n"
	}
	return UnifiedDiff(path, before, after, false, false)
}
