package journal

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ConfigFormerly names a folder that the repository was in before, as often as
// there are any.
const ConfigFormerly = "retold.formerly"

// about reports whether a session is known to be about the repository: it was held
// in it, or wrote in it. told says that all sessions were read.
func (c *candidate) about(s *scope, told bool) bool {
	if !c.foreign && !c.weak && c.setting.base != "" {
		for _, r := range c.setting.roots {
			if _, in := below(c.setting.base, r.path, s.fold); in {
				return true
			}
		}
	}
	return told && !c.weak && c.work != nil && slices.ContainsFunc(c.located, func(at location) bool { return at.ok })
}

// elsewhere says which folder that is gone the repository may have been in: its
// conversations wrote lines of the commit in files of the same name. "" for none.
func (q *inquiry) elsewhere(f *facts) string {
	type found struct {
		folder string
		lines  map[uint64]bool
	}
	var list []*found
	for _, c := range q.sessions {
		if !c.foreign || c.work == nil || c.off(f) || c.setting.base == "" {
			continue
		}
		for i := range c.work.edits {
			e := &c.work.edits[i]
			folder, lines := f.held(editPath(e.path, c.setting.base), e)
			if len(lines) == 0 || e.orphan || !e.happened(f) {
				continue
			}
			n := slices.IndexFunc(list, func(o *found) bool { return o.folder == folder })
			if n < 0 {
				n = len(list)
				list = append(list, &found{folder, map[uint64]bool{}})
			}
			for _, l := range lines {
				list[n].lines[l] = true
			}
		}
	}
	slices.SortFunc(list, func(a, b *found) int {
		return cmp.Or(cmp.Compare(len(b.lines), len(a.lines)), cmp.Compare(a.folder, b.folder))
	})
	all := 0
	for i := range f.files {
		if !f.files[i].derived {
			all += f.files[i].plain
		}
	}
	for _, o := range list {
		if len(o.lines) < manyLines || len(o.lines)*3 < all {
			break
		}
		if _, err := os.Lstat(filepath.FromSlash(o.folder)); os.IsNotExist(err) {
			return fmt.Sprintf("conversations about %s, a folder that is gone, wrote %s of it: if this repository was there, say so with `git config --add %s %q`", o.folder, lineCount(len(o.lines)), ConfigFormerly, o.folder)
		}
	}
	return ""
}

// happened reports whether an edit can be in a commit by its time.
func (e *edit) happened(f *facts) bool { return e.floor <= f.committed+slack }

// held finds the lines of a commit that an edit of a path wrote, and the folder that
// the repository would have been in.
func (f *facts) held(path string, e *edit) (folder string, norms []uint64) {
	for i := range f.files {
		file := &f.files[i]
		top, ok := strings.CutSuffix(path, "/"+file.path)
		if !ok || file.derived {
			continue
		}
		added := map[uint64]bool{}
		for _, h := range file.hunks {
			for _, l := range h.added {
				if l.plain {
					added[l.norm] = true
				}
			}
		}
		for _, c := range e.changes {
			for _, l := range c.added {
				if l.plain && !l.stood && added[l.norm] {
					norms = append(norms, l.norm)
				}
			}
		}
		return top, norms
	}
	return "", nil
}
