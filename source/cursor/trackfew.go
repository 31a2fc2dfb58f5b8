package cursor

import (
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// The most conversations that are looked up one by one, at a cost of about a
// millisecond each; for more, the whole catalogue is built.
const fewSessions = 12

// few is the short way: where the marks say which conversations changed, only
// these are looked at. It returns nothing where it cannot tell: conversations
// came or went, the lists of a workspace or of the projects changed, something
// cannot be read, or a commit is not explained.
func (t *tracking) few() (*retold.Track, *placeMemory, error) {
	old := t.old
	if !old.whole || old.again || t.stamp.others != old.stamp.others {
		return nil, nil, nil
	}
	lists, ok := t.sameLists()
	if !ok || t.ctx.Err() != nil {
		return nil, nil, t.ctx.Err()
	}
	next := *old
	next.lists = lists
	next.sessions = slices.Clone(old.sessions)
	found := &retold.Track{}
	for i := range next.sessions {
		found.All = append(found.All, next.sessions[i].id)
	}
	switch t.stamp.global.Since(old.stamp.global) {
	case livedb.Unchanged:
		return found, &next, nil
	case livedb.Perhaps:
		return nil, nil, nil
	case livedb.Committed:
		if t.dueForKeys() {
			return nil, nil, nil
		}
	}
	look, err := t.lookGlobal()
	if err != nil || look == nil {
		return nil, nil, err
	}
	ids, ok := t.touched(look)
	if !ok || len(ids) > fewSessions || len(ids) == 0 && look.marks == old.marks {
		return nil, nil, nil
	}
	next.marks = look.marks
	for _, id := range ids {
		h, err := t.update(next.session(id), look)
		if err != nil || h == nil {
			return nil, nil, err
		}
		found.Changed = append(found.Changed, *h)
	}
	slices.SortStableFunc(found.Changed, func(a, b retold.Header) int {
		return cmp.Compare(next.session(a.ID).record, next.session(b.ID).record)
	})
	return found, &next, nil
}

// dueForKeys reports whether all keys should be compared though the marks may
// explain everything: where that costs next to nothing, and every so often.
func (t *tracking) dueForKeys() bool {
	size := t.stamp.global.Size + t.stamp.global.WALSize
	age := t.now - t.old.reconciled
	return size <= t.thrift.small || t.old.keys <= t.thrift.keys || age < 0 || age > t.thrift.within
}

// lookGlobal asks the global database for the marks; nil where it cannot be read
// as it should, which the long way tells.
func (t *tracking) lookGlobal() (look *globalLook, err error) {
	db, err := livedb.Open(t.ctx, globalDB(t.user))
	if err != nil {
		return nil, t.ctx.Err()
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if db.Note() != "" {
		return nil, nil
	}
	look = &globalLook{}
	if err := db.Read(t.ctx, func(conn *sqlite.Conn) error { return look.look(conn, &t.old.marks) }); err != nil {
		return nil, t.ctx.Err()
	}
	return look, nil
}

// sameLists compares what the workspaces say, opening those whose stamp moved.
func (t *tracking) sameLists() ([]workspaceLists, bool) {
	now, was := t.stamp.workspaces, t.old.stamp.workspaces
	if len(now) != len(was) {
		return nil, false
	}
	lists := slices.Clone(t.old.lists)
	for i := range now {
		if now[i].id != was[i].id {
			return nil, false
		}
		if now[i].sum == was[i].sum {
			continue
		}
		w := loadWorkspace(t.ctx, filepath.Join(t.user, "workspaceStorage", now[i].id))
		l := w.sums()
		l.owner = lists[i].owner
		if len(w.flaws) > 0 || l.lists != lists[i].lists || !l.owner && l.prompts != lists[i].prompts {
			return nil, false
		}
		lists[i] = l
	}
	return lists, true
}

// touched are the conversations that the marks name; not ok when they name one
// that is new or gone, or do not tell.
func (t *tracking) touched(look *globalLook) (ids []string, ok bool) {
	if look.marks.schema != t.old.marks.schema || !look.guarded || look.flood || look.marks.row < t.old.marks.row || look.marks.tie != t.old.marks.tie {
		return nil, false
	}
	touched := map[string]bool{}
	for _, id := range look.fresh {
		touched[id] = true
	}
	seen := 0
	for i := range t.old.sessions {
		s := &t.old.sessions[i]
		record, exists := look.records[s.id]
		if exists {
			seen++
		} else if s.record != 0 {
			return nil, false
		}
		listed := s.listed
		if look.listed != nil {
			listed = look.listed[s.id]
		}
		if s.listed != 0 && listed == 0 || s.tabled != 0 && look.tabled[s.id] == 0 {
			return nil, false
		}
		if record != s.record || listed != s.listed || look.tabled[s.id] != s.tabled || look.states[s.id] != s.state {
			touched[s.id] = true
		}
	}
	if seen < len(look.records) && !t.onlyPlaceholders(look) {
		return nil, false
	}
	delete(touched, "")
	delete(touched, "empty-state-draft")
	for id := range touched {
		if t.old.session(id) == nil {
			return nil, false
		}
	}
	for _, named := range []map[string]uint64{look.states, look.tabled, look.listed} {
		for id := range named {
			if t.old.session(id) == nil && isID(id) {
				return nil, false
			}
		}
	}
	return slices.Sorted(maps.Keys(touched)), true
}

// onlyPlaceholders reports that the records that are no conversation's are those
// of empty windows, which have none.
func (t *tracking) onlyPlaceholders(look *globalLook) bool {
	for id := range look.records {
		if isID(id) && t.old.session(id) == nil {
			return false
		}
	}
	return true
}

// update looks at one conversation and brings its mark up to date; nil where what
// it says may concern others.
func (t *tracking) update(mark *sessionMark, look *globalLook) (h *retold.Header, err error) {
	if mark == nil {
		return nil, nil
	}
	g, c, err := findChat(t.ctx, t.user, mark.id, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	if c == nil || g.db == nil || len(g.flaws) > 0 {
		return nil, nil
	}
	keys, err := t.keysOf(g, mark.id)
	if err != nil {
		return nil, err
	}
	head := g.header(c)
	now := g.mark(c, &head, look, &keys)
	if look.listed == nil {
		now.listed = mark.listed
	}
	if now.children != mark.children || now.place != mark.place || now.stored != mark.stored || now.empty != mark.empty {
		return nil, nil
	}
	*mark = now
	return &head, nil
}

func (t *tracking) keysOf(g *catalog, id string) (keySum, error) {
	if !g.tables.disk {
		return keySum{}, nil
	}
	return sumKeysOf(t.ctx, g.db, id)
}
