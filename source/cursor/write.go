package cursor

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
)

var _ retold.Importer = (*Source)(nil)

// PlanImport writes conversations as Cursor keeps them since its agent has a
// backend of its own (formats F): the record, one bubble per message, the texts
// of edits, and an entry in every list that this installation has.
func (s *Source) PlanImport(ctx context.Context, m retold.Import) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		v := &mover{ctx: ctx, move: retold.Move{Place: m.Place, To: m.To}, user: m.Place, items: map[[2]string]*item{}, yield: yield}
		err := v.take(m.Sessions)
		if v.global != nil {
			err = errors.Join(err, v.global.Close())
		}
		if err != nil && !v.stopped {
			yield(retold.Step{}, err)
		}
	}
}

// take plans to take conversations in.
func (v *mover) take(all []retold.Arrival) (err error) {
	if len(all) == 0 {
		return nil
	}
	if v.g, err = buildCatalog(v.ctx, v.user); err != nil {
		return err
	}
	if err := v.g.unreadable(); err != nil {
		return err
	}
	if !v.g.tables.disk || !v.g.tables.items {
		return &retold.Error{
			Code: retold.CodeDatabaseNotFound, Op: "import into", Path: globalDB(v.user), Err: errors.New("no conversation was kept here yet"),
			Hint: "start Cursor once, and quit it",
		}
	}
	v.to = paths.ParseAddress(v.move.To)
	if v.home, err = v.findTarget(); err != nil {
		return err
	}
	if v.global, err = livedb.Open(v.ctx, globalDB(v.user)); err != nil {
		return fmt.Errorf("plan an import: %w", err)
	}
	if err := v.makeTarget(); err != nil {
		return err
	}
	texts := map[string]bool{}
	for _, a := range all {
		if err := v.arrive(a, texts); err != nil {
			return fmt.Errorf("plan to import %s: %w", a.Session.ID, err)
		}
	}
	return v.giveItems()
}

// version is the _v that the records of this installation have by now (formats
// F.2). The encoding of 11 was given up again.
func (g *catalog) version() int64 {
	var newest int64
	for _, c := range g.chats {
		if n, err := strconv.ParseInt(c.meta.v, 10, 64); err == nil && n > newest && knownVersions["composerData"][c.meta.v] && n != 11 {
			newest = n
		}
	}
	switch {
	case newest >= 10:
		return newest
	case g.tables.heads:
		return 17
	}
	return 10
}

// arrive plans one conversation.
func (v *mover) arrive(a retold.Arrival, texts map[string]bool) error {
	if c := v.g.chats[a.ID]; c != nil && !c.empty() && c.record {
		return &retold.Error{Code: retold.CodeUsage, Err: fmt.Errorf("there is a conversation %s", a.ID), Hint: "`retold migrate session " + a.ID + " --to FOLDER` moves it, with --copy it is copied; --again imports it once more"}
	}
	w := &writer{id: a.ID, mode: modeOf(&a.Session.Session), whole: a.Session, keep: a.Session.Agent == agent && a.ID == a.Session.ID}
	w.pen = &penman{read: v.stored}
	if err := v.give(retold.Step{Session: a.ID}); err != nil {
		return err
	}
	headers, n, err := w.bubbles(func(id string, doc []byte) error { return v.put(a.ID, "bubbleId:"+a.ID+":"+id, doc) })
	if err != nil {
		return err
	}
	if n == 0 {
		return &retold.Error{Code: retold.CodeUsage, Err: errors.New("nothing is said in it"), Hint: "retold show " + a.Session.ID}
	}
	doc, err := w.record(v.g.version(), v.identifier(), headers)
	if err != nil {
		return err
	}
	if err := v.put(a.ID, "composerData:"+a.ID, doc); err != nil {
		return err
	}
	for _, t := range w.pen.texts {
		if texts[t.key] {
			continue
		}
		texts[t.key] = true
		if err := v.put(a.ID, t.key, []byte(t.text)); err != nil {
			return err
		}
	}
	return v.enterAll(a.ID, doc)
}

// stored is the value of a record that is there.
func (v *mover) stored(key string) (value []byte, ok bool) {
	rows, err := v.rows(globalDB(v.user), "cursorDiskKV", "key = ?", key)
	if err != nil || len(rows) == 0 || rows[0].Cells[1].Value.Class == retold.ClassNull {
		return nil, false // what cannot be read is written anew
	}
	return rows[0].Cells[1].Value.Bytes, true
}

// put plans a record, in the place of what is left under its key.
func (v *mover) put(id, key string, doc []byte) error {
	var before *retold.Row
	rows, err := v.rows(globalDB(v.user), "cursorDiskKV", "key = ?", key)
	if err != nil {
		return err
	}
	after := keyValue(key, retold.Value{Class: retold.ClassText, Bytes: doc}, 0)
	if len(rows) > 0 {
		before, after.Rowid = &rows[0], rows[0].Rowid
	}
	return v.give(change(id, globalDB(v.user), "cursorDiskKV", "key", key, before, after))
}

// enterAll puts a new conversation into every list that there is (formats F.1).
func (v *mover) enterAll(id string, doc []byte) error {
	record, err := jscan.Parse(doc)
	if err != nil {
		return err
	}
	mv := &moving{chat: &chat{id: id, kind: bodyGlobal}, to: id, record: record, listed: true}
	mv.m.From, mv.m.To = v.to, v.to
	head := setMember(setMember(v.newHead(mv), "hasPendingPlan", []byte("false")), "referencedPlans", []byte("[]"))
	mv.head = head
	if err := v.enterOwn(id, head); err != nil {
		return err
	}
	if v.g.tables.heads {
		if err := v.enterHeads(mv); err != nil {
			return err
		}
	}
	it, err := v.item(globalDB(v.user), keyHeaders)
	if err != nil {
		return err
	}
	if list := composersOf(it.now); it.before != nil && list.Kind() == jscan.Array {
		it.set(withHead(it.now, id, head))
	}
	return v.enterGlass(mv)
}

// enterHeads adds the row of composerHeaders, or makes one that is left the new
// conversation's.
func (v *mover) enterHeads(mv *moving) error {
	db := globalDB(v.user)
	var rows []retold.Row
	err := v.global.Read(v.ctx, func(conn *sqlite.Conn) (err error) {
		rows, err = storedRows(conn, "composerHeaders", "composerId = ?", mv.id)
		return err
	})
	if err != nil {
		return err
	}
	after := v.newTableRow(mv)
	if len(rows) == 0 {
		return v.give(change(mv.id, db, "composerHeaders", "composerId", mv.id, nil, after))
	}
	after.Rowid = rows[0].Rowid
	return v.give(change(mv.id, db, "composerHeaders", "composerId", mv.id, &rows[0], after))
}

// enterOwn puts the head into the workspace's own list, where it keeps one: a
// build that has no list for the whole installation looks only there.
func (v *mover) enterOwn(id string, head []byte) error {
	shared, err := v.item(globalDB(v.user), keyHeaders)
	if err != nil {
		return err
	}
	it, err := v.item(v.home.db, keyComposers)
	if err != nil {
		return err
	}
	doc := it.now
	if it.before == nil && !it.touched {
		if v.g.tables.heads || shared.before != nil {
			return nil
		}
		doc = []byte(`{"allComposers":[],"selectedComposerIds":[],"lastFocusedComposerIds":[],"hasMigratedComposerData":true,"hasMigratedMultipleComposers":true}`)
	}
	if list := composersOf(doc); list.Kind() == jscan.Array {
		doc = withHead(doc, id, head)
	}
	if lists, err := jscan.Parse(doc); err == nil && lists.Get("selectedComposerIds").Kind() == jscan.Array {
		doc = dropString(doc, "selectedComposerIds", id)
		lists, err = jscan.Parse(doc)
		if err != nil {
			return err
		}
		doc = appendTo(doc, lists.Get("selectedComposerIds"), []byte(quoted(id)))
	}
	if string(doc) != string(it.now) {
		it.set(doc)
	}
	return nil
}

// withHead puts a head into a list, in the place of one of that id or at the end.
func withHead(doc []byte, id string, head []byte) []byte {
	list := composersOf(doc)
	if old := headOf(list, "composerId", id); old != nil {
		at := jscan.Offset(doc, old)
		return jscan.Edit(doc, []jscan.Splice{{Start: at, End: at + len(old), Text: head}})
	}
	return appendTo(doc, list, head)
}
