package cursor

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
)

// A catalog is the union of all the lists in which Cursor names conversations
// (formats D.1): none of them is complete.
type catalog struct {
	user       string
	workspaces map[string]*workspace // by id
	chats      map[string]*chat      // by id, byte-exact
	projects   map[string]paths.Location
	members    map[string]string // composer → Glass project
	problems   []retold.Problem

	only  string   // read the records of this id alone
	brief bool     // and no lists
	full  composer // the record of that id, with its values
}

func newCatalog(user string) *catalog {
	return &catalog{user: user, workspaces: map[string]*workspace{}, chats: map[string]*chat{}, projects: map[string]paths.Location{}, members: map[string]string{}}
}

// chat returns the entry of an id, made when it is new; nil for what is no id.
func (g *catalog) chat(id string) *chat {
	if !isID(id) {
		return nil
	}
	c := g.chats[id]
	if c == nil {
		c = &chat{id: id}
		c.meta.id = id
		g.chats[id] = c
	}
	return c
}

func (g *catalog) trouble(path, key, kind string, err error) {
	g.problems = append(g.problems, retold.Problem{Path: path, Key: key, Kind: kind, Reason: reason(err)})
}

// buildCatalog reads every list of an installation. Only a cancelled context
// ends it; everything else becomes a problem.
func buildCatalog(ctx context.Context, user string) (*catalog, error) {
	g := newCatalog(user)
	dirs, err := workspaceDirs(user)
	if err != nil {
		g.trouble(user, "", retold.ProblemUnreadable, err)
	}
	if err := g.loadWorkspaces(ctx, dirs); err != nil {
		return nil, err
	}
	if err := g.loadGlobal(ctx); err != nil {
		return nil, err
	}
	g.mergeWorkspaces()
	return g, nil
}

// findChat reads what the lists and records say about one id, opening as few
// files as that takes. The chat is nil when nothing names it. With brief set,
// the lists are left alone where the record itself leads to the messages.
func findChat(ctx context.Context, user, id string, brief bool) (*catalog, *chat, error) {
	g := newCatalog(user)
	g.only, g.brief = id, brief
	if err := g.loadGlobal(ctx); err != nil {
		return nil, nil, err
	}
	if c := g.chats[id]; brief && c != nil && (c.headers > 0 || c.bubbles) {
		return g, c, nil
	}
	dirs, err := workspaceDirs(user)
	if err != nil {
		g.trouble(user, "", retold.ProblemUnreadable, err)
	}
	c := g.chats[id]
	if c != nil && !c.empty() {
		own := cmp.Or(c.ownID, c.listID)
		if i := slices.Index(dirs, filepath.Join(user, "workspaceStorage", own)); own != "" && i >= 0 {
			dirs = dirs[i : i+1]
		}
	}
	if err := g.loadWorkspaces(ctx, dirs); err != nil {
		return nil, nil, err
	}
	g.mergeWorkspaces()
	return g, g.chats[id], nil
}

// loadGlobal reads the databases that serve the whole installation.
func (g *catalog) loadGlobal(ctx context.Context) error {
	for i, path := range listDBs(g.user) {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := g.loadLists(ctx, path, i == 0); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			g.trouble(path, "", retold.ProblemUnreadable, err)
		}
	}
	return nil
}

// loadWorkspaces opens the workspace databases side by side.
func (g *catalog) loadWorkspaces(ctx context.Context, dirs []string) error {
	loaded := make([]*workspace, len(dirs))
	var group errgroup.Group
	group.SetLimit(4)
	for i, dir := range dirs {
		group.Go(func() error {
			loaded[i] = loadWorkspace(ctx, dir)
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, w := range loaded {
		g.workspaces[w.id] = w
		g.problems = append(g.problems, w.problems...)
	}
	return nil
}

// loadLists reads one database with lists of the whole installation; in the
// global one also the records themselves.
func (g *catalog) loadLists(ctx context.Context, path string, global bool) (err error) {
	db, err := livedb.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if note := db.Note(); note != "" {
		g.trouble(path, "", retold.ProblemUnreadable, errors.New(note))
	}
	var t tables
	var heads []composer
	var items map[string]row
	var withBubbles, withState []string
	err = db.Read(ctx, func(conn *sqlite.Conn) error {
		if t, err = findTables(conn); err != nil {
			return err
		}
		if t.heads && !g.brief {
			if heads, err = tableHeads(conn); err != nil {
				return err
			}
		}
		if t.items && !g.brief {
			if items, err = get(conn, "ItemTable", keyHeaders, keyProjects, keyMembership); err != nil {
				return err
			}
		}
		if !t.disk || !global {
			return nil
		}
		if withBubbles, err = g.owners(conn, "bubbleId"); err != nil {
			return err
		}
		withState, err = g.owners(conn, "agentKv:checkpoint")
		return err
	})
	if err != nil {
		return err
	}
	g.addHeads(heads)
	g.addItems(path, items)
	if !t.disk || !global {
		return nil
	}
	for _, id := range withBubbles {
		if c := g.chat(id); c != nil {
			c.bubbles = true
		}
	}
	if err := g.loadRecords(ctx, db); err != nil {
		return err
	}
	for _, id := range withState {
		if c := g.chat(id); c != nil {
			c.state = true
		}
	}
	if err := g.outlineStates(ctx, db); err != nil || g.brief {
		return err
	}
	return g.outlineBubbles(ctx, db)
}

// tableHeads reads the composerHeaders table (formats D.1).
func tableHeads(conn *sqlite.Conn) (heads []composer, err error) {
	err = sqlitex.Execute(conn, "SELECT * FROM composerHeaders", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			heads = append(heads, tableHead(s))
			return nil
		},
	})
	return heads, err
}

// tableHead reads one row by the names of its columns; builds may add some.
func tableHead(s *sqlite.Stmt) composer {
	v, err := jscan.Parse([]byte(s.GetText("value")))
	head := composer{}
	if err == nil {
		head = decodeComposer(v)
	}
	head.id = s.GetText("composerId")
	col := func(name string) jscan.Value { return jscan.Value(s.GetText(name)) }
	row := composer{
		created: parseTime(col("createdAt")), updated: parseTime(col("lastUpdatedAt")), checkpoint: parseTime(col("checkpointAt")),
		archived: s.GetInt64("isArchived") != 0,
	}
	row.place.workspaceID = s.GetText("workspaceId")
	head = head.merge(row)
	head.release()
	return head
}

// addHeads merges a list into what stronger lists said.
func (g *catalog) addHeads(heads []composer) {
	for _, h := range heads {
		if c := g.chat(h.id); c != nil {
			c.meta = c.meta.merge(h)
			if c.listID == "" {
				c.listID = h.place.workspaceID
			}
			if c.explicit.Path == "" {
				c.explicit = explicitPlace(h.place)
			}
		}
	}
}

func (g *catalog) addItems(path string, items map[string]row) {
	parse := func(key string) jscan.Value {
		r, ok := items[key]
		if !ok || len(r.value) == 0 {
			return nil
		}
		v, err := jscan.Parse(r.value)
		if err != nil {
			g.trouble(path, key, retold.ProblemMalformed, err)
		}
		return v
	}
	var heads []composer
	for h := range parse(keyHeaders).Get("allComposers").Items() {
		head := decodeComposer(h)
		head.release()
		heads = append(heads, head)
	}
	g.addHeads(heads)
	for p := range parse(keyProjects).Items() {
		g.projects[p.Get("id").Str()] = location(p.At("workspace", "uri"))
	}
	for id, project := range parse(keyMembership).Members() {
		g.members[string(id)] = project.Str()
	}
}

// owners lists the ids that have records of a family.
func (g *catalog) owners(conn *sqlite.Conn, family string) ([]string, error) {
	if g.only == "" {
		return owners(conn, family)
	}
	found := false
	err := sqlitex.Execute(conn, "SELECT 1 FROM cursorDiskKV WHERE key = ?1 OR key >= ?1 || ':' AND key < ?1 || ';' LIMIT 1", &sqlitex.ExecOptions{
		Args:       []any{family + ":" + g.only},
		ResultFunc: func(*sqlite.Stmt) error { found = true; return nil },
	})
	if err != nil || !found {
		return nil, err
	}
	return []string{g.only}, nil
}

// loadRecords reads every composerData record, a page at a time, or the one
// that is wanted.
func (g *catalog) loadRecords(ctx context.Context, db *livedb.DB) error {
	const family = "composerData:"
	if g.only != "" {
		var found map[string]row
		err := db.Read(ctx, func(conn *sqlite.Conn) (err error) {
			found, err = get(conn, "cursorDiskKV", family+g.only)
			return err
		})
		if r, ok := found[family+g.only]; ok {
			c := g.chat(g.only)
			c.rowid = r.rowid
			g.full, _ = c.take(db.Path(), r)
		}
		return err
	}
	return scan(ctx, db, "cursorDiskKV", family, 64, func(r row) error {
		if c := g.chat(r.key[len(family):]); c != nil {
			c.rowid = r.rowid
			c.take(db.Path(), r)
		}
		return nil
	})
}

// take reads a composerData record into the chat.
func (c *chat) take(path string, r row) (composer, bool) {
	if r.null || len(r.value) == 0 {
		c.tombstone = true
		return composer{}, false
	}
	v, err := jscan.Parse(r.value)
	if err == nil && v.Kind() == jscan.Null {
		c.tombstone = true
		return composer{}, false
	}
	if err != nil || v.Kind() != jscan.Object {
		if err == nil {
			err = errors.New("not a JSON object")
		}
		c.problems = append(c.problems, retold.Problem{Path: path, Key: r.key, Kind: retold.ProblemMalformed, Reason: reason(err)})
		if v.Kind() != jscan.Object {
			return composer{}, false
		}
	}
	record := decodeComposer(v)
	full := record
	full.id, record.id = c.id, c.id
	c.absorb(record)
	return full, true
}

// mergeWorkspaces adds what only the workspaces' own lists know: heads, inline
// conversations, pane keys, chat tabs, prompts.
func (g *catalog) mergeWorkspaces() {
	ids := slices.Sorted(maps.Keys(g.workspaces))
	for _, id := range ids {
		w := g.workspaces[id]
		for i := range w.heads {
			head := w.heads[i]
			c := g.chat(head.id)
			body, inline := w.inline[head.id]
			if inline && c.empty() && !c.record {
				c.absorb(decodeComposer(body))
				c.kind, c.home = bodyInline, w
			}
			head.release()
			c.meta = c.meta.merge(head)
			if c.listID == "" {
				c.listID = w.id
			}
		}
	}
	for _, id := range ids {
		w := g.workspaces[id]
		for _, named := range w.named {
			if c := g.chat(named); c.listID == "" {
				c.listID = w.id
			}
		}
		g.addTabs(w)
	}
	for _, id := range ids {
		g.addPrompts(g.workspaces[id])
	}
}
