package cursor

import (
	"encoding/binary"
	"time"

	"github.com/retold-history/retold"
)

// A sessionMemory is what one reading of a conversation tells the next: what each
// of its bubbles was, and places to go on from. It takes about 13 bytes for each
// bubble.
type sessionMemory struct {
	header uint64 // sum of what the header said
	other  uint64 // keys and rowids of the conversation's records beside its bubbles
	deep   uint64 // what the diffs of deep slots were made of, beside their bubbles
	state  uint64 // the agent's state

	// tail sums up what everything behind the slots was made of; 0 when that can
	// depend on more than could be summed up. strays are the values of the bubbles
	// that no header names.
	tail, strays uint64

	slots    []slotMemory
	points   []point // in order
	end      point   // the last message
	problems []slotProblem

	// said tells the slots' messages by what they say, in order: only where bubbles
	// are missing and the agent's state may have them.
	said []uint64
}

// A slotMemory is what one slot was when it was read.
type slotMemory struct {
	print uint64 // header, rowid and length
	value uint32 // sum of the record
	parts byte
}

// The bits of slotMemory.parts: one for each part behind the first, which its
// message is named after, then what the messages depend on besides their record.
const (
	partAny   = 1 << 5 // there is a message at all
	partDeep  = 1 << 6 // an edit whose diff other records and other messages decide
	partState = 1 << 7 // a call that the agent's state may complete
)

// A point is a place in a conversation where nothing waits for what follows, with
// all that a reader carries across it.
type point struct {
	slot    int // slots before it
	count   int // messages before it
	last    time.Time
	tokens  retold.Tokens
	thought bool

	request, requestModel, model, preview string
}

// A slotProblem is what was wrong with a slot.
type slotProblem struct {
	slot         int
	kind, reason string
}

func (m *sessionMemory) sums() []*uint64 {
	return []*uint64{&m.header, &m.other, &m.deep, &m.state, &m.tail, &m.strays}
}

func (m *sessionMemory) encode() []byte {
	b := make([]byte, 0, 256+13*len(m.slots)+40*len(m.points))
	b = append(b, memoryVersion)
	for _, n := range m.sums() {
		b = binary.LittleEndian.AppendUint64(b, *n)
	}
	b = binary.AppendUvarint(b, uint64(len(m.slots)))
	for _, s := range m.slots {
		b = binary.LittleEndian.AppendUint64(b, s.print)
		b = binary.LittleEndian.AppendUint32(b, s.value)
		b = append(b, s.parts)
	}
	b = binary.AppendUvarint(b, uint64(len(m.points)))
	var before point
	for i := range m.points {
		b = m.points[i].append(b, &before)
		before = m.points[i]
	}
	b = m.end.append(b, &before)
	b = binary.AppendUvarint(b, uint64(len(m.problems)))
	for _, p := range m.problems {
		b = binary.AppendVarint(b, int64(p.slot))
		b = appendText(appendText(b, p.kind), p.reason)
	}
	b = binary.AppendUvarint(b, uint64(len(m.said)))
	for _, s := range m.said {
		b = binary.LittleEndian.AppendUint64(b, s)
	}
	return b
}

func (p *point) texts() []*string {
	return []*string{&p.request, &p.requestModel, &p.model, &p.preview}
}

// append writes a point by what differs from the one before.
func (p *point) append(b []byte, before *point) []byte {
	b = append(b, flags(p.thought, p.last.IsZero(), p.request == before.request, p.requestModel == before.requestModel, p.model == before.model, p.preview == before.preview))
	b = binary.AppendVarint(b, int64(p.slot-before.slot))
	b = binary.AppendVarint(b, int64(p.count-before.count))
	if !p.last.IsZero() {
		b = binary.AppendVarint(b, p.last.UnixMilli())
	}
	b = binary.AppendVarint(b, p.tokens.Input)
	b = binary.AppendVarint(b, p.tokens.Output)
	was := before.texts()
	for i, text := range p.texts() {
		if *text != *was[i] {
			b = appendText(b, *text)
		}
	}
	return b
}

func (p *point) read(in *decoder, before *point) {
	var zero bool
	var same [4]bool
	in.flags(&p.thought, &zero, &same[0], &same[1], &same[2], &same[3])
	p.slot = before.slot + int(in.varint())
	p.count = before.count + int(in.varint())
	if !zero {
		p.last = time.UnixMilli(in.varint()).UTC()
	}
	p.tokens = retold.Tokens{Input: in.varint(), Output: in.varint()}
	was := before.texts()
	for i, text := range p.texts() {
		if *text = *was[i]; !same[i] {
			*text = in.text()
		}
	}
}

// decodeSession reads what encode wrote; nil for nothing, for another version's
// and for what is damaged.
func decodeSession(b []byte) *sessionMemory {
	if len(b) == 0 || b[0] != memoryVersion {
		return nil
	}
	in := decoder{b: b[1:]}
	m := &sessionMemory{}
	for _, n := range m.sums() {
		*n = in.uint64()
	}
	m.slots = make([]slotMemory, in.count(13))
	for i := range m.slots {
		m.slots[i] = slotMemory{in.uint64(), in.uint32(), in.take(1)[0]}
	}
	m.points = make([]point, in.count(5))
	var before point
	for i := range m.points {
		m.points[i].read(&in, &before)
		if p := &m.points[i]; p.slot < before.slot || p.slot > len(m.slots) || p.count < before.count {
			return nil
		}
		before = m.points[i]
	}
	m.end.read(&in, &before)
	m.problems = make([]slotProblem, in.count(3))
	for i := range m.problems {
		m.problems[i] = slotProblem{int(in.varint()), in.text(), in.text()}
		if p := &m.problems[i]; p.slot < 0 || p.slot >= len(m.slots) {
			return nil
		}
	}
	m.said = make([]uint64, in.count(8))
	for i := range m.said {
		m.said[i] = in.uint64()
	}
	if in.err != nil || len(in.b) > 0 || m.end.count < before.count {
		return nil
	}
	return m
}
