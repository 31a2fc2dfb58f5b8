package cursorcli

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/internal/relocate"
)

// What a session keeps below chats lies in a folder named after its working
// folder, and a transcript in one named after its project (formats A.6). A session
// that was moved lies in another one than when the backup was made: it is looked
// for under its id, and what the backup holds goes to where it lives.

// A lodging is a file or folder of a session, and the folder that it is grouped in.
type lodging struct {
	root string // above the groups: "", "chats" or "projects"
	unit string // below the group
	file string // below the unit; "" when that is the file
}

// lodge takes the name of a session's file apart. What is in no group is not
// moved, only what it says.
func lodge(place, name, id string) (group string, l lodging, ok bool) {
	parts := strings.Split(name, "/")
	switch base := filepath.Base(place); {
	case len(parts) > 2 && (parts[0] == kindChats || parts[0] == kindProjects):
		l.root, parts = parts[0], parts[1:]
	case base != kindChats && base != kindProjects:
		return "", l, false
	}
	group, parts = parts[0], parts[1:]
	end := slices.Index(parts, id) + 1
	if len(parts) > 1 && parts[0] == "agent-transcripts" { // of a sub-agent: the folder of the session that started it
		end = 2
	}
	if end < 1 {
		return "", l, false
	}
	l.unit, l.file = path.Join(parts[:end]...), path.Join(parts[end:]...)
	return group, l, true
}

// whereabouts is the name under which a session's file lives now.
func (r *restorer) whereabouts(id, name string) (string, error) {
	group, l, ok := lodge(r.want.Place, name, id)
	if !ok {
		return name, nil
	}
	whole := path.Join(l.root, group, l.unit)
	if now, known := r.moved[whole]; known {
		return path.Join(now, l.file), nil
	}
	now, err := r.lookFor(group, l)
	if err != nil {
		return "", err
	}
	r.moved[whole] = now
	return path.Join(now, l.file), nil
}

// lookFor finds the group that has a unit now. Where the backup has it in several,
// those that it has are none that it was moved to; of several the one that was
// written to last is taken.
func (r *restorer) lookFor(group string, l lodging) (string, error) {
	was := path.Join(l.root, group, l.unit)
	if there, err := r.isThere(was); err != nil || there {
		return was, err
	}
	groups, err := os.ReadDir(filepath.Join(r.want.Place, l.root))
	if os.IsNotExist(err) {
		return was, nil
	}
	if err != nil {
		return "", err
	}
	found, latest := was, time.Time{}
	for _, g := range groups {
		name := path.Join(l.root, g.Name(), l.unit)
		info, err := os.Stat(filepath.Join(r.want.Place, filepath.FromSlash(name)))
		if err != nil || r.holds(name) {
			continue // not there, or a file in the place of a group
		}
		if at := info.ModTime(); found == was || at.After(latest) {
			found, latest = name, at
		}
	}
	return found, nil
}

func (r *restorer) isThere(name string) (bool, error) {
	_, err := os.Stat(filepath.Join(r.want.Place, filepath.FromSlash(name)))
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}

// holds reports whether the backup has a file or folder of that name.
func (r *restorer) holds(name string) bool {
	return slices.ContainsFunc(r.want.Names, func(n string) bool { return n == name || strings.HasPrefix(n, name+"/") })
}

// fitting is what the backup has of a file, about the folder that its session has
// now: meta.json names it, and transcripts name files in it.
func (r *restorer) fitting(id, name string, data []byte) []byte {
	m := r.relocation(id)
	switch {
	case m.From == m.To:
	case path.Base(name) == "meta.json":
		v := mover{to: m.To}
		return v.named(&moving{m: m}, data)
	case path.Ext(name) == ".jsonl":
		var out []byte
		for line := range bytes.Lines(data) {
			out = append(out, m.JSON(line)...)
		}
		return out
	}
	return data
}

// relocation is the move that a session made since, by what its meta.json said and
// says; equal folders where none is known.
func (r *restorer) relocation(id string) relocate.Map {
	if m, known := r.maps[id]; known {
		return m
	}
	m := relocate.Map{}
	for _, name := range r.want.Names {
		if path.Base(name) != "meta.json" || !belongs(name, id) {
			continue
		}
		now, err := r.whereabouts(id, name)
		if err != nil {
			continue // bringing it says so
		}
		said, err := fs.ReadFile(r.want.Files, name)
		if err != nil {
			continue // as above
		}
		from := ""
		if rec, err := jscan.Parse(said); err == nil {
			from = rec.Get("cwd").Str()
		}
		to := cwdOf(filepath.Join(r.want.Place, filepath.FromSlash(path.Dir(now))))
		if from == "" || to == "" || from == to {
			continue
		}
		m.From, m.To = paths.ParseAddress(from), paths.ParseAddress(to)
		m.Projects = map[string]string{paths.Slug(m.From.FSPath()): paths.Slug(m.To.FSPath())}
	}
	r.maps[id] = m
	return m
}
