package cursor

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// How many file addresses of a record are looked at to guess its folder.
const maxHintFiles = 64

// A chat is what the lists and records say about one conversation before its
// messages are read. It holds no bytes of the records.
type chat struct {
	id   string
	meta composer // of the record, then of the lists in their order of trust
	kind bodyKind

	record    bool // a composerData record with a value exists
	tombstone bool // the record's value is NULL: deleted
	rowid     int64

	headers   int    // entries of fullConversationHeadersOnly
	inline    int    // bubbles inside the record
	bubbles   bool   // there are bubbleId records
	state     bool   // there is an agent state
	root      []byte // that state, where nothing else holds messages
	firstUser string // bubble id
	last      string
	lastAt    time.Time
	preview   string

	ownID    string         // workspace id by the record
	listID   string         // workspace id by the lists, a weaker witness
	explicit paths.Location // an address the record gives for its workspace
	spoken   paths.Location // an address its messages give
	files    []string       // paths of files it was about
	home     *workspace     // whose database holds the messages (kinds other than global)
	problems []retold.Problem
}

// bodyKind tells where a chat's messages lie.
type bodyKind byte

const (
	bodyGlobal  bodyKind = iota // records of the global database
	bodyInline                  // inside a workspace's composer.composerData
	bodyTabs                    // a tab of the chat panel
	bodyPrompts                 // nothing but the prompts of a workspace
)

// sources are the names of the stores, as Session.Sources gives them.
func (k bodyKind) source() string {
	return [...]string{"composer", "composer", "chatdata", "prompts"}[k]
}

// absorb takes over a decoded record. Values are dropped: they would keep the
// record's bytes, which can be megabytes, for as long as the chat.
func (c *chat) absorb(r composer) {
	c.record = true
	c.outlineHeaders(r.headers)
	for v := range r.conversation.Items() {
		c.outlineInline(v)
	}
	if c.inline == 0 {
		for _, v := range r.byID.Members() {
			c.outlineInline(v)
		}
	}
	if text := r.state.Str(); len(text) > 1 {
		c.state = true
		if c.headers == 0 && c.inline == 0 {
			c.root, _ = stateBytes(text) // told when the session is read
		}
	}
	c.ownID = r.place.workspaceID
	c.explicit = explicitPlace(r.place)
	c.files = hintFiles(&r)
	c.meta = r.merge(c.meta)
	c.meta.release()
}

func (c *chat) outlineHeaders(headers jscan.Value) {
	var last jscan.Value
	for h := range headers.Items() {
		c.headers++
		last = h
		if c.firstUser == "" {
			if n, _ := h.Get("type").Int(); n == 1 {
				c.firstUser = h.Get("bubbleId").Str()
			}
		}
	}
	c.last, c.lastAt = last.Get("bubbleId").Str(), parseTime(last.Get("createdAt"))
}

func (c *chat) outlineInline(v jscan.Value) {
	b := decodeBubble(v)
	c.inline++
	if at, _ := b.moment(time.Time{}); !at.IsZero() && c.headers == 0 {
		c.lastAt = at
	}
	if role, text := b.said(); role == retold.RoleUser && c.preview == "" && c.headers == 0 {
		c.preview = retold.Preview(text)
	}
}

// merge fills what c lacks from a weaker source. An explicit empty name is kept.
func (c composer) merge(weak composer) composer {
	if !c.named {
		c.name, c.named = weak.name, weak.named
	}
	for _, t := range []struct{ mine, theirs *time.Time }{{&c.created, &weak.created}, {&c.updated, &weak.updated}, {&c.checkpoint, &weak.checkpoint}} {
		if t.mine.IsZero() || t.mine != &c.created && t.theirs.After(*t.mine) {
			*t.mine = *t.theirs
		}
	}
	for _, s := range []struct{ mine, theirs *string }{
		{&c.id, &weak.id}, {&c.mode, &weak.mode}, {&c.model, &weak.model}, {&c.branch, &weak.branch},
		{&c.parent, &weak.parent}, {&c.rootParent, &weak.rootParent}, {&c.place.workspaceID, &weak.place.workspaceID},
		{&c.place.repo, &weak.place.repo}, {&c.place.worktree, &weak.place.worktree}, {&c.place.plainURI, &weak.place.plainURI},
	} {
		if *s.mine == "" {
			*s.mine = *s.theirs
		}
	}
	for _, n := range []struct{ mine, theirs **int }{{&c.linesAdded, &weak.linesAdded}, {&c.linesRemoved, &weak.linesRemoved}, {&c.filesChanged, &weak.filesChanged}} {
		if *n.mine == nil {
			*n.mine = *n.theirs
		}
	}
	if c.place.uri.Kind() == jscan.None {
		c.place.uri = weak.place.uri
	}
	c.archived = c.archived || weak.archived
	return c
}

// release drops every view into the record's bytes, except the workspace's
// address, which is small and copied.
func (c *composer) release() {
	c.place.uri = slices.Clone(c.place.uri)
	c.headers, c.conversation, c.byID, c.capabilities, c.state, c.files, c.blocks, c.children = nil, nil, nil, nil, nil, nil, nil, nil
	c.place.created, c.place.attached, c.place.context = nil, nil, nil
}

// empty reports that nothing was ever said in it.
func (c *chat) empty() bool {
	return c.headers == 0 && c.inline == 0 && !c.bubbles && !c.state
}

// explicitPlace is the address a record gives itself.
func explicitPlace(p placeHints) paths.Location {
	for _, l := range []paths.Location{location(p.uri), paths.ParseURI(p.plainURI)} {
		if l.Path != "" {
			return l
		}
	}
	return paths.Location{}
}

// hintFiles collects the files a record names (formats C.3).
func hintFiles(c *composer) []string {
	var files []string
	add := func(p string) {
		if p != "" && len(files) < maxHintFiles {
			files = append(files, p)
		}
	}
	for uri := range c.files.Members() {
		add(paths.ParseURI(string(uri)).Path)
	}
	for uri := range c.blocks.Members() {
		add(paths.ParseURI(string(uri)).Path)
	}
	for v := range c.place.created.Items() {
		add(uriPath(v.Get("uri")))
	}
	for v := range c.place.context.Get("fileSelections").Items() {
		add(uriPath(v.Get("uri")))
	}
	for v := range c.place.attached.Items() {
		add(uriPath(v))
	}
	return files
}

// commonFolder is the deepest folder that holds all files; "" when that is the
// top of the disk, or when there is no absolute path among them.
func commonFolder(files []string) string {
	var common []string
	for i, f := range files {
		if !strings.HasPrefix(f, "/") && !strings.Contains(f, `:\`) && !strings.Contains(f, "://") {
			continue
		}
		parts := strings.Split(path.Dir(strings.ReplaceAll(f, `\`, "/")), "/")
		if common == nil || i == 0 {
			common = parts
			continue
		}
		n := 0
		for n < len(common) && n < len(parts) && common[n] == parts[n] {
			n++
		}
		common = common[:n]
	}
	dir := strings.Join(common, "/")
	if strings.Count(strings.Trim(dir, "/"), "/") < 1 {
		return ""
	}
	if len(dir) > 1 && dir[1] == ':' {
		dir = strings.ReplaceAll(dir, "/", `\`)
	}
	return dir
}
