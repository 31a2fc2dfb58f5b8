package cursor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
)

// Mapping returns MappingVersion.
func (s *Source) Mapping() int { return MappingVersion }

// Track finds what changed, by the cheapest proof that holds. Equal stamps of all
// files prove that nothing did. Else the global database is asked for the marks
// that rows leave when they come and go, and for the keys of those that came: a
// record written again gets a new rowid. Where these do not explain a commit that
// is known to have happened, all keys are compared, which finds what was deleted
// or renumbered, and where that explains nothing either, all values: an UPDATE
// leaves no other trace.
//
// One thing goes unnoticed, until full asks for it, in a database of more than
// a few megabytes: a value replaced in place, together with another change that
// explains the commit, in a conversation that this does not touch.
func (s *Source) Track(ctx context.Context, place retold.Place, memory []byte, full bool) (*retold.Track, error) {
	stamp, err := lookAt(place.Path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = &retold.Error{Code: retold.CodeDatabaseNotFound, Op: "look at", Path: place.Path, Hint: "retold doctor", Err: err}
		}
		return nil, err
	}
	old := decodePlace(memory)
	if old != nil && !full && !old.again && !old.raced && stamp.equal(&old.stamp) {
		return &retold.Track{Memory: memory, Same: true}, nil
	}
	t := tracking{ctx: ctx, thrift: s.thrift, user: place.Path, old: old, full: full, stamp: stamp, now: time.Now().Unix()}
	found, next, err := t.run()
	if err != nil {
		return nil, err
	}
	after, err := lookAt(place.Path)
	next.stamp, next.raced = stamp, err != nil || !after.equal(&stamp)
	found.Memory = next.encode()
	s.suspect(place.Path, t.suspects)
	return found, nil
}

func (s *placeStamp) equal(other *placeStamp) bool {
	return s.global == other.global && s.others == other.others && slices.Equal(s.workspaces, other.workspaces)
}

// A tracking is one Track under way.
type tracking struct {
	ctx    context.Context
	user   string
	old    *placeMemory // nil at the first look
	full   bool
	stamp  placeStamp
	now    int64 // in seconds since 1970
	thrift thrift

	suspects []string // conversations whose values changed though their keys may not show it
}

// run takes the short way, and the long one where that leads nowhere.
func (t *tracking) run() (*retold.Track, *placeMemory, error) {
	if t.old != nil && !t.full {
		if found, next, err := t.few(); found != nil || err != nil {
			return found, next, err
		}
	}
	return t.whole()
}

// whole builds the whole catalogue, lists all keys, and compares what it says of
// each conversation with what is remembered.
func (t *tracking) whole() (found *retold.Track, next *placeMemory, err error) {
	g, err := gather(t.ctx, t.user)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	next = &placeMemory{reconciled: t.now}
	var look globalLook
	sums := map[string]*keySum{}
	if g.db != nil {
		err := g.db.Read(t.ctx, func(conn *sqlite.Conn) error { return look.look(conn, nil) })
		if err == nil && g.tables.disk {
			sums, next.keys, err = sumKeys(t.ctx, g.db)
		}
		if t.ctx.Err() != nil {
			return nil, nil, t.ctx.Err()
		}
		if err != nil {
			g.trouble(g.db.Path(), "", retold.ProblemUnreadable, err)
		}
	}
	next.marks = look.marks
	headers := map[string]retold.Header{}
	for _, id := range slices.Sorted(maps.Keys(g.chats)) {
		h := g.header(g.chats[id])
		headers[id] = h
		next.sessions = append(next.sessions, g.mark(g.chats[id], &h, &look, sums[id]))
	}
	if err := t.addValues(g, next); err != nil {
		return nil, nil, err
	}
	found = &retold.Track{}
	for _, f := range g.flaws {
		found.Partial = true
		next.again = next.again || retold.CodeOf(f.err) != retold.CodeDatabaseCorrupt && f.Kind == retold.ProblemUnreadable
		found.Errors = append(found.Errors, f.asError())
	}
	next.whole = !found.Partial
	next.lists = g.workspaceLists(t.stamp.workspaces)
	for i := range next.sessions {
		m := &next.sessions[i]
		found.All = append(found.All, m.id)
		if t.changed(m) {
			found.Changed = append(found.Changed, headers[m.id])
		}
	}
	slices.SortStableFunc(found.Changed, func(a, b retold.Header) int {
		return cmp.Compare(beginning(g.chats[a.ID], sums[a.ID]), beginning(g.chats[b.ID], sums[b.ID]))
	})
	return found, next, nil
}

// beginning is where in the file a conversation's records begin, so that reading
// in this order sweeps over it once.
func beginning(c *chat, sum *keySum) int64 {
	if sum != nil && sum.first > 0 {
		return sum.first
	}
	return c.rowid
}

// changed compares a conversation with what is remembered of it, and keeps the sum
// of its values where nothing shows that they changed and nobody looked.
func (t *tracking) changed(mark *sessionMark) bool {
	was := t.remembered(mark.id)
	if was == nil {
		return true
	}
	if mark.values != 0 && mark.values != was.values {
		t.suspects = append(t.suspects, mark.id)
		return true
	}
	if !mark.sameKeys(was) {
		return true
	}
	mark.values = was.values
	return false
}

func (t *tracking) remembered(id string) *sessionMark {
	if t.old == nil {
		return nil
	}
	return t.old.session(id)
}

// sameKeys compares all but the values.
func (m sessionMark) sameKeys(other *sessionMark) bool {
	m.values = other.values
	return m == *other
}

// mark sums up a conversation.
func (g *catalog) mark(c *chat, h *retold.Header, look *globalLook, keys *keySum) sessionMark {
	m := sessionMark{
		id: c.id, record: c.rowid, state: look.states[c.id], listed: look.listed[c.id], tabled: look.tabled[c.id],
		header: headerSum(h), place: hashText(0, h.WorkspacePath), stored: c.stored, empty: h.Empty,
	}
	for _, child := range c.childIDs {
		m.children = hashText(m.children, child)
	}
	if keys != nil {
		m.keys = keys.sum
	}
	return m
}

// headerSum is a hash of all that a header says.
func headerSum(h *retold.Header) uint64 {
	b, err := json.Marshal(h.Session)
	if err != nil { // a Session holds nothing that JSON cannot say
		return 0
	}
	return hashText(hash64(uint64(flags(h.Empty, h.Draft)), b), h.Stamp)
}

// workspaceLists sums up the workspaces in the order of their stamps.
func (g *catalog) workspaceLists(stamps []workspaceStamp) []workspaceLists {
	owners := map[string]bool{}
	for _, c := range g.chats {
		if !c.empty() && c.kind != bodyPrompts {
			owners[c.ownID], owners[c.listID] = true, true
			if c.home != nil {
				owners[c.home.id] = true
			}
		}
	}
	lists := make([]workspaceLists, len(stamps))
	for i, s := range stamps {
		if w := g.workspaces[s.id]; w != nil {
			lists[i] = w.sums()
			lists[i].owner = owners[s.id]
		}
	}
	return lists
}

// sums adds up what a workspace says of conversations.
func (w *workspace) sums() (l workspaceLists) {
	l.lists = hash64(hashText(0, fmt.Sprint(w.location)), w.chats)
	for _, head := range w.heads {
		l.lists += head.sum
	}
	for _, id := range w.named {
		l.lists = hashText(l.lists, id)
	}
	l.prompts = hash64(hash64(0, w.prompts), w.generations)
	return l
}

// Suspects are remembered within the process only: Resume also compares values
// when it finds nothing else that changed.
func (s *Source) suspect(place string, ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.suspects[suspectKey(retold.Ref{Place: place, ID: id})] = true
	}
}
