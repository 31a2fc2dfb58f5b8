package cursorcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// A catalog is what a place's folders say: which sessions there are, and in which
// files. Only the SDK's indexes have to be opened for it.
type catalog struct {
	place   retold.Place
	records map[string]*record
	slugs   map[string]string // project folder name → its path
	faults  []error
	known   []string // folders that sessions were about, for slugs and hashes
}

// A record gathers the files of one session.
type record struct {
	id          string
	stores      []*storeRef
	transcripts []transcriptRef
	states      []stateRef // as a sub-agent inside another session's store
	parent      string     // session that the files say started this one
}

// A storeRef is a folder with a store.db, or only a meta.json, in it.
type storeRef struct {
	source string // sourceStore, sourceACP, sourceSDK
	dir    string
	hash   string // name of the folder above: md5 of the working directory
	sdk    *sdkAgent
	lines  bool   // an SDK store in line-JSON instead of SQLite
	astray bool   // meta.json is a link that leads out of the place: it is not read
	facts  *facts // filled by survey
}

// sidecar reads the store's meta.json.
func (r *storeRef) sidecar() (sidecar, []retold.Problem) {
	if r.astray {
		return sidecar{}, nil
	}
	return readSidecar(r.dir)
}

func (r *storeRef) db() string {
	if r.lines {
		return filepath.Join(r.dir, ndCheckpoints)
	}
	return filepath.Join(r.dir, "store.db")
}

// A transcriptRef is a transcript file.
type transcriptRef struct {
	path   string
	slug   string // project folder
	parent string // for a file below subagents/
}

// A stateRef says that a session is kept as a sub-agent's state.
type stateRef struct {
	store  *storeRef
	parent string // id of the session whose state names it
	sub    agentstate.Subagent
	inner  agentstate.Header
	state  []byte
}

// scan lists the folders of a place.
func scan(ctx context.Context, place retold.Place) *catalog {
	c := &catalog{place: place, records: map[string]*record{}, slugs: map[string]string{}}
	for _, kind := range folders {
		dir := filepath.Join(place.Path, kind)
		if place.Kind != kindHome {
			if place.Kind != kind {
				continue
			}
			dir = place.Path
		}
		switch kind {
		case kindChats:
			c.chats(dir)
		case kindACP:
			c.stores(dir, sourceACP, "")
		case kindProjects:
			c.projects(ctx, dir)
		}
	}
	if exists(filepath.Join(place.Path, ndAgents)) {
		c.ndjson(ctx, place.Path, "")
	}
	c.joinEncoded()
	return c
}

// list reads a folder; one that is not there is empty, one that cannot be read is
// a fault.
func (c *catalog) list(dir string) []fs.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.faults = append(c.faults, &retold.Error{
			Code: retold.CodeDatabaseNotFound, Op: "list", Path: dir,
			Hint: "retold doctor", Err: err,
		})
	}
	return entries
}

// subfolders also follows links to folders; the depth is fixed, so a loop of
// links cannot catch anybody.
func (c *catalog) subfolders(dir string) []string {
	var out []string
	for _, e := range c.list(dir) {
		isDir := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(dir, e.Name()))
			isDir = err == nil && info.IsDir()
		}
		if isDir {
			out = append(out, e.Name())
		}
	}
	return out
}

func (c *catalog) record(id string) *record {
	r := c.records[id]
	if r == nil {
		r = &record{id: id}
		c.records[id] = r
	}
	return r
}

func (c *catalog) ids() []string { return slices.Sorted(maps.Keys(c.records)) }

func (c *catalog) chats(dir string) {
	for _, hash := range c.subfolders(dir) {
		c.stores(filepath.Join(dir, hash), sourceStore, hash)
	}
}

// stores adds the sessions of a folder of folders.
func (c *catalog) stores(dir, source, hash string) {
	for _, id := range c.subfolders(dir) {
		ref := &storeRef{source: source, dir: filepath.Join(dir, id), hash: hash}
		side := filepath.Join(ref.dir, "meta.json")
		ref.astray = exists(side) && !c.inside(side)
		if exists(ref.db()) && !c.inside(ref.db()) {
			continue
		}
		if exists(ref.db()) || exists(side) && !ref.astray {
			r := c.record(id)
			r.stores = append(r.stores, ref)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (c *catalog) projects(ctx context.Context, dir string) {
	for _, slug := range c.subfolders(dir) {
		project := filepath.Join(dir, slug)
		c.slugs[slug] = project
		c.transcripts(filepath.Join(project, "agent-transcripts"), slug)
		for _, hash := range c.subfolders(filepath.Join(project, "sdk-agent-store")) {
			c.sdk(ctx, filepath.Join(project, "sdk-agent-store", hash), hash)
		}
	}
}

// transcripts adds the files of every layout that there has been (formats D.6):
// flat, in a folder of their own, and those of sub-agents.
func (c *catalog) transcripts(dir, slug string) {
	for _, e := range c.list(dir) {
		c.transcript(filepath.Join(dir, e.Name()), slug, "")
	}
	for _, id := range c.subfolders(dir) {
		own := filepath.Join(dir, id)
		for _, e := range c.list(own) {
			c.transcript(filepath.Join(own, e.Name()), slug, "")
		}
		for _, e := range c.list(filepath.Join(own, "subagents")) {
			c.transcript(filepath.Join(own, "subagents", e.Name()), slug, id)
		}
	}
}

// formats of transcripts, best first: the order in which Cursor looks.
var formats = []string{".jsonl", ".txt", ".json"}

func (c *catalog) transcript(path, slug, parent string) {
	ext := filepath.Ext(path)
	if !slices.Contains(formats, ext) || !c.inside(path) {
		return
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	id := strings.TrimSuffix(filepath.Base(path), ext)
	if id == "" {
		return
	}
	if id == parent { // as a session of its own it needs an id of its own
		id += subagentSuffix
	}
	r := c.record(id)
	if parent != "" && r.parent == "" {
		r.parent = parent
	}
	r.transcripts = append(r.transcripts, transcriptRef{path: path, slug: slug, parent: parent})
	slices.SortStableFunc(r.transcripts, func(a, b transcriptRef) int {
		return slices.Index(formats, filepath.Ext(a.path)) - slices.Index(formats, filepath.Ext(b.path))
	})
}

// subagentSuffix tells a sub-agent's transcript from the session of the same id
// that started it.
const subagentSuffix = ":subagent"

// inside reports whether a file may be read: it is no link, or one that stays
// below the place. Anybody who can write a project folder can link to any file;
// such a link is a fault.
func (c *catalog) inside(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return true
	}
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		var root string
		if root, err = filepath.EvalSymlinks(c.place.Path); err == nil {
			rel, relErr := filepath.Rel(root, target)
			if relErr == nil && filepath.IsLocal(rel) {
				return true
			}
			err = fmt.Errorf("the link leads out of %s and was not followed", c.place.Path)
		}
	}
	c.faults = append(c.faults, &retold.Error{
		Code: retold.CodeDatabaseNotFound, Op: "read", Path: path,
		Hint: "put the file itself there, or name its folder with --cursor-home", Err: err,
	})
	return false
}

// joinEncoded gives transcripts whose file name is an encoded id (formats A.6) to
// the session of that id.
func (c *catalog) joinEncoded() {
	for _, id := range c.ids() {
		name := encodedID(id)
		other := c.records[name]
		if r := c.records[id]; name != id && other != nil && len(r.stores) > 0 && len(other.stores) == 0 {
			r.transcripts = append(r.transcripts, other.transcripts...)
			delete(c.records, name)
		}
	}
}

// encodedID is the name of a transcript file: encodeURIComponent with _ for %,
// cut at 200 characters.
func encodedID(id string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(id) {
		ch := id[i]
		if ch >= 'a' && ch <= 'z' || ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9' || strings.IndexByte("-_.!~*'()", ch) >= 0 {
			b.WriteByte(ch)
		} else {
			b.WriteByte('_')
			b.WriteByte(digits[ch>>4])
			b.WriteByte(digits[ch&15])
		}
	}
	return b.String()[:min(b.Len(), 200)]
}
