package cursorcli

import (
	"context"
	"fmt"
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
	view    *view    // nil: nothing is remembered
	plan    *plan    // nil: the folders were listed
	tops    []string // folders that were listed, but for those of single sessions
	records map[string]*record
	slugs   map[string]string // project folder name → its path
	faults  []error
	known   folderNames       // folders that sessions were about
	markers map[string]string // project folder name → the folder that its trust marker names
}

// A record gathers the files of one session.
type record struct {
	id          string
	stores      []*storeRef
	transcripts []transcriptRef
	states      []stateRef // as a sub-agent inside another session's store
	parent      string     // session that the files say started this one
	starter     string     // the one below whose folder its transcript lies
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
	failed bool   // store.db is there and could not be read
}

// sidecar reads the store's meta.json.
func (r *storeRef) sidecar() (sidecar, []retold.Problem) {
	if r.astray {
		return sidecar{}, nil
	}
	return readSidecar(r.dir)
}

// side is the path of meta.json.
func (r *storeRef) side() string { return filepath.Join(r.dir, "meta.json") }

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
	known  *facts // what inner says, where it was not read again
}

// scan lists the folders of a place.
func scan(ctx context.Context, place retold.Place) *catalog { return scanIn(ctx, place, nil) }

func scanIn(ctx context.Context, place retold.Place, v *view) *catalog {
	c := &catalog{place: place, view: v, records: map[string]*record{}, slugs: map[string]string{}, markers: map[string]string{}}
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
			c.chats(ctx, dir)
		case kindACP:
			c.stores(ctx, dir, sourceACP, "")
		case kindProjects:
			c.projects(ctx, dir)
		}
	}
	if c.exists(filepath.Join(place.Path, ndAgents)) {
		c.ndjson(ctx, place.Path, "")
	}
	c.joinEncoded()
	return c
}

// list is names for a folder in which sessions appear.
func (c *catalog) list(ctx context.Context, dir string) []entry {
	c.tops = append(c.tops, dir)
	return c.names(ctx, dir)
}

// names reads a folder; one that is not there is empty, one that cannot be read
// is a fault.
func (c *catalog) names(ctx context.Context, dir string) []entry {
	entries, err := c.view.list(ctx, dir)
	if err != nil {
		c.faults = append(c.faults, &retold.Error{
			Code: retold.CodeDatabaseNotFound, Op: "list", Path: dir,
			Hint: "retold doctor", Err: err,
		})
	}
	return entries
}

// subfolders also follows links to folders; the depth is fixed, so a loop of
// links cannot catch anybody.
func (c *catalog) subfolders(ctx context.Context, dir string) []string {
	var out []string
	for _, e := range c.list(ctx, dir) {
		if e.folder {
			out = append(out, e.name)
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

func (c *catalog) chats(ctx context.Context, dir string) {
	for _, hash := range c.subfolders(ctx, dir) {
		c.stores(ctx, filepath.Join(dir, hash), sourceStore, hash)
	}
}

// stores adds the sessions of a folder of folders.
func (c *catalog) stores(ctx context.Context, dir, source, hash string) {
	for _, id := range c.subfolders(ctx, dir) {
		ref := &storeRef{source: source, dir: filepath.Join(dir, id), hash: hash}
		hasSide, hasDB := c.exists(ref.side()), c.exists(ref.db())
		ref.astray = hasSide && !c.inside(ref.side())
		if hasDB && !c.inside(ref.db()) {
			continue
		}
		if hasDB || hasSide && !ref.astray {
			r := c.record(id)
			r.stores = append(r.stores, ref)
		}
	}
}

func (c *catalog) exists(path string) bool { return c.view.stat(path).found }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (c *catalog) projects(ctx context.Context, dir string) {
	for _, slug := range c.subfolders(ctx, dir) {
		project := filepath.Join(dir, slug)
		c.slugs[slug] = project
		c.transcripts(ctx, filepath.Join(project, "agent-transcripts"), slug)
		for _, hash := range c.subfolders(ctx, filepath.Join(project, "sdk-agent-store")) {
			c.sdk(ctx, filepath.Join(project, "sdk-agent-store", hash), hash)
		}
	}
}

// transcripts adds the files of every layout that there has been (formats D.6):
// flat, in a folder of their own, and those of sub-agents.
func (c *catalog) transcripts(ctx context.Context, dir, slug string) {
	all := c.list(ctx, dir)
	for _, e := range all {
		c.transcript(dir, e, slug, "")
	}
	for _, own := range all {
		if !own.folder {
			continue
		}
		below := filepath.Join(dir, own.name)
		for _, e := range c.names(ctx, below) {
			c.transcript(below, e, slug, "")
			if e.folder && e.name == subagentsFolder {
				c.subagents(ctx, filepath.Join(below, e.name), slug, own.name)
			}
		}
	}
}

const subagentsFolder = "subagents"

func (c *catalog) subagents(ctx context.Context, dir, slug, parent string) {
	for _, e := range c.names(ctx, dir) {
		c.transcript(dir, e, slug, parent)
	}
}

// formats of transcripts, best first: the order in which Cursor looks.
var formats = []string{".jsonl", ".txt", ".json"}

func (c *catalog) transcript(dir string, e entry, slug, parent string) {
	ext := filepath.Ext(e.name)
	if e.folder || !slices.Contains(formats, ext) {
		return
	}
	path := filepath.Join(dir, e.name)
	if !c.inside(path) || !c.view.stat(path).mode.IsRegular() {
		return
	}
	id := strings.TrimSuffix(e.name, ext)
	if id == "" {
		return
	}
	if id == parent { // as a session of its own it needs an id of its own
		id += subagentSuffix
	}
	r := c.record(id)
	if parent != "" && r.parent == "" {
		r.parent, r.starter = parent, parent
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
	if !c.view.stat(path).link {
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
