package cursor

import (
	"cmp"
	"slices"
	"sync"

	"github.com/retold-history/retold"
)

// readStray reads the bubbles that no header names, in the order in which they
// were last written.
func (r *reader) readStray(stray []slot) ([]bubbleRead, error) {
	slices.SortFunc(stray, func(a, b slot) int { return cmp.Compare(a.rowid, b.rowid) })
	all := make([]bubbleRead, len(stray))
	var unread []slot
	var at []int
	for i, s := range stray {
		if got, ok := r.memo.kept(r, s); ok {
			all[i] = got
			continue
		}
		unread, at = append(unread, s), append(at, i)
	}
	for len(unread) > 0 {
		read, err := r.chunk(unread, true)
		if err != nil {
			return nil, err
		}
		for i, got := range read {
			all[at[i]] = got
		}
		unread, at = unread[len(read):], at[len(read):]
	}
	r.memo.keepStray(r, all)
	return all, nil
}

// A strayShelf keeps the messages of bubbles that no header names, of chats that
// are read again and again while they go on: these come behind the conversation,
// so that they have to be given again whenever it grew.
type strayShelf struct {
	mu    sync.Mutex
	bytes int64
	chats map[retold.Ref]map[string]bubbleRead
}

// The most bytes of records whose messages are kept.
const shelfBytes = 16 << 20

// kept finds the messages of a bubble whose record is as it was.
func (m *memo) kept(r *reader, s slot) (bubbleRead, bool) {
	if m == nil || m.suspect || s.size == -2 {
		return bubbleRead{}, false
	}
	m.shelf.mu.Lock()
	defer m.shelf.mu.Unlock()
	got, ok := m.shelf.chats[m.ref(r)][s.id]
	if !ok || got.row != (bubbleRow{s.rowid, s.size}) {
		return bubbleRead{}, false
	}
	got.messages = copied(got.messages)
	return got, true
}

// copied gives messages tools of their own: whoever is given one may change it.
func copied(messages []retold.Message) []retold.Message {
	messages = slices.Clone(messages)
	for i := range messages {
		if t := messages[i].Tool; t != nil {
			mine := *t
			messages[i].Tool = &mine
		}
	}
	return messages
}

// keepStray keeps what only its record decides.
func (m *memo) keepStray(r *reader, all []bubbleRead) {
	if m == nil || !m.useful() || m.old == nil {
		return
	}
	m.shelf.mu.Lock()
	defer m.shelf.mu.Unlock()
	ref := m.ref(r)
	for _, got := range m.shelf.chats[ref] {
		m.shelf.bytes -= got.row.size
	}
	delete(m.shelf.chats, ref)
	mine := map[string]bubbleRead{}
	var size int64
	for _, got := range all {
		if got.problem == nil && !got.loose && !got.deep && !got.asked && got.row.size >= 0 {
			got.messages = copied(got.messages)
			mine[got.id] = got
			size += got.row.size
		}
	}
	if size > shelfBytes {
		return
	}
	if m.shelf.bytes+size > shelfBytes {
		clear(m.shelf.chats)
		m.shelf.bytes = 0
	}
	m.shelf.chats[ref], m.shelf.bytes = mine, m.shelf.bytes+size
}

func (m *memo) ref(r *reader) retold.Ref {
	return suspectKey(retold.Ref{Place: r.g.user, ID: r.chat.id})
}
