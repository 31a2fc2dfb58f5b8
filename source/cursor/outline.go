package cursor

import (
	"hash/fnv"
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

	record    bool // a composerData record that can be read exists
	stored    bool // a composerData record with a value exists
	tombstone bool // the record's value is NULL: deleted
	rowid     int64

	headers   int  // entries of fullConversationHeadersOnly
	inline    int  // bubbles inside the record
	bubbles   bool // there are bubbleId records
	state     bool // there is an agent state
	cloud     bool // the state is that of an agent in the cloud
	childIDs  []string
	root      []byte // that state, where nothing else holds messages
	firstUser string // bubble id
	last      string
	lastAt    time.Time
	latest    time.Time // of all headers
	preview   string
	count     int    // messages, where that is known without reading on; else negative
	sum       uint64 // of the bytes that hold the messages, where they lie in one value

	createdSource retold.TimeSource // "" for a stored time

	ownID      string         // workspace id by the record
	explicit   paths.Location // an address the record gives for its workspace
	headID     string         // workspace id by the lists of the whole installation
	headPlace  paths.Location // an address they give
	listID     string         // workspace in whose own lists it stands
	projectDir string         // ~/.cursor/projects/<slug>, by its messages
	spoken     paths.Location // an address its messages give
	files      []string       // paths of files it was about
	home       *workspace     // whose database holds the messages (kinds other than global)
	problems   []retold.Problem
}

// bodyKind tells where a chat's messages lie.
type bodyKind byte

const (
	bodyGlobal  bodyKind = iota // records of the global database
	bodyInline                  // inside a workspace's composer.composerData
	bodyTabs                    // a tab of the chat panel
	bodyPrompts                 // nothing but the prompts of a workspace
)

// source is the name of the store that holds the messages, as Session.Sources
// gives it.
func (c *chat) source() string {
	if c.kind == bodyGlobal && c.state && c.headers == 0 && c.inline == 0 && !c.bubbles {
		return "agentkv"
	}
	return [...]string{"composer", "composer", "chatdata", "prompts"}[c.kind]
}

func checksum(b []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(b) // a hash never fails
	return h.Sum64()
}

// absorb takes over a decoded record. Values are dropped: they would keep the
// record's bytes, which can be megabytes, for as long as the chat.
func (c *chat) absorb(r composer) {
	c.record = true
	c.outlineHeaders(&r)
	for v := range r.conversation.Items() {
		c.outlineInline(v)
	}
	if c.inline == 0 {
		for _, e := range mapByTime(r.byID) {
			c.outlineInline(e.value)
		}
	}
	if root, err := inlineState(r.state); err == nil && len(root) > 0 { // an error is told by take
		c.state = true
		if c.headers == 0 && c.inline == 0 {
			c.root = root
		}
	}
	c.childIDs = r.childIDs()
	c.ownID = r.place.workspaceID
	c.explicit = explicitPlace(r.place)
	c.files = hintFiles(&r)
	c.meta = r.merge(c.meta)
	c.meta.release()
}

// outlineHeaders takes from the headers what a listing needs; there can be tens of
// thousands of them, so it looks at most members of none but the last.
func (c *chat) outlineHeaders(r *composer) {
	if r.headers.Empty() {
		c.outlineKeyed(r)
		return
	}
	var last jscan.Value
	for h := range r.headers.Items() {
		c.headers++
		last = h
		if c.firstUser == "" {
			if n, _ := h.Get("type").Int(); n == 1 {
				c.firstUser = h.Get("bubbleId").Str()
			}
		}
	}
	c.last, c.lastAt = last.Get("bubbleId").Str(), parseTime(last.Get("createdAt"))
	if !c.lastAt.IsZero() {
		return
	}
	for h := range r.headers.Items() { // some of those before it may be dated
		if at := parseTime(h.Get("createdAt")); at.After(c.latest) {
			c.latest = at
		}
	}
}

// outlineKeyed is outlineHeaders for the variant keyed by bubble.
func (c *chat) outlineKeyed(r *composer) {
	for s := range r.slots() {
		c.headers++
		c.last, c.lastAt = s.id, s.at
		if s.at.After(c.latest) {
			c.latest = s.at
		}
		if s.kind == 1 && c.firstUser == "" {
			c.firstUser = s.id
		}
	}
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
		{&c.id, &weak.id},
		{&c.mode, &weak.mode},
		{&c.model, &weak.model},
		{&c.branch, &weak.branch},
		{&c.v, &weak.v},
		{&c.parent, &weak.parent},
		{&c.rootParent, &weak.rootParent},
		{&c.place.workspaceID, &weak.place.workspaceID},
		{&c.place.repo, &weak.place.repo},
		{&c.place.worktree, &weak.place.worktree},
		{&c.place.plainURI, &weak.place.plainURI},
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
	if c.archived == nil {
		c.archived = weak.archived
	}
	c.subagent = c.subagent || weak.subagent
	c.draftText = c.draftText || weak.draftText
	return c
}

// release drops every view into the record's bytes, except the workspace's
// address, which is small and copied.
func (c *composer) release() {
	c.place.uri = slices.Clone(c.place.uri)
	c.headers, c.headersByID, c.conversation, c.byID, c.capabilities, c.state, c.files, c.blocks = nil, nil, nil, nil, nil, nil, nil, nil
	c.children, c.variants, c.draft, c.todos, c.summary = nil, nil, nil, nil, nil
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

// commonFolder is the deepest folder that holds all files; "" when there is no
// absolute path among them, or when that folder is no more than somebody's home
// or the top of the disk.
func commonFolder(files []string) string {
	var common []string
	for _, f := range files {
		if !isAbsolute(f) {
			continue
		}
		f = strings.ReplaceAll(f, `\`, "/")
		parts := strings.Split(f[:max(strings.LastIndexByte(f, '/'), 0)], "/")
		if common == nil {
			common = parts
			continue
		}
		n := 0
		for n < len(common) && n < len(parts) && common[n] == parts[n] {
			n++
		}
		common = common[:n:n]
	}
	dir := strings.Join(common, "/")
	if !strings.Contains(dir, "://") && tooHigh(dir) {
		return ""
	}
	if len(dir) > 1 && dir[1] == ':' || strings.HasPrefix(dir, "//") {
		dir = strings.ReplaceAll(dir, "/", `\`)
	}
	return dir
}

func isAbsolute(p string) bool {
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\\`) || strings.Contains(p, "://") ||
		len(p) > 2 && p[1] == ':' && (p[2] == '\\' || p[2] == '/')
}

// tooHigh reports a folder that says nothing about what was worked on.
func tooHigh(dir string) bool {
	parts := strings.FieldsFunc(dir, func(r rune) bool { return r == '/' })
	if len(parts) > 0 && strings.HasSuffix(parts[0], ":") {
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return true
	}
	home := parts[0] == "home" || parts[0] == "Users"
	return home && len(parts) < 3 || !home && len(parts) < 2
}
