package cursor

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
)

// Resume reads a conversation again from where it changed: it lists the keys,
// rowids and lengths of its bubbles, finds the first slot that is not as it was,
// and goes on from the last point before that. Where nothing at all differs and
// yet somebody asks, and where Track found values replaced in place, it compares
// the values as well. What stands behind the conversation, bubbles that no header
// names above all, is read again whenever anything before it moved.
func (s *Source) Resume(ctx context.Context, ref retold.Ref, memory []byte, yield func(retold.Message) error) (*retold.Reading, error) {
	m := &memo{old: decodeSession(memory), suspect: s.suspected(ref), shelf: &s.shelf}
	var head retold.Header
	d, err := readWith(ctx, ref, false, yield, func(r *reader) {
		head = r.g.header(r.chat)
		m.next.header = headerSum(&head)
		r.memo = m
	})
	if err != nil {
		return nil, err
	}
	head.Session = d.Session
	out := &retold.Reading{Header: head, From: m.from, ProblemList: d.ProblemList}
	if m.useful() {
		out.Memory = m.next.encode()
	}
	s.trust(ref)
	return out, nil
}

func (s *Source) suspected(ref retold.Ref) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.suspects[suspectKey(ref)]
}

func (s *Source) trust(ref retold.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.suspects, suspectKey(ref))
}

func suspectKey(ref retold.Ref) retold.Ref {
	return retold.Ref{Agent: agent, Place: ref.Place, ID: ref.ID}
}

// A memo goes along with a reader: from the memory of an earlier reading it says
// where to start, and it gathers the memory for the next.
type memo struct {
	old     *sessionMemory // nil when there is none, or none that still serves
	next    sessionMemory
	suspect bool
	shelf   *strayShelf
	from    int // messages before the first that is read

	global  bool // the messages are records of the global database
	odd     bool // something is there that a memory cannot describe
	stopped bool // no points from here on
	skipped int  // slots
	known   bool // the ids of their messages are
	spacing int
	recent  []point
}

// The last points are all kept, of those before them one in so many slots: a
// long conversation mostly changes at its end.
const (
	recentPoints = 8
	minSpacing   = 16
	mostPoints   = 256
	mostProblems = 64
)

func (m *memo) useful() bool { return m.global && !m.odd }

// bubbleRow is where a bubble lies, and how long its value is: -1 for NULL, -2
// when nobody looked.
type bubbleRow struct {
	rowid, size int64
}

// sizedKeys is keys with the lengths of the values, which reads the head of each
// record and none of its pages.
func sizedKeys(conn *sqlite.Conn, prefix string, visit func(key string, r bubbleRow)) error {
	return sqlitex.Execute(conn, "SELECT rowid, key, octet_length(value) FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key", &sqlitex.ExecOptions{
		Args: []any{prefix, end(prefix)},
		ResultFunc: func(s *sqlite.Stmt) error {
			r := bubbleRow{s.ColumnInt64(0), s.ColumnInt64(2)}
			if s.ColumnType(2) == sqlite.TypeNull {
				r.size = -1
			}
			visit(s.ColumnText(1), r)
			return nil
		},
	})
}

// print sums up a slot: its header, and which record it has.
func (s *slot) print(row bubbleRow) uint64 {
	h := hashNumber(hashText(uint64(s.kind), s.id), row.rowid) //nolint:gosec // the same bits
	if row.rowid == 0 {
		row.size = -2
	}
	h = hashNumber(h, row.size)
	if s.at.IsZero() {
		return h
	}
	return hashNumber(h, s.at.UnixMilli())
}

// oddID recognises an id that could be mistaken for another message's.
func oddID(id string) bool {
	return strings.ContainsAny(id, ":~") || slices.Contains([]string{"", "message", "summary", "todos", "draft"}, id)
}

// begin looks at what a global chat is made of and sets the reader to the last
// point before anything changed. It returns how many slots that skips; done says
// that everything is as it was.
func (m *memo) begin(r *reader, stray []slot) (skip int, done bool, err error) {
	slots := r.order.slots
	m.global = true
	m.spacing = max(minSpacing, len(slots)/mostPoints)
	main := r.g.db.Path() == globalDB(r.g.user) && r.g.db.Note() == ""
	m.odd = !main || r.order.lost || len(r.order.inline) > 0 || len(slots) == 0 || r.g.full.headers.Empty() ||
		len(r.early) > 0 ||
		slices.ContainsFunc(slots, func(s slot) bool { return oddID(s.id) }) || slices.ContainsFunc(stray, func(s slot) bool { return oddID(s.id) })
	if m.odd {
		return 0, false, nil
	}
	if err := m.survey(r); err != nil {
		return 0, false, err
	}
	old := m.old
	if old == nil {
		return 0, false, nil
	}
	m.measure(r, stray)
	same := m.compare(r)
	all := same == len(slots) && same == len(old.slots)
	tail := all && old.tail != 0 && old.tail == m.next.tail
	if verify := m.suspect || tail && old.header == m.next.header && old.other == m.next.other; verify {
		differs, strays, err := m.verify(r, same, stray)
		if err != nil {
			return 0, false, err
		}
		if deep := m.firstWith(partDeep, same); m.suspect && deep < differs {
			differs = deep
		}
		tail = tail && strays && differs == same
		same = differs
	}
	if tail {
		m.finished(r)
		return len(slots), true, nil
	}
	return m.restore(r, same), false, nil
}

// survey lists what belongs to the chat beside its bubbles.
func (m *memo) survey(r *reader) (err error) {
	for _, family := range rowFamilies[1:] {
		_, err := sumFamily(r.ctx, r.g.db, family, family+r.chat.id+":", func(owner []byte) *keySum {
			if string(owner) == r.chat.id {
				return &r.beside
			}
			return &keySum{}
		})
		if err != nil {
			return err
		}
	}
	m.next.other = hashNumber(r.beside.sum, r.beside.count)
	m.next.state, err = m.stateSum(r)
	return err
}

// measure sums up what the messages are made of besides the records of their
// slots.
func (m *memo) measure(r *reader, stray []slot) {
	full := &r.g.full
	h := hash64(hash64(hashText(m.next.other, full.checkpointID), full.blocks), full.files)
	h = hashText(h, full.place.workspaceID)
	for i := range r.order.slots {
		if s := &r.order.slots[i]; s.kind == 1 {
			h = hashNumber(h, int64(i)) ^ s.print(bubbleRow{s.rowid, s.size})
		}
	}
	m.next.deep = h
	t := hashNumber(hashNumber(m.next.state, r.dater.start.UnixMilli()), r.dater.end.UnixMilli())
	t = hash64(hash64(hash64(t, full.summary), full.todos), full.draft)
	for i := range stray {
		t += stray[i].print(bubbleRow{stray[i].rowid, stray[i].size})
	}
	m.next.tail = t | 1
}

// stateSum tells the agent's state by the root that the records name; what that
// leads to is named by its content and never changes.
func (m *memo) stateSum(r *reader) (uint64, error) {
	h := hash64(uint64(flags(r.chat.state, r.chat.cloud)), r.g.full.state)
	for _, key := range []string{checkpointPrefix + r.chat.id, r.chat.id + cloudSuffix} {
		value, err := kvRead(r.ctx, r.g.db, key)
		if err != nil {
			return 0, err
		}
		h = hash64(h, value)
	}
	return h, nil
}

// compare counts the slots that are as they were.
func (m *memo) compare(r *reader) int {
	old, slots := m.old, r.order.slots
	same := 0
	for same < min(len(slots), len(old.slots)) && old.slots[same].print == slots[same].print(bubbleRow{slots[same].rowid, slots[same].size}) {
		same++
	}
	if old.deep != m.next.deep {
		same = m.firstWith(partDeep, same)
	}
	if old.state != m.next.state {
		same = m.firstWith(partState, same)
	}
	return same
}

// firstWith is the first of n slots that depends on something.
func (m *memo) firstWith(part byte, n int) int {
	if i := slices.IndexFunc(m.old.slots[:n], func(s slotMemory) bool { return s.parts&part != 0 }); i >= 0 {
		return i
	}
	return n
}

// verify reads the values of n slots and says how many of them are as they were,
// and whether those of the strays are.
func (m *memo) verify(r *reader, n int, stray []slot) (same int, strays bool, err error) {
	sum := func(all []slot, visit func(i int, value uint64) bool) error {
		for from := 0; from < len(all); from += chunkBubbles {
			part := all[from:min(from+chunkBubbles, len(all))]
			sums := make([]uint64, len(part))
			err := r.g.db.Read(r.ctx, func(conn *sqlite.Conn) error {
				for i := range part {
					value, err := readBubble(conn, "bubbleId:"+r.chat.id+":"+part[i].id, part[i].rowid)
					if err != nil {
						return err
					}
					sums[i] = recordSum(value)
				}
				return nil
			})
			if err != nil {
				return err
			}
			for i, s := range sums {
				if !visit(from+i, s) {
					return nil
				}
			}
		}
		return nil
	}
	same = n
	err = sum(r.order.slots[:n], func(i int, value uint64) bool {
		if uint32(value) != m.old.slots[i].value { //nolint:gosec // its lower half
			same = i
			return false
		}
		return true
	})
	if retold.CodeOf(err) == retold.CodeDatabaseCorrupt {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	var all uint64
	err = sum(stray, func(i int, value uint64) bool { all += strayValue(stray[i].id, value); return true })
	if retold.CodeOf(err) == retold.CodeDatabaseCorrupt {
		return same, false, nil
	}
	return same, all == m.old.strays, err
}

// recordSum is a hash of a bubble's record.
func recordSum(r row) uint64 {
	if r.key == "" || r.null {
		return uint64(flags(r.null, true))
	}
	return hash64(0, r.value)
}

func strayValue(id string, value uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], value)
	return hash64(hashText(0, id), b[:])
}
