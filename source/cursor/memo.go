package cursor

import (
	"slices"
	"strings"

	"github.com/retold-history/retold"
)

// restore sets the reader to the last point within the first same slots and keeps
// what the memory says of what lies before.
func (m *memo) restore(r *reader, same int) int {
	old := m.old
	i, ok := slices.BinarySearchFunc(old.points, same, func(p point, slot int) int { return p.slot - slot })
	for ok && i+1 < len(old.points) && old.points[i+1].slot == same {
		i++
	}
	if !ok {
		i--
	}
	if i < 0 {
		m.old = nil
		return 0
	}
	p := old.points[i]
	if r.said != nil && len(old.said) < p.count { // nobody had to remember
		m.old = nil
		return 0
	}
	if r.said != nil {
		m.next.said = slices.Clone(old.said[:p.count])
		for _, key := range m.next.said {
			r.said[key] = true
		}
	}
	m.next.points = slices.Clone(old.points[:i+1])
	m.next.slots = slices.Clone(old.slots[:p.slot])
	for _, problem := range old.problems {
		if problem.slot < p.slot {
			m.tell(r, problem)
		}
	}
	m.set(r, &p)
	m.skipped = p.slot
	return p.slot
}

// finished sets the reader behind everything.
func (m *memo) finished(r *reader) {
	for _, problem := range m.old.problems {
		m.tell(r, problem)
	}
	m.next.points, m.next.slots, m.next.end, m.next.strays = m.old.points, m.old.slots, m.old.end, m.old.strays
	m.next.said = m.old.said
	m.set(r, &m.old.end)
}

func (m *memo) tell(r *reader, p slotProblem) {
	m.next.problems = append(m.next.problems, p)
	r.detail.ProblemList = append(r.detail.ProblemList, retold.Problem{
		Path: r.g.db.Path(), Key: "bubbleId:" + r.chat.id + ":" + r.order.slots[p.slot].id, Kind: p.kind, Reason: p.reason,
	})
}

func (m *memo) set(r *reader, p *point) {
	m.from = p.count
	r.detail.MessageCount, r.detail.FirstMessagePreview = p.count, p.preview
	r.dater.last, r.tokens, r.thought, r.model = p.last, p.tokens, p.thought, p.model
	r.request, r.requestModel = p.request, p.requestModel
}

// here is the point at which the reader stands.
func (r *reader) here(slot int, got *bubbleRead) point {
	p := point{
		slot: slot, count: r.detail.MessageCount, last: r.dater.last, tokens: r.tokens, thought: r.thought,
		model: r.model, preview: r.detail.FirstMessagePreview,
	}
	if got != nil {
		p.request, p.requestModel = got.request, got.requestModel
	}
	return p
}

// passed takes note of a slot whose messages were given.
func (m *memo) passed(r *reader, s *slot, got *bubbleRead) {
	index := len(m.next.slots)
	r.order.slots[index].rowid, r.order.slots[index].size = got.row.rowid, got.row.size
	m.next.slots = append(m.next.slots, slotMemory{print: s.print(got.row), value: uint32(got.sum), parts: got.parts()}) //nolint:gosec // its lower half
	if p := got.problem; p != nil {
		m.next.problems = append(m.next.problems, slotProblem{index, p.Kind, p.Reason})
		passing := p.Kind == retold.ProblemMissing || p.Kind == retold.ProblemTombstone || p.Kind == retold.ProblemMalformed
		m.stopped = m.stopped || !passing || len(m.next.problems) > mostProblems
	}
	m.stopped = m.stopped || got.loose
	if m.stopped || len(r.dater.waiting) > 0 || r.dater.last.IsZero() && r.detail.MessageCount > 0 {
		return
	}
	m.recent = append(m.recent, r.here(index+1, got))
	if len(m.recent) > recentPoints {
		m.keep(m.recent[0])
		m.recent = slices.Delete(m.recent, 0, 1)
	}
}

// keep thins the points out.
func (m *memo) keep(p point) {
	if n := len(m.next.points); n == 0 || p.slot-m.next.points[n-1].slot >= m.spacing {
		m.next.points = append(m.next.points, p)
	}
}

// ended takes note of the end of everything. What a stray was made of beyond its
// own record is not kept, nor is what was wrong behind the conversation.
func (m *memo) ended(r *reader, strays []bubbleRead, before int) {
	rows := make([]slot, len(strays))
	for i, got := range strays {
		rows[i] = slot{id: got.id, rowid: got.row.rowid, size: got.row.size}
	}
	m.measure(r, rows)
	m.next.points = append(m.next.points, m.recent...)
	if n := len(m.next.points); n > 0 && r.said != nil {
		m.next.said = m.next.said[:m.next.points[n-1].count]
	}
	m.next.end = r.here(len(m.next.slots), nil)
	loose := m.stopped || len(r.detail.ProblemList) > before
	for i := range strays {
		m.next.strays += strayValue(strays[i].id, strays[i].sum)
		loose = loose || strays[i].loose || strays[i].deep || strays[i].asked
	}
	if loose {
		m.next.tail = 0
	}
}

// parts tells which messages a slot came to, and what they depend on.
func (b *bubbleRead) parts() (bits byte) {
	for i := range b.messages {
		bits |= partAny
		if i == 0 {
			continue
		}
		name := b.messages[i].ID[strings.LastIndexByte(b.messages[i].ID, ':')+1:]
		if p := slices.Index(partNames[:], name); p >= 0 {
			bits |= 1 << p
		}
	}
	if b.deep {
		bits |= partDeep
	}
	if b.asked {
		bits |= partState
	}
	return bits
}

// knowIDs makes the ids of the messages that were skipped known, for what comes
// behind the conversation to differ from them.
func (r *reader) knowIDs() {
	if r.memo == nil || r.memo.known {
		return
	}
	r.memo.known = true
	for i, s := range r.memo.next.slots[:r.memo.skipped] {
		if s.parts&partAny == 0 {
			continue
		}
		id := r.order.slots[i].id
		r.ids[id] = 1
		for p, name := range partNames {
			if s.parts&(1<<p) != 0 {
				r.ids[id+":"+name] = 1
			}
		}
	}
}
