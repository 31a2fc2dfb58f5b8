package cursor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folder is where a conversation can be shown again: its own folder when that is
// there, else the one that most speaks for; "" when nothing does, or as much for
// another.
func (f *finder) folder(c *chat) (path, because string, err error) {
	own := f.g.place(c)
	if own.Path != "" && !gone(own) {
		return own.Path, "", nil
	}
	best, tie := evidence{}, false
	for _, dir := range f.beside(own.Path, f.repository(c, own.Path)) {
		e, err := f.weigh(c, own.Path, dir)
		if err != nil {
			return "", "", err
		}
		switch {
		case e.weight == 0 || e.weight < best.weight:
		case e.weight == best.weight:
			tie = true
		default:
			best, tie, path = e, false, dir
		}
	}
	if tie {
		return "", "", nil
	}
	return path, best.why, nil
}

// evidence is what speaks for a folder; git counts most, then files, then names.
type evidence struct {
	weight int
	why    string
}

// mostCandidates bounds how many folders are looked at.
const mostCandidates = 2000

// beside are the folders that one may have become: those of known workspaces,
// those around the place where it was, two levels deep, and the repository that the
// conversation names. Without a place they are those of workspaces.
func (f *finder) beside(lost, repository string) []string {
	key := lost + "\x00" + repository
	if list, known := f.candidates[key]; known {
		return list
	}
	found := map[string]bool{}
	if repository != "" {
		found[repository] = true
	}
	for _, w := range f.g.workspaces {
		if p := w.location.Path; p != "" && !strings.Contains(p, "://") && filepath.Ext(p) != ".code-workspace" && !gone(w.location) {
			found[p] = true
		}
	}
	root := filepath.Dir(lost)
	for range 3 {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			break
		}
		root = filepath.Dir(root)
	}
	if lost != "" && !tooHigh(filepath.ToSlash(root)) {
		for _, dir := range subfolders(root) {
			found[dir] = true
			for _, below := range subfolders(dir) {
				found[below] = true
			}
		}
	}
	list := make([]string, 0, len(found))
	for dir := range found {
		list = append(list, dir)
	}
	slices.Sort(list)
	list = list[:min(len(list), mostCandidates)]
	f.candidates[key] = list
	return list
}

// subfolders are the folders in a folder; one that cannot be listed has none to
// suggest.
func subfolders(dir string) (list []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries[:min(len(entries), mostCandidates)] {
		if e.IsDir() && e.Name()[0] != '.' && e.Name() != "node_modules" {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}

// weigh says what speaks for one folder; where nobody knows what was lost, git
// alone does.
func (f *finder) weigh(c *chat, lost, dir string) (evidence, error) {
	if e, err := f.weighGit(c, lost, dir); err != nil || e.weight > 0 || lost == "" {
		return e, err
	}
	files, there := 0, 0
	for _, p := range c.files {
		rest, below := strings.CutPrefix(p, lost+string(filepath.Separator))
		if !below {
			continue
		}
		files++
		if _, err := os.Stat(filepath.Join(dir, rest)); err == nil {
			there++
		}
	}
	named := strings.EqualFold(filepath.Base(lost), filepath.Base(dir))
	switch {
	case there > 0 && 2*there >= files:
		return evidence{10 + there, fmt.Sprintf("%d of %d files that it was about are there", there, files)}, nil
	case named:
		return evidence{1, "it has the same name"}, nil
	}
	return evidence{}, nil
}
