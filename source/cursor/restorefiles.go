package cursor

import (
	"bytes"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// mention notes the images that a value names: files below a folder of that name,
// whichever way slashes lean.
func (c *returning) mention(value []byte) {
	for at := 0; ; {
		i := bytes.Index(value[at:], []byte("images"))
		if i < 0 {
			return
		}
		at += i + len("images")
		name := bytes.TrimLeft(value[at:], `/\`)
		if len(name) == len(value)-at {
			continue
		}
		if end := bytes.IndexAny(name, `"\/`+"\n"); end > 0 {
			name = name[:end]
			c.images[string(name)] = true
			if plain, err := url.PathUnescape(string(name)); err == nil {
				c.images[plain] = true
			}
		}
	}
}

// ask notes the requests of messages.
func (c *returning) ask(value []byte) {
	for w := range jscan.Words(value) {
		if !w.Key && (w.Name == "requestId" || w.Name == "latestChatGenerationUUID" || w.Name == "generationUUID") {
			c.asked[jscan.Value(value[w.Start:w.End]).Str()] = true
		}
	}
}

// pictures brings the images back that a conversation names and that are gone.
func (r *restorer) pictures(c *returning) error {
	for _, name := range r.held.images[c.from] {
		if !c.images[path.Base(name)] || r.home.db == "" || strings.Contains(name, "/") {
			continue
		}
		if err := r.missing(c.id, "workspaceStorage/"+c.from+"/images/"+name, filepath.Join(r.home.dir, "images", name)); err != nil {
			return err
		}
	}
	return nil
}

// fileStates brings the states of files back that Cursor kept for the requests of
// a conversation (formats C.8), as far as they are gone.
func (r *restorer) fileStates(c *returning) error {
	for _, request := range slices.Sorted(maps.Keys(c.asked)) {
		for _, name := range r.held.states[request] {
			if err := r.missing(c.id, name, filepath.Join(r.user, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
	}
	return nil
}

// missing brings one file back unless one is there.
func (r *restorer) missing(id, name, at string) error {
	if there, err := isThere(at); err != nil || there || r.given[at] {
		return err
	}
	if err := r.folders(id, filepath.Dir(at)); err != nil {
		return err
	}
	f, err := heldFile(r.want.Files, name)
	if err != nil {
		return err
	}
	r.given[at] = true
	return r.give(retold.Step{Session: id, File: &retold.FileChange{Path: at, After: f}})
}

// folders plans a folder below the User folder, and those above it.
func (r *restorer) folders(id, dir string) error {
	if r.given[dir] || dir == filepath.Dir(dir) {
		return nil
	}
	if there, err := isThere(dir); err != nil || there {
		return err
	}
	if err := r.folders(id, filepath.Dir(dir)); err != nil {
		return err
	}
	r.given[dir] = true
	return r.give(retold.Step{File: &retold.FileChange{Path: dir, After: &retold.File{Dir: true, Mode: 0o755}}})
}

// heldFile is a file of the backup.
func heldFile(files fs.FS, name string) (*retold.File, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(files, name)
	return &retold.File{Mode: os.FileMode(0o644), ModTime: info.ModTime(), Data: data}, err
}
