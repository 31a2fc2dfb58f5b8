package cursor

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// Bubbles read in one transaction: at most so many, and no more once their
// values have so many bytes.
const (
	chunkBubbles = 128
	chunkBytes   = 4 << 20
)

// A slot is one place in a conversation: the header's word, and where the bubble
// lies.
type slot struct {
	id    string
	kind  int64
	at    time.Time
	rowid int64 // 0 when there is no such record
}

// global yields a chat whose messages are records of the global database.
func (r *reader) global() error {
	full := &r.g.full
	rowids, err := r.rowids()
	if err != nil {
		return err
	}
	slots := headerSlots(full.headers)
	for i := range slots {
		slots[i].rowid = rowids[slots[i].id]
		delete(rowids, slots[i].id)
	}
	stray := slices.Collect(func(yield func(slot) bool) {
		for id, rowid := range rowids {
			if !yield(slot{id: id, rowid: rowid}) {
				return
			}
		}
	})
	// A chat whose headers were lost still has its bubbles: they are the
	// conversation, in the order of their times. Those of a deleted chat are not.
	lost := len(slots) == 0 && r.chat.inline == 0 && r.chat.record
	if r.disk && !r.mapper.counting {
		r.mapper.recover = r.recovered
	}
	switch {
	case lost && len(stray) > 0:
		err = r.byTime(stray, false)
		stray = nil
	case len(slots) > 0:
		err = r.walk(slots)
	case r.chat.inline > 0:
		err = r.inline(full)
	}
	if err == nil {
		err = r.dater.flush(r.dater.end)
	}
	switch {
	case err != nil:
		return err
	case r.detail.MessageCount == 0 && len(stray) == 0:
		return r.fromState()
	}
	if err := r.lostThinking(); err != nil || len(stray) == 0 {
		return err
	}
	return r.byTime(stray, true)
}

// rowids lists the chat's bubbles from the index.
func (r *reader) rowids() (map[string]int64, error) {
	prefix := "bubbleId:" + r.chat.id + ":"
	var list []row
	err := r.db.Read(r.ctx, func(conn *sqlite.Conn) error {
		t, err := findTables(conn)
		if err != nil || !t.disk {
			return err
		}
		r.disk = true
		list, err = keys(conn, prefix)
		return err
	})
	found := make(map[string]int64, len(list))
	for _, k := range list {
		found[strings.TrimPrefix(k.key, prefix)] = k.rowid
	}
	return found, err
}

// headerSlots is the conversation's order, each bubble once.
func headerSlots(headers jscan.Value) (slots []slot) {
	seen := map[string]bool{}
	for h := range headers.Items() {
		s := slot{id: h.Get("bubbleId").Str(), at: parseTime(h.Get("createdAt"))}
		s.kind, _ = h.Get("type").Int()
		if s.id == "" || seen[s.id] {
			continue
		}
		seen[s.id] = true
		slots = append(slots, s)
	}
	return slots
}

// walk yields the bubbles of the slots in their order.
func (r *reader) walk(slots []slot) error {
	for len(slots) > 0 {
		read, err := r.chunk(slots, false)
		if err != nil {
			return err
		}
		for _, got := range read {
			for _, m := range got.messages {
				if err := r.dater.add(m); err != nil {
					return err
				}
			}
		}
		slots = slots[len(read):]
	}
	return nil
}

// byTime yields bubbles that no header orders, by their own times, then in the
// order in which they were last written.
func (r *reader) byTime(stray []slot, orphan bool) error {
	slices.SortFunc(stray, func(a, b slot) int { return cmp.Compare(a.rowid, b.rowid) })
	var all []bubbleRead
	for rest := stray; len(rest) > 0; {
		read, err := r.chunk(rest, true)
		if err != nil {
			return err
		}
		rest = rest[len(read):]
		all = append(all, read...)
	}
	sortByTime(all, func(b *bubbleRead) *time.Time { return &b.at })
	d := dater{start: r.dater.start, end: r.dater.end, yield: r.emit}
	for _, got := range all {
		for _, m := range got.messages {
			m.Orphan = orphan
			if err := d.add(m); err != nil {
				return err
			}
		}
	}
	return d.flush(d.end)
}

// bubbleRead is what one slot came to.
type bubbleRead struct {
	at       time.Time
	bubble   bubble // without its values
	messages []retold.Message
	problem  *retold.Problem
}

// chunk reads and maps the first bubbles of the slots in one transaction; the
// result has at least one entry. Where stray is set, a record that holds nothing
// gives no placeholder: no header promised it.
func (r *reader) chunk(slots []slot, stray bool) ([]bubbleRead, error) {
	slots = slots[:min(len(slots), chunkBubbles)]
	var out []bubbleRead
	var look lookup
	err := r.db.Read(r.ctx, func(conn *sqlite.Conn) error {
		values := make([]row, 0, len(slots))
		size := 0
		for _, s := range slots {
			value, err := readBubble(conn, "bubbleId:"+r.chat.id+":"+s.id, s.rowid)
			if err != nil {
				return err
			}
			values = append(values, value)
			if size += len(value.value); size > chunkBytes {
				break
			}
		}
		look = lookup{conn: conn}
		m := r.mapper
		m.read = look.row
		out = make([]bubbleRead, len(values))
		parallel(len(values), func(i int) { out[i] = r.mapSlot(&m, slots[i], values[i], stray) })
		return look.err
	})
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].problem != nil {
			r.detail.ProblemList = append(r.detail.ProblemList, *out[i].problem)
		}
		model := r.follow(&out[i].bubble)
		for j := range out[i].messages {
			out[i].messages[j].Model = model
		}
	}
	slices.Sort(look.missing)
	for _, key := range look.missing {
		r.trouble(key, retold.ProblemMissing, "a text that an edit refers to is not stored")
	}
	return out, nil
}

// A lookup reads other records in the transaction of a chunk, for several
// goroutines in turn.
type lookup struct {
	mu      sync.Mutex
	conn    *sqlite.Conn
	err     error
	missing []string
}

func (l *lookup) row(key string) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, err := get(l.conn, "cursorDiskKV", key)
	l.err = errors.Join(l.err, err)
	v, ok := found[key]
	if ok = ok && !v.null; !ok && !emptyContent(key) {
		l.missing = append(l.missing, key)
	}
	return v.value, ok
}

// parallel calls f for 0 to n-1 on all processors.
func parallel(n int, f func(int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// readBubble reads by rowid, which costs one search instead of two, and by key
// where the record was rewritten since its rowid was listed.
func readBubble(conn *sqlite.Conn, key string, rowid int64) (r row, err error) {
	if rowid == 0 {
		return row{}, nil
	}
	err = sqlitex.Execute(conn, "SELECT rowid, key, value FROM cursorDiskKV WHERE rowid = ?", &sqlitex.ExecOptions{
		Args:       []any{rowid},
		ResultFunc: func(s *sqlite.Stmt) error { r = readRow(s); return nil },
	})
	if err != nil || r.key == key {
		return r, err
	}
	found, err := get(conn, "cursorDiskKV", key)
	return found[key], err
}

// mapSlot maps one record, or says why there is nothing to map.
func (r *reader) mapSlot(m *mapper, s slot, value row, stray bool) bubbleRead {
	key := "bubbleId:" + r.chat.id + ":" + s.id
	problem := func(kind, why string) *retold.Problem {
		return &retold.Problem{Path: r.db.Path(), Key: key, Kind: kind, Reason: why}
	}
	v, err := jscan.Parse(value.value)
	if value.key == "" || value.null || errors.Is(err, jscan.ErrEmpty) || v.Kind() == jscan.Null {
		if inline := r.inlineBubble(s.id); inline.Kind() == jscan.Object {
			v, err = inline, nil
		} else if stray {
			return bubbleRead{}
		} else if value.key == "" {
			return bubbleRead{at: s.at, messages: []retold.Message{s.placeholder("is not stored on this machine.")}, problem: problem(retold.ProblemMissing, "named by the conversation, but not stored")}
		} else {
			return bubbleRead{at: s.at, messages: []retold.Message{s.placeholder("was deleted.")}, problem: problem(retold.ProblemTombstone, "the record was emptied: a deleted message")}
		}
	}
	out := bubbleRead{}
	if err != nil {
		out.problem = problem(retold.ProblemMalformed, reason(err))
	} else if v.Kind() != jscan.Object {
		out.problem = problem(retold.ProblemMalformed, "not a JSON object")
	}
	b := decodeBubble(v)
	b.id = s.id
	if b.kind == 0 {
		b.kind = s.kind
	}
	r.addEarlyTool(&b)
	out.at, _ = b.moment(s.at)
	out.messages = m.messages(&b, s.at)
	out.bubble = bubble{kind: b.kind, requestID: b.requestID, model: b.model}
	if len(out.messages) == 0 && out.problem != nil && !stray {
		out.messages = []retold.Message{s.placeholder("could not be read: its record is damaged.")}
	}
	return out
}

func (s slot) placeholder(why string) retold.Message {
	m := placeholder(s.id, s.kind, why)
	if m.Timestamp = s.at; !s.at.IsZero() {
		m.TimestampSource = retold.TimeStored
	}
	return m
}

// inlineBubble looks for a bubble inside the record, where an intermediate
// generation kept it.
func (r *reader) inlineBubble(id string) jscan.Value {
	full := &r.g.full
	if v := full.byID.Get(id); v.Kind() == jscan.Object {
		return v
	}
	for v := range full.conversation.Items() {
		if v.Get("bubbleId").Str() == id {
			return v
		}
	}
	return nil
}

// An element is a member of conversationMap.
type element struct {
	id    string
	value jscan.Value
	at    time.Time
}

// mapByTime orders a conversationMap by its bubbles' times.
func mapByTime(m jscan.Value) []element {
	var all []element
	for key, v := range m.Members() {
		b := decodeBubble(v)
		at, _ := b.moment(time.Time{})
		all = append(all, element{string(key), v, at})
	}
	sortByTime(all, func(e *element) *time.Time { return &e.at })
	return all
}

// sortByTime sorts stably; what has no time stays behind its predecessor.
func sortByTime[T any](all []T, at func(*T) *time.Time) {
	var last time.Time
	for i := range all {
		if t := at(&all[i]); t.IsZero() {
			*t = last
		} else {
			last = *t
		}
	}
	slices.SortStableFunc(all, func(a, b T) int { return at(&a).Compare(*at(&b)) })
}
