package cursor

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/retold-history/retold/internal/livedb"
)

// memoryVersion grows with every change to what the memories hold; another
// version's counts as none.
const memoryVersion = 1

// A placeMemory is what one look at a place tells the next. Its size follows the
// number of conversations, not that of their records.
type placeMemory struct {
	stamp placeStamp

	// again: something could not be read for a reason that passes without a trace
	// in the files. raced: they changed during the look, so that a commit since
	// then may already have been seen. whole: nothing was left unread.
	again, raced, whole bool

	marks      marks
	reconciled int64 // when all keys were compared last, in seconds since 1970
	keys       int64 // how many those were

	lists    []workspaceLists // as in stamp
	sessions []sessionMark    // by id
}

// marks are the cheap signs that rows of the global database came or went.
type marks struct {
	schema int64  // its version: a table made anew may have the same rowids for other rows
	row    int64  // the highest rowid of cursorDiskKV
	key    uint64 // of the record that has it
	item   int64  // the highest rowid of ItemTable
	items  int64  // how many rows it has
	lists  uint64 // rowids and lengths of the lists there
	table  uint64 // all rows of composerHeaders
	tie    uint64 // projects and their members
}

// workspaceLists sums up what a workspace's own database and workspace.json say.
type workspaceLists struct {
	lists   uint64
	prompts uint64 // and generations
	owner   bool   // a conversation belongs to it, so that its prompts are none
}

// A sessionMark is what is remembered of one conversation, as sums: 0 means that
// there is nothing, or that nobody looked.
type sessionMark struct {
	id       string
	record   int64  // rowid of its composerData
	state    uint64 // rowids of the records that lead to its agent state
	listed   uint64 // what the lists in the global ItemTable say
	tabled   uint64 // what composerHeaders says
	keys     uint64 // keys and rowids of its bubbles and of what belongs to them
	values   uint64 // their values
	header   uint64 // all that Headers says
	children uint64 // the conversations that it started
	place    uint64 // its folder
	stored   bool   // its record has a value
	empty    bool
}

func (m *sessionMark) numbers() []*uint64 {
	return []*uint64{&m.state, &m.listed, &m.tabled, &m.keys, &m.values, &m.header, &m.children, &m.place}
}

var errMemory = errors.New("not a memory of this version")

// encode writes the memory: version, stamps, sums, sessions.
func (m *placeMemory) encode() []byte {
	b := []byte{memoryVersion, flags(m.again, m.raced, m.whole)}
	b, _ = m.stamp.global.AppendBinary(b) // it never fails
	b = binary.LittleEndian.AppendUint64(b, m.stamp.others)
	for _, n := range m.marks.numbers() {
		b = binary.LittleEndian.AppendUint64(b, n.get())
	}
	b = binary.AppendVarint(b, m.reconciled)
	b = binary.AppendVarint(b, m.keys)
	b = binary.AppendUvarint(b, uint64(len(m.stamp.workspaces)))
	for i, w := range m.stamp.workspaces {
		b = appendText(b, w.id)
		b = binary.LittleEndian.AppendUint64(b, w.sum)
		b = binary.LittleEndian.AppendUint64(b, m.lists[i].lists)
		b = binary.LittleEndian.AppendUint64(b, m.lists[i].prompts)
		b = append(b, flags(m.lists[i].owner))
	}
	b = binary.AppendUvarint(b, uint64(len(m.sessions)))
	for i := range m.sessions {
		s := &m.sessions[i]
		b = append(appendText(b, s.id), flags(s.stored, s.empty))
		b = binary.AppendVarint(b, s.record)
		for _, n := range s.numbers() {
			b = binary.LittleEndian.AppendUint64(b, *n)
		}
	}
	return b
}

// decodePlace reads what encode wrote; nil for nothing, for another version's and
// for what is damaged.
func decodePlace(b []byte) *placeMemory {
	if len(b) < 2 || b[0] != memoryVersion {
		return nil
	}
	in := decoder{b: b[1:]}
	m := &placeMemory{}
	in.flags(&m.again, &m.raced, &m.whole)
	if err := m.stamp.global.UnmarshalBinary(in.take(livedb.StampSize)); err != nil {
		return nil
	}
	m.stamp.others = in.uint64()
	for _, n := range m.marks.numbers() {
		n.set(in.uint64())
	}
	m.reconciled, m.keys = in.varint(), in.varint()
	for range in.count(8*3 + 2) {
		m.stamp.workspaces = append(m.stamp.workspaces, workspaceStamp{in.text(), in.uint64()})
		l := workspaceLists{lists: in.uint64(), prompts: in.uint64()}
		in.flags(&l.owner)
		m.lists = append(m.lists, l)
	}
	n := in.count(8*8 + 3)
	m.sessions = make([]sessionMark, n)
	for i := range m.sessions {
		s := &m.sessions[i]
		s.id = in.text()
		in.flags(&s.stored, &s.empty)
		s.record = in.varint()
		for _, n := range s.numbers() {
			*n = in.uint64()
		}
	}
	ordered := slices.IsSortedFunc(m.sessions, func(a, b sessionMark) int { return compareText(a.id, b.id) })
	if in.err != nil || len(in.b) > 0 || !ordered {
		return nil
	}
	return m
}

// session finds what is remembered of a conversation; nil when nothing is.
func (m *placeMemory) session(id string) *sessionMark {
	i, ok := slices.BinarySearchFunc(m.sessions, id, func(s sessionMark, id string) int { return compareText(s.id, id) })
	if !ok {
		return nil
	}
	return &m.sessions[i]
}
