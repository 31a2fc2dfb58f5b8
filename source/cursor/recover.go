package cursor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
)

var _ retold.Recoverer = (*Source)(nil)

// Lost finds the conversations of the global database that Cursor does not show
// (formats F.4): those that the list it goes by does not name, those of a
// workspace or folder that is not there, those without an order, and those that
// count as under way since a crash.
func (s *Source) Lost(ctx context.Context, place string) (lost []retold.Lost, err error) {
	g, err := buildCatalog(ctx, place)
	if err != nil {
		return nil, err
	}
	if err := g.unreadable(); err != nil {
		return nil, err
	}
	if !g.tables.disk {
		return nil, nil
	}
	db, err := livedb.Open(ctx, globalDB(place))
	if err != nil {
		return nil, fmt.Errorf("look for lost conversations: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	f := &finder{ctx: ctx, g: g, db: db}
	if err := f.lists(); err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(g.chats)) {
		c := g.chats[id]
		if c.kind != bodyGlobal || !c.record || c.empty() || c.cloud || c.meta.subagent || g.parent(c) != "" {
			continue
		}
		reasons := f.reasons(c)
		if len(reasons) == 0 {
			continue
		}
		l := retold.Lost{Session: g.session(c), Reasons: reasons}
		if l.Folder, l.Because, err = f.folder(c); err != nil {
			return nil, err
		}
		lost = append(lost, l)
	}
	return lost, ctx.Err()
}

// A finder looks for lost conversations.
type finder struct {
	ctx context.Context
	g   *catalog
	db  *livedb.DB

	heads map[string]string // conversations in the list that Cursor goes by → workspace
	own   map[string]string // conversations in the lists of workspaces → workspace
	stuck map[string]bool   // conversations that count as under way

	candidates map[string][]string // folders beside one that is not there
	folders    map[string][]string // conversations by what they are about
	said       map[[2]string]bool  // what conversations were found to mention
}

// lists reads the list that this installation goes by: the table where it holds
// anything, else the one for the whole installation, else those of workspaces
// (formats D.1).
func (f *finder) lists() error {
	f.heads, f.stuck, f.candidates = map[string]string{}, map[string]bool{}, map[string][]string{}
	var list jscan.Value
	err := f.db.Read(f.ctx, func(conn *sqlite.Conn) error {
		if f.g.tables.heads {
			err := sqlitex.Execute(conn, "SELECT composerId, workspaceId FROM composerHeaders", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
				f.heads[s.ColumnText(0)] = s.ColumnText(1)
				return nil
			}})
			if err != nil {
				return err
			}
		}
		if f.g.tables.items {
			items, err := get(conn, "ItemTable", keyHeaders)
			if err != nil {
				return err
			}
			list = composersOf(items[keyHeaders].value)
		}
		return sqlitex.Execute(conn, `SELECT substr(key, 14) FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND instr(value, '"status":"generating"')`, &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error { f.stuck[s.ColumnText(0)] = true; return nil },
		})
	})
	if err != nil {
		return fmt.Errorf("read the lists of conversations: %w", err)
	}
	f.own = map[string]string{}
	for _, id := range slices.Sorted(maps.Keys(f.g.workspaces)) {
		for _, h := range f.g.workspaces[id].heads {
			f.own[h.id] = id
		}
	}
	if len(f.heads) > 0 {
		return nil
	}
	for h := range list.Items() {
		f.heads[h.Get("composerId").Str()] = h.At("workspaceIdentifier", "id").Text()
	}
	for id, w := range f.g.workspaces {
		for _, h := range w.heads {
			if list.Kind() != jscan.Array {
				f.heads[h.id] = id
			}
		}
	}
	return nil
}

// reasons are why Cursor does not show a conversation; none when it does.
func (f *finder) reasons(c *chat) (all []retold.LostReason) {
	add := func(kind, format string, args ...any) {
		all = append(all, retold.LostReason{Kind: kind, Reason: fmt.Sprintf(format, args...)})
	}
	id, listed := f.heads[c.id]
	if !listed {
		if w, own := f.own[c.id]; own {
			add(retold.LostListed, "only the list of its own workspace names it, as an older Cursor kept it: it may be shown once that folder is opened")
			id = w
		} else {
			add(retold.LostHead, "no list of Cursor's names it")
			id = c.ownID
		}
	}
	switch w := f.g.workspaces[id]; {
	case id == "" && listed:
		add(retold.LostWorkspace, "its entry names no workspace")
	case id != "" && w == nil:
		add(retold.LostWorkspace, "its workspace %s is not there", id)
	case w != nil && gone(w.location):
		add(retold.LostFolder, "its folder %s is not there", w.location.Path)
	}
	if c.headers == 0 && c.inline == 0 && c.bubbles {
		add(retold.LostOrder, "its list of messages is empty, though it has messages")
	}
	if f.stuck[c.id] {
		add(retold.LostStatus, "it counts as under way since its window was closed")
	}
	return all
}

// gone reports whether a folder of this machine is not there.
func gone(l paths.Location) bool {
	a := paths.ParseAddress(l.Path)
	if l.Path == "" || !a.IsLocal() || a.Authority != "" || a.IsWindows() != (runtime.GOOS == "windows") {
		return false
	}
	_, err := os.Stat(a.FSPath())
	return errors.Is(err, os.ErrNotExist)
}
