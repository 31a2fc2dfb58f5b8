package cursor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/internal/relocate"
)

var _ retold.Writer = (*Source)(nil)

// PlanMove gives conversations another workspace (formats F.4): the workspace's
// folder where there is none yet, the records of the global database, and every
// list that names them. Only prompts without a conversation cannot be moved.
func (s *Source) PlanMove(ctx context.Context, m retold.Move) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		v := &mover{ctx: ctx, move: m, user: m.Place, items: map[[2]string]*item{}, yield: yield}
		err := v.run()
		if v.global != nil {
			err = errors.Join(err, v.global.Close())
		}
		if err != nil && !v.stopped {
			yield(retold.Step{}, err)
		}
	}
}

// A mover plans one move.
type mover struct {
	ctx     context.Context
	move    retold.Move
	user    string
	yield   func(retold.Step, error) bool
	stopped bool

	g      *catalog
	global *livedb.DB // nil when there is none
	to     paths.Address
	home   target
	items  map[[2]string]*item // values of ItemTable that several sessions share
	order  []*item
	known  map[string]tables // of databases that are not the global one

	mend func(record []byte) []byte // what else becomes of a conversation's record; nil for nothing
}

var errStopped = errors.New("nobody wants more steps")

// give passes a step on.
func (v *mover) give(s retold.Step) error {
	if !v.yield(s, nil) {
		v.stopped = true
		return errStopped
	}
	return v.ctx.Err()
}

func (v *mover) run() (err error) {
	if v.g, err = buildCatalog(v.ctx, v.user); err != nil {
		return err
	}
	var chats []*chat
	for _, id := range v.move.Sessions {
		if c := v.g.chats[id]; c != nil && c.kind != bodyPrompts && (c.kind != bodyGlobal || c.stored) {
			chats = append(chats, c)
		}
	}
	if len(chats) == 0 {
		return nil
	}
	v.to = paths.ParseAddress(v.move.To)
	if v.home, err = v.findTarget(); err != nil {
		return err
	}
	if v.g.tables.disk || v.g.tables.items || v.g.tables.heads {
		if v.global, err = livedb.Open(v.ctx, globalDB(v.user)); err != nil {
			return fmt.Errorf("plan a move: %w", err)
		}
	}
	if err := v.makeTarget(); err != nil {
		return err
	}
	for _, c := range chats {
		if err := v.chat(c); err != nil {
			return fmt.Errorf("plan to move %s: %w", c.id, err)
		}
	}
	if err := v.movePrompts(); err != nil {
		return err
	}
	return v.giveItems()
}

// A moving is one conversation on its way.
type moving struct {
	*chat
	to     string // its id afterwards
	m      relocate.Map
	record jscan.Value // composerData, as it is
	head   []byte      // as a list of a workspace had it
	spare  []byte      // as the table of a workspace had it
	placed bool        // the workspace's own list has it now
	listed bool        // a list of the whole installation has it now
}

// chat plans one conversation.
func (v *mover) chat(c *chat) error {
	from := v.from(c)
	mv := &moving{chat: c, to: cmp.Or(v.move.Copies[c.id], c.id)}
	mv.m = relocate.Map{From: from, To: v.to, Projects: map[string]string{paths.Slug(from.FSPath()): paths.Slug(v.to.FSPath())}}
	if v.copying() {
		mv.m.IDs = maps.Clone(v.move.Copies)
	}
	if err := v.give(retold.Step{Session: c.id}); err != nil {
		return err
	}
	if c.kind == bodyTabs {
		return v.tab(mv)
	}
	if err := v.records(mv); err != nil {
		return err
	}
	if err := v.leaveLists(mv); err != nil {
		return err
	}
	if err := v.enterLists(mv); err != nil {
		return err
	}
	if mv.spare != nil && !mv.placed && !mv.listed { // only the table of a workspace had it
		return v.enterOwn(mv.to, v.assign(slices.Clone(mv.spare), &mv.m, true))
	}
	return nil
}

func (v *mover) copying() bool { return v.move.Copies != nil }

// from is the folder whose paths a conversation's records hold.
func (v *mover) from(c *chat) paths.Address {
	if v.move.From != "" {
		return paths.ParseAddress(v.move.From)
	}
	for _, id := range []string{c.ownID, c.headID, c.listID} {
		if id != "" && v.g.workspaces[id] != nil {
			if a, ok := addressOf(v.g.workspaces[id].dir); ok {
				return a
			}
		}
	}
	if l := v.g.place(c); l.Path != "" {
		return paths.ParseAddress(l.Path)
	}
	return v.to // no folder is known: nothing to rewrite
}

// An item is one shared value of an ItemTable and what becomes of it.
type item struct {
	db, key string
	before  *retold.Row // nil when it is not there
	now     []byte
	touched bool
}

// item reads a value; it may be absent. What is asked for twice is read once.
func (v *mover) item(db, key string) (*item, error) {
	if it := v.items[[2]string{db, key}]; it != nil {
		return it, nil
	}
	it := &item{db: db, key: key}
	if db != v.home.db || !v.home.made {
		rows, err := v.rows(db, "ItemTable", "key = ?", key)
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 {
			it.before = &rows[0]
			it.now = rows[0].Cells[1].Value.Bytes
		}
	}
	v.items[[2]string{db, key}] = it
	v.order = append(v.order, it)
	return it, nil
}

func (it *item) set(now []byte) {
	it.now, it.touched = now, true
}

// giveItems yields the shared values, those of the global database first.
func (v *mover) giveItems() error {
	main := globalDB(v.user)
	rank := func(db string) int {
		switch db {
		case main:
			return 0
		case v.home.db:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(v.order, func(a, b *item) int {
		return cmp.Or(rank(a.db)-rank(b.db), cmp.Compare(a.db, b.db), cmp.Compare(a.key, b.key))
	})
	for _, it := range v.order {
		if !it.touched {
			continue
		}
		after := keyValue(it.key, retold.Value{Class: retold.ClassText, Bytes: it.now}, 0)
		if it.before != nil {
			after.Rowid = it.before.Rowid
			after.Cells[1].Value.Class = it.before.Cells[1].Value.Class
		}
		if err := v.give(change("", it.db, "ItemTable", "key", it.key, it.before, after)); err != nil {
			return err
		}
	}
	return nil
}

func keyValue(key string, value retold.Value, rowid int64) *retold.Row {
	return &retold.Row{Rowid: rowid, Cells: []retold.Cell{{Column: "key", Value: retold.TextValue(key)}, {Column: "value", Value: value}}}
}

// change is the step from one row to another, found by a text column.
func change(session, db, table, column, key string, before, after *retold.Row) retold.Step {
	return retold.Step{Session: session, Row: &retold.RowChange{
		Database: db, Table: table, Key: []retold.Cell{{Column: column, Value: retold.TextValue(key)}}, Before: before, After: after,
	}}
}

// rows reads rows of a database as they are stored.
func (v *mover) rows(db, table, where string, args ...any) (rows []retold.Row, err error) {
	src, done := v.global, func() error { return nil }
	if db != globalDB(v.user) {
		if src, err = livedb.Open(v.ctx, db); err != nil {
			return nil, err
		}
		done = src.Close
	}
	err = src.Read(v.ctx, func(conn *sqlite.Conn) error {
		rows, err = storedRows(conn, table, where, args...)
		return err
	})
	return rows, errors.Join(err, done())
}

// workspaceDB is the database that Cursor works with; its copies beside it are not
// written.
func (v *mover) workspaceDB(w *workspace) string { return filepath.Join(w.dir, "state.vscdb") }
