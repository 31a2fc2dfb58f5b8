package cursor

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// A slot is one place in a conversation: the header's word, and where the bubble
// lies.
type slot struct {
	id    string
	kind  int64
	at    time.Time
	rowid int64 // 0 when there is no such record
	size  int64 // of its value, see bubbleRow
}

// An order is which of a conversation's bubbles are part of it.
type order struct {
	slots  []slot
	inline map[string]jscan.Value // bubbles inside the record, by id
	lost   bool                   // nothing orders the bubbles: all of them are the conversation
}

// order reads the order from a record. A conversation whose headers were lost
// still has its bubbles; one whose record is gone was deleted, and what is left
// of it is no conversation any more.
func (c *composer) order(record bool) order {
	o := order{slots: slices.Collect(c.slots()), inline: map[string]jscan.Value{}}
	n := 0
	for v := range c.conversation.Items() {
		if id := v.Get("bubbleId").Str(); id != "" {
			o.inline[id] = v
		}
		n++
	}
	for id, v := range c.byID.Members() {
		if v.Kind() == jscan.Object {
			o.inline[string(id)] = v
			n++
		}
	}
	o.lost = record && len(o.slots) == 0 && n == 0
	return o
}

// lists reports whether a bubble with that id, stored as a record of its own, is
// part of the conversation.
func (o *order) lists() func(id string) bool {
	listed := make(map[string]bool, len(o.slots))
	for _, s := range o.slots {
		listed[s.id] = true
	}
	return func(id string) bool {
		_, inline := o.inline[id]
		return o.lost || listed[id] || inline && len(o.slots) == 0
	}
}

// global yields a chat whose messages are records of the global database.
func (r *reader) global() error {
	full := &r.g.full
	rows, err := r.rows()
	if err != nil {
		return err
	}
	r.order = full.order(r.chat.record)
	missing := 0
	left := r.order.inline // after the loop: bubbles inside the record that no header names
	if len(r.order.slots) > 0 {
		left = maps.Clone(left)
	}
	for i := range r.order.slots {
		s := &r.order.slots[i]
		s.rowid, s.size = rows[s.id].rowid, rows[s.id].size
		if _, inline := left[s.id]; s.rowid == 0 && !inline {
			missing++
		}
		delete(rows, s.id)
		delete(left, s.id)
	}
	for id := range r.order.inline {
		delete(rows, id)
	}
	r.remember(missing > 0)
	if r.g.tables.disk && !r.mapper.counting {
		r.mapper.recover = r.recovered
	}
	stray := make([]slot, 0, len(rows))
	for id, row := range rows {
		stray = append(stray, slot{id: id, rowid: row.rowid, size: row.size})
	}
	skip, done, err := r.resume(stray)
	if err != nil || done {
		return err
	}
	switch {
	case r.order.lost:
		err = r.byTime(stray, false)
		stray = nil
	case len(r.order.slots) > 0:
		err = r.walk(r.order.slots[skip:])
	default:
		err, left = r.inline(full), nil
	}
	if err == nil {
		err = r.dater.finish()
	}
	switch {
	case err != nil:
		return err
	case r.detail.MessageCount == 0 && len(stray)+len(left) == 0:
		if r.memo != nil {
			r.memo.odd = true
		}
		if err := r.fromState(); err != nil {
			return err
		}
		return r.notes()
	}
	told := len(r.detail.ProblemList)
	if err := r.notes(); err != nil {
		return err
	}
	if err := r.recoverLost(); err != nil {
		return err
	}
	if err := r.strayInline(left); err != nil {
		return err
	}
	all, err := r.readStray(stray)
	if err == nil {
		err = r.giveByTime(all, true)
	}
	if err == nil && r.memo != nil {
		r.memo.ended(r, all, told)
	}
	return err
}

// resume skips the slots that a memory of an earlier reading shows to be as they
// were, or finds that everything is.
func (r *reader) resume(stray []slot) (skip int, done bool, err error) {
	if r.memo == nil {
		return 0, false, nil
	}
	return r.memo.begin(r, stray)
}

// rows lists the chat's bubbles from the index, and reads its record again in the
// same transaction: the order and the rows it orders are then of one moment.
func (r *reader) rows() (found map[string]bubbleRow, err error) {
	if found, err = r.listRows(r.memo != nil && r.memo.old != nil); retold.CodeOf(err) == retold.CodeDatabaseCorrupt {
		found, err = r.listRows(false) // the lengths stand in the records, one of which is damaged
		if r.memo != nil {
			r.memo.old = nil
		}
	}
	return found, err
}

func (r *reader) listRows(sized bool) (map[string]bubbleRow, error) {
	prefix := "bubbleId:" + r.chat.id + ":"
	key := "composerData:" + r.chat.id
	found := map[string]bubbleRow{}
	var record row
	if !r.g.tables.disk {
		return found, nil
	}
	err := r.g.db.Read(r.ctx, func(conn *sqlite.Conn) (err error) {
		clear(found)
		list := bubbleKeys
		if sized {
			list = sizedKeys
		}
		err = list(conn, prefix, func(key string, row bubbleRow) {
			if id := strings.TrimPrefix(key, prefix); !strings.Contains(id, ":") { // else another conversation's
				found[id] = row
			}
		})
		if err != nil {
			return err
		}
		all, err := get(conn, "cursorDiskKV", key)
		record = all[key]
		return err
	})
	if err != nil {
		return nil, err
	}
	if v, err := jscan.Parse(record.value); err == nil && v.Kind() == jscan.Object && r.chat.record {
		id := r.g.full.id
		r.g.full = decodeComposer(v)
		r.g.full.id = id
		r.early = earlyTools(&r.g.full)
	}
	return found, nil
}

// slots is the conversation's order, each bubble once: that of its headers, or
// of the variant keyed by bubble.
func (c *composer) slots() iter.Seq[slot] {
	return func(yield func(slot) bool) {
		seen := map[string]bool{}
		give := func(id string, h jscan.Value) bool {
			if id == "" || seen[id] {
				return true
			}
			seen[id] = true
			s := slot{id: id, at: parseTime(h.Get("createdAt"))}
			s.kind, _ = h.Get("type").Int()
			return yield(s)
		}
		for h := range c.headers.Items() {
			id := h.Get("bubbleId")
			if whole := len(id) > 1 && id[len(id)-1] == '"'; whole && !give(id.Str(), h) { // else the record was cut here
				return
			}
		}
		if len(seen) > 0 {
			return
		}
		for id, h := range c.headersByID.Members() {
			if !give(string(id), h) {
				return
			}
		}
	}
}

// walk yields the bubbles of the slots in their order.
func (r *reader) walk(slots []slot) error {
	for len(slots) > 0 {
		read, err := r.chunk(slots, false)
		if err != nil {
			return err
		}
		for i, got := range read {
			for _, m := range got.messages {
				if err := r.give(m); err != nil {
					return err
				}
			}
			if r.memo != nil {
				r.memo.passed(r, &slots[i], &read[i])
			}
		}
		slots = slots[len(read):]
	}
	return nil
}

// byTime yields bubbles that no header orders, by their own times, then in the
// order in which they were last written.
func (r *reader) byTime(stray []slot, orphan bool) error {
	all, err := r.readStray(stray)
	if err != nil {
		return err
	}
	return r.giveByTime(all, orphan)
}

// strayInline yields the bubbles inside a record that its headers do not name.
func (r *reader) strayInline(left map[string]jscan.Value) error {
	var all []bubbleRead
	for _, id := range slices.Sorted(maps.Keys(left)) {
		b := decodeBubble(left[id])
		b.id = id
		at, _ := b.moment(time.Time{})
		got := bubbleRead{at: at, messages: r.mapper.messages(&b, time.Time{})}
		for i := range got.messages {
			got.messages[i].Model = b.model
		}
		all = append(all, got)
	}
	return r.giveByTime(all, true)
}

func (r *reader) giveByTime(all []bubbleRead, orphan bool) error {
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
	return d.finish()
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
