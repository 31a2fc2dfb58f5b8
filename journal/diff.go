package journal

import (
	"strconv"
	"strings"
)

// A change is a run of lines put in the place of another, either may be empty.
type change struct{ removed, added []string }

// A fileDiff is what a unified diff says of one file.
type fileDiff struct {
	from, to string // paths as written, marks a/ and b/ taken off; "" is /dev/null
	changes  []change
}

// readDiff reads a unified diff, with or without git's own lines. What is no diff
// gives nothing; a hunk that ends early gives what there is of it.
func readDiff(text string) (files []fileDiff) {
	r := diffReader{rest: text}
	for r.next() {
		switch {
		case strings.HasPrefix(r.line, "--- "):
			from := r.line
			if !strings.HasPrefix(r.rest, "+++ ") || !r.next() {
				continue
			}
			files = append(files, fileDiff{from: diffPath(from[4:], "a/"), to: diffPath(r.line[4:], "b/")})
		case strings.HasPrefix(r.line, "@@ ") && len(files) > 0:
			f := &files[len(files)-1]
			f.changes = append(f.changes, r.hunk()...)
		}
	}
	return files
}

type diffReader struct{ rest, line string }

// next moves on by one line.
func (r *diffReader) next() bool {
	if r.rest == "" {
		return false
	}
	r.line, r.rest, _ = strings.Cut(r.rest, "\n")
	r.line = strings.TrimSuffix(r.line, "\r")
	return true
}

// hunk reads the lines behind the @@ line just read, as many as it promises: the
// text of a removed line can look like anything.
func (r *diffReader) hunk() (list []change) {
	old, now, counted := hunkCounts(r.line)
	var c change
	flush := func() {
		if len(c.removed)+len(c.added) > 0 {
			list = append(list, c)
		}
		c = change{}
	}
	for (!counted || old > 0 || now > 0) && r.rest != "" {
		mark := r.rest[0]
		if !counted && (mark == '@' || strings.HasPrefix(r.rest, "--- ") || strings.HasPrefix(r.rest, "diff ")) {
			break
		}
		switch mark {
		case '+':
			if r.next(); len(c.added) < maxLines {
				c.added = append(c.added, r.line[1:])
			}
			now--
		case '-':
			if r.next(); len(c.added) > 0 {
				flush() // removed behind added: another place
			}
			if len(c.removed) < maxLines {
				c.removed = append(c.removed, r.line[1:])
			}
			old--
		case '\\':
			r.next()
		case ' ', '\n', '\r':
			r.next()
			flush()
			old, now = old-1, now-1
		default:
			flush()
			return list
		}
	}
	flush()
	return list
}

// maxLines is the most lines of one side of a change that are looked at.
const maxLines = 1 << 16

// hunkCounts reads "@@ -1,3 +1,4 @@".
func hunkCounts(s string) (old, now int, ok bool) {
	part := strings.Fields(s)
	if len(part) < 3 || part[1] == "" || part[1][0] != '-' || part[2][0] != '+' {
		return 0, 0, false
	}
	count := func(s string) (int, bool) {
		_, n, both := strings.Cut(s[1:], ",")
		if !both {
			return 1, true
		}
		v, err := strconv.Atoi(n)
		return v, err == nil && v >= 0
	}
	old, ok1 := count(part[1])
	now, ok2 := count(part[2])
	return old, now, ok1 && ok2
}

// diffPath is the path of a file line: without its mark, without the time that
// diff puts behind a tab.
func diffPath(s, mark string) string {
	s, _, _ = strings.Cut(s, "\t")
	if s = strings.TrimSpace(s); s == "/dev/null" {
		return ""
	}
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		if plain, err := strconv.Unquote(s); err == nil {
			s = plain
		}
	}
	return strings.TrimPrefix(s, mark)
}

// readPatch reads the envelope of apply_patch (V4A): *** Begin Patch, files, and
// hunks without positions.
func readPatch(text string) (edits []textEdit) {
	var e *textEdit
	var c change
	flush := func() {
		if e != nil && len(c.removed)+len(c.added) > 0 {
			e.changes = append(e.changes, c)
		}
		c = change{}
	}
	for _, l := range cut(text) {
		verb, path, named := patchFile(l)
		switch {
		case named && verb == "Move to":
			if e != nil {
				e.from, e.path = e.path, path
			}
		case named:
			flush()
			edits = append(edits, textEdit{path: path})
			e = &edits[len(edits)-1]
			if verb == "Delete" {
				e.kind = editDelete
			}
		case e == nil || strings.HasPrefix(l, "***"):
		case l == "" || l[0] == ' ' || l[0] == '@':
			flush()
		case l[0] == '+':
			c.added = append(c.added, l[1:])
		case l[0] == '-':
			if len(c.added) > 0 {
				flush()
			}
			c.removed = append(c.removed, l[1:])
		}
	}
	flush()
	return edits
}

// patchFile recognises the lines of an envelope that name a file.
func patchFile(l string) (verb, path string, ok bool) {
	if p, found := strings.CutPrefix(l, "*** Move to: "); found {
		return "Move to", strings.TrimSpace(p), true
	}
	for _, verb := range []string{"Update", "Add", "Delete"} {
		if p, found := strings.CutPrefix(l, "*** "+verb+" File: "); found {
			return verb, strings.TrimSpace(p), true
		}
	}
	return "", "", false
}
