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

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// A catalog is the union of all the lists in which Cursor names conversations
// (formats D.1): none of them is complete.
type catalog struct {
	user       string
	workspaces map[string]*workspace // by id
	chats      map[string]*chat      // by id, byte-exact
	projects   map[string]glassProject
	members    map[string]string // composer → Glass project
	flaws      []flaw

	db     *livedb.DB // the global database or its backup; nil when neither can be read
	tables tables     // of db

	only  string   // read the records of this id alone
	brief bool     // and no lists
	full  composer // the record of that id, with its values
}

// A flaw is a problem with the error behind it, whose code a Problem cannot
// carry.
type flaw struct {
	retold.Problem
	err error
}

func newFlaw(path, key, kind string, err error) flaw {
	return flaw{retold.Problem{Path: path, Key: key, Kind: kind, Reason: reason(err)}, err}
}

// asError is the flaw as Headers yields it.
func (f flaw) asError() error {
	if e, ok := errors.AsType[*retold.Error](f.err); ok && e.Path == f.Path {
		return e
	}
	return &retold.Error{
		Code: cmp.Or(retold.CodeOf(f.err), retold.CodeDatabaseCorrupt), Op: "read", Path: f.Path, Hint: "retold doctor", Err: f.err,
	}
}

func newCatalog(user string) *catalog {
	return &catalog{user: user, workspaces: map[string]*workspace{}, chats: map[string]*chat{}, projects: map[string]glassProject{}, members: map[string]string{}}
}

// chat returns the entry of an id, made when it is new; nil for what is no id.
func (g *catalog) chat(id string) *chat {
	if !isID(id) {
		return nil
	}
	c := g.chats[id]
	if c == nil {
		c = &chat{id: id, count: -1}
		c.meta.id = id
		g.chats[id] = c
	}
	return c
}

func (g *catalog) trouble(path, key, kind string, err error) {
	g.flaws = append(g.flaws, newFlaw(path, key, kind, err))
}

func (g *catalog) close() error {
	if g.db == nil {
		return nil
	}
	err := g.db.Close()
	g.db = nil
	return err
}

// buildCatalog reads every list of an installation. Only a cancelled context
// ends it; everything else becomes a problem.
func buildCatalog(ctx context.Context, user string) (*catalog, error) {
	g, err := gather(ctx, user)
	if err != nil {
		return nil, err
	}
	return g, g.close()
}

// gather is buildCatalog with the global database left open: close it.
func gather(ctx context.Context, user string) (*catalog, error) {
	g, err := openCatalog(ctx, user, "", false)
	if err != nil {
		return nil, err
	}
	err = g.loadWorkspaces(ctx, g.dirs())
	if err == nil {
		g.adopt()
		g.mergeWorkspaces()
		err = g.outlineBubbles(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

// findChat reads what the lists and records say about one id, opening as few
// files as that takes. The chat is nil when nothing names it. With brief set,
// the lists are left alone where the record itself leads to the messages. The
// catalog keeps the global database open: close it.
func findChat(ctx context.Context, user, id string, brief bool) (*catalog, *chat, error) {
	g, err := openCatalog(ctx, user, id, brief)
	if err != nil {
		return nil, nil, err
	}
	c := g.chats[id]
	if brief && c != nil && !c.empty() {
		return g, c, nil
	}
	if brief {
		if err := g.close(); err != nil {
			return nil, nil, err
		}
		return findChat(ctx, user, id, false)
	}
	dirs := g.dirs()
	if c != nil && !c.empty() {
		dirs = g.deciding(c, dirs)
	}
	if err = g.loadWorkspaces(ctx, dirs); err == nil {
		g.mergeWorkspaces()
		err = g.outlineBubbles(ctx)
	}
	if c = g.chats[id]; err == nil && c != nil {
		err = g.findParent(ctx, c)
	}
	if err != nil {
		return nil, nil, errors.Join(err, g.close())
	}
	return g, c, nil
}

// deciding reduces the workspaces to the one that the chat's record names, where
// that one says which folder it is: nothing can overrule it (see place).
func (g *catalog) deciding(c *chat, dirs []string) []string {
	own := filepath.Join(g.user, "workspaceStorage", c.ownID)
	if i := slices.Index(dirs, own); c.ownID != "" && i >= 0 {
		if l, err := locate(own); err == nil && l.Path != "" {
			return dirs[i : i+1]
		}
	}
	return dirs
}

// dirs lists the workspaces; that they cannot be listed is a problem.
func (g *catalog) dirs() []string {
	dirs, err := workspaceDirs(g.user)
	if err != nil {
		g.trouble(filepath.Join(g.user, "workspaceStorage"), "", retold.ProblemUnreadable, err)
	}
	return dirs
}

// openCatalog reads the databases that serve the whole installation. Where the
// global one cannot be read, the copy that Cursor made of it at its last
// shutdown stands in for it (formats G).
func openCatalog(ctx context.Context, user, only string, brief bool) (*catalog, error) {
	main := globalDB(user)
	g, err := loadCatalog(ctx, user, main, only, brief)
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), g.close())
	}
	if err == nil {
		return g, nil
	}
	if retold.CodeOf(err) == retold.CodeDatabaseLocked { // it will be readable in a moment
		g.trouble(main, "", retold.ProblemUnreadable, err)
		return g, nil
	}
	backup, backupErr := loadCatalog(ctx, user, main+".backup", only, brief)
	if backupErr == nil && backup.db != nil {
		backup.trouble(main, "", retold.ProblemUnreadable, &retold.Error{
			Code: retold.CodeDatabaseCorrupt, Op: "read", Path: main, Hint: "retold doctor",
			Err: errors.New(reason(err) + "; state.vscdb.backup is read instead, which may be older"),
		})
		return backup, g.close()
	}
	if closeErr := backup.close(); closeErr != nil { // the backup's own trouble adds nothing to the main file's
		g.trouble(main+".backup", "", retold.ProblemUnreadable, closeErr)
	}
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), g.close())
	}
	if _, statErr := os.Stat(main); !errors.Is(statErr, fs.ErrNotExist) {
		g.trouble(main, "", retold.ProblemUnreadable, err)
	}
	return g, nil
}

// loadCatalog reads the lists and records of the global database at path, and
// the lists of profiles. The catalog holds what could be read even with an
// error, which is the global database's.
func loadCatalog(ctx context.Context, user, path, only string, brief bool) (g *catalog, err error) {
	g = newCatalog(user)
	g.only, g.brief = only, brief
	if g.db, err = livedb.Open(ctx, path); err != nil {
		g.db = nil
	} else if err = g.loadLists(ctx, g.db, true); err == nil {
		err = g.loadRecords(ctx)
	}
	if g.brief {
		return g, err
	}
	for _, profile := range profileDBs(user) {
		if profileErr := g.loadProfile(ctx, profile); profileErr != nil && ctx.Err() == nil {
			g.trouble(profile, "", retold.ProblemUnreadable, profileErr)
		}
	}
	return g, err
}

func (g *catalog) loadProfile(ctx context.Context, path string) error {
	db, err := livedb.Open(ctx, path)
	if err != nil {
		return err
	}
	return errors.Join(g.loadLists(ctx, db, false), db.Close())
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
		g.flaws = append(g.flaws, w.flaws...)
	}
	return nil
}

// mergeWorkspaces adds what only the workspaces' own lists know: heads, inline
// conversations, pane keys, chat tabs, prompts.
func (g *catalog) mergeWorkspaces() {
	ids := slices.Sorted(maps.Keys(g.workspaces))
	for _, id := range ids {
		w := g.workspaces[id]
		for i := range w.heads {
			g.addWorkspaceHead(w, w.heads[i])
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

// addWorkspaceHead merges one entry of a workspace's list; where no stronger
// store has the conversation, the one inside the entry counts.
func (g *catalog) addWorkspaceHead(w *workspace, head composer) {
	c := g.chat(head.id)
	if c == nil {
		return
	}
	if body, inline := w.inline[head.id]; inline && c.empty() {
		c.sum = checksum(body)
		own, explicit := c.ownID, c.explicit
		c.absorb(decodeComposer(body))
		c.ownID = cmp.Or(own, c.ownID)
		if explicit.Path != "" {
			c.explicit = explicit
		}
		c.kind, c.home = bodyInline, w
	}
	head.release()
	c.meta = c.meta.merge(head)
	if c.listID == "" {
		c.listID = w.id
	}
}
