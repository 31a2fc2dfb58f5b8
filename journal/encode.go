package journal

import (
	"encoding/binary"
	"hash/crc32"
)

// workFormat is the first byte of an encoded work. It grows whenever a session
// would come to another work, also when only the mapping changed.
const workFormat = 3

// encodeWork writes a work down with the revision of its session. The sum at the
// end tells damage.
func encodeWork(w *work, revision int64) []byte {
	e := encoder{b: []byte{workFormat}}
	e.int(revision)
	e.int(int64(len(w.turns)))
	for i := range w.turns {
		t := &w.turns[i]
		e.text(t.prompt)
		e.int(int64(t.first))
		e.int(int64(t.last))
		e.int(t.start)
		e.int(t.end)
		e.b = append(e.b, t.source)
		e.bool(t.orphan)
		e.int(int64(len(t.words)))
		for _, h := range t.words {
			e.b = binary.LittleEndian.AppendUint64(e.b, h)
		}
		e.lines(t.answer)
	}
	e.int(int64(len(w.edits)))
	for i := range w.edits {
		e.edit(&w.edits[i])
	}
	e.int(int64(len(w.commits)))
	for i := range w.commits {
		c := &w.commits[i]
		e.text(c.gitCommit.message)
		e.bool(c.amend)
		e.bool(c.repeats)
		e.bool(c.unsure)
		e.text(c.cwd)
		e.text(c.printed)
		e.int(int64(c.turn))
		e.text(c.message)
		e.int(c.time)
		e.bool(c.weak)
	}
	return binary.LittleEndian.AppendUint32(e.b, crc32.ChecksumIEEE(e.b))
}

type encoder struct{ b []byte }

func (e *encoder) int(n int64) { e.b = binary.AppendVarint(e.b, n) }

func (e *encoder) text(s string) {
	e.int(int64(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) bool(v bool) {
	if v {
		e.b = append(e.b, 1)
	} else {
		e.b = append(e.b, 0)
	}
}

func (e *encoder) edit(d *edit) {
	e.int(int64(d.turn))
	e.text(d.message)
	e.int(int64(d.index))
	e.int(int64(d.nth))
	e.int(d.time)
	e.int(d.floor)
	e.bool(d.weak)
	e.bool(d.orphan)
	e.b = append(e.b, byte(d.kind))
	e.text(d.path)
	e.text(d.from)
	e.int(int64(len(d.changes)))
	for _, c := range d.changes {
		e.lines(c.removed)
		e.lines(c.added)
	}
	e.int(int64(len(d.swaps)))
	for _, s := range d.swaps {
		e.bool(s.extended)
		e.text(s.script)
	}
}

func (e *encoder) lines(list []line) {
	e.int(int64(len(list)))
	for _, l := range list {
		flags := byte(0)
		if l.plain {
			flags |= 1
		}
		if l.tight != l.norm {
			flags |= 2
		}
		if l.stood {
			flags |= 8
		}
		if l.norm == noText {
			e.b = append(e.b, 4)
			continue
		}
		e.b = binary.LittleEndian.AppendUint64(append(e.b, flags), l.norm)
		if flags&2 != 0 {
			e.b = binary.LittleEndian.AppendUint64(e.b, l.tight)
		}
	}
}

// decodeWork reads what encodeWork wrote; false when it is damaged, of another
// version or another revision.
func decodeWork(b []byte, revision int64) (*work, bool) {
	if len(b) < 5 || b[0] != workFormat || crc32.ChecksumIEEE(b[:len(b)-4]) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return nil, false
	}
	d := decoder{b: b[1 : len(b)-4]}
	if d.int() != revision {
		return nil, false
	}
	w := &work{}
	for range d.count() {
		t := turn{prompt: d.text(), first: int(d.int()), last: int(d.int()), start: d.int(), end: d.int(), source: d.byte(), orphan: d.byte() == 1}
		for range d.count() {
			t.words = append(t.words, d.hash())
		}
		t.answer = d.lines()
		if d.bad || int(t.source) >= len(timeSources) {
			return nil, false
		}
		w.turns = append(w.turns, t)
	}
	for range d.count() {
		w.edits = append(w.edits, d.edit())
		if d.bad || w.edits[len(w.edits)-1].turn >= len(w.turns) || w.edits[len(w.edits)-1].turn < 0 {
			return nil, false
		}
	}
	for range d.count() {
		var c commitRun
		c.gitCommit.message, c.amend, c.repeats, c.unsure, c.cwd, c.printed = d.text(), d.byte() == 1, d.byte() == 1, d.byte() == 1, d.text(), d.text()
		c.turn, c.message, c.time, c.weak = int(d.int()), d.text(), d.int(), d.byte() == 1
		if d.bad || c.turn >= len(w.turns) || c.turn < 0 {
			return nil, false
		}
		w.commits = append(w.commits, c)
	}
	return w, !d.bad && len(d.b) == 0
}

// A decoder reads what an encoder wrote. After the first thing that cannot be, it
// is bad and reads zeros.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.b)
	if size <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[size:]
	return n
}

// count is a number of things that take a byte each at least.
func (d *decoder) count() int {
	n := d.int()
	if n < 0 || n > int64(len(d.b)) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) take(n int) []byte {
	if n > len(d.b) {
		d.bad, d.b = true, nil
		return make([]byte, n)
	}
	part := d.b[:n]
	d.b = d.b[n:]
	return part
}

func (d *decoder) byte() byte   { return d.take(1)[0] }
func (d *decoder) hash() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }
func (d *decoder) text() string { return string(d.take(d.count())) }

func (d *decoder) edit() edit {
	e := edit{
		turn: int(d.int()), message: d.text(), index: int(d.int()), nth: int(d.int()), time: d.int(), floor: d.int(),
		weak: d.byte() == 1, orphan: d.byte() == 1, kind: editKind(d.byte()), path: d.text(), from: d.text(),
	}
	for range d.count() {
		e.changes = append(e.changes, lineChange{d.lines(), d.lines()})
	}
	for range d.count() {
		e.swaps = append(e.swaps, substitution{d.byte() == 1, d.text()})
	}
	return e
}

func (d *decoder) lines() []line {
	n := d.count()
	if n == 0 {
		return nil
	}
	list := make([]line, n)
	for i := range list {
		flags := d.byte()
		if flags&4 != 0 {
			list[i] = line{norm: noText, tight: noText}
			continue
		}
		list[i].plain, list[i].stood, list[i].norm = flags&1 != 0, flags&8 != 0, d.hash()
		if list[i].tight = list[i].norm; flags&2 != 0 {
			list[i].tight = d.hash()
		}
	}
	return list
}
