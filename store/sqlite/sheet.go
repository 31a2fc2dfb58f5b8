package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/retold-history/retold"
)

// A sheet takes the messages of one session. While they come as they are kept
// it writes nothing; from the first that differs on it fills new pages. A
// message that is kept already, wherever in the replaced part, keeps its
// document and is not indexed again.
type sheet struct {
	w      *Writer
	key    retold.Key
	number int64 // of the session
	from   manifest
	desk   *desk // nil until something is to be indexed

	next int // index of the next message
	same bool
	tail int      // index of the first message in old
	old  []known  // kept messages from the page that holds `from` on
	pool recurred // those of old that were not met again

	keep    int           // pages of the manifest that stay
	written []writtenPage // under the writer's lock, as is noted
	noted   int           // of written, in the table of loose pages
	raw     []byte        // the page at hand
	packed  []byte
	head    head
	scratch encoder

	fresh   []uint32 // documents in the desk's builder, under the desk's lock
	flushed []flushed
	done    bool
}

// known is a kept message.
type known struct {
	doc  uint32
	hash uint64
}

// recurred finds kept messages by hash.
type recurred map[uint64][]uint32

type writtenPage struct {
	ref  pageRef
	docs []uint32
}

// flushed are documents of a sheet that went into a segment before the sheet was
// put.
type flushed struct {
	segment int64
	docs    []uint32
}

// Sheet starts the messages of a session, which replace those kept from index
// from on.
func (w *Writer) Sheet(ctx context.Context, key retold.Key, from int) (retold.Sheet, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return nil, w.broken
	}
	if w.closed {
		return nil, errors.New("the writer is closed")
	}
	s := &sheet{w: w, key: key, next: from, same: true}
	if err := w.lay(s, from); err != nil {
		return nil, w.store.explain(fmt.Errorf("sheet for %s %s: %w", key.Family, key.ID, err))
	}
	w.sheets[s] = struct{}{}
	return s, nil
}

// lay reads what a sheet has to know of the messages that are kept. The lock is
// held.
func (w *Writer) lay(s *sheet, from int) error {
	n, m, err := w.kept(s.key)
	if err != nil {
		return err
	}
	if from < 0 || from > m.messages() {
		return fmt.Errorf("from message %d of %d", from, m.messages())
	}
	if n == 0 {
		n = w.draw(s.key)
	}
	s.number, s.from = n, *m
	page, first := m.at(from)
	s.tail = first
	for _, p := range m.pages[page:] {
		h, err := w.store.head(w.c, p.id, true)
		if err != nil {
			return err
		}
		for i, doc := range h.docs {
			s.old = append(s.old, known{doc, h.hashes[i]})
		}
	}
	return nil
}

// kept returns the number and manifest of a session; 0 and an empty one when
// there is none. The lock is held.
func (w *Writer) kept(key retold.Key) (int64, *manifest, error) {
	n, err := w.c.session(key)
	if err != nil || n == 0 {
		return 0, &manifest{}, err
	}
	m, err := w.c.manifest(n)
	return n, m, err
}

// Add appends a message.
func (s *sheet) Add(ctx context.Context, m retold.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.done {
		return errors.New("the sheet was put or dropped")
	}
	s.scratch.b = append(s.scratch.b[:0], lengthRoom...)
	s.scratch.message(&m)
	h := hash(s.w.seed, s.scratch.b[len(lengthRoom):])
	if s.same {
		if i := s.next - s.tail; i < len(s.old) && s.old[i].hash == h {
			s.next++
			return nil
		}
		if err := s.differ(); err != nil {
			return err
		}
	}
	doc, err := s.document(h, &m)
	if err != nil {
		return err
	}
	if err := s.append(doc, h, s.scratch.b, &m); err != nil {
		return err
	}
	s.next++
	if cap(s.scratch.b) > 1<<20 {
		s.scratch.b = nil
	}
	return nil
}

// document is that of the same message kept before, or a new one.
func (s *sheet) document(h uint64, m *retold.Message) (uint32, error) {
	if docs := s.pool[h]; len(docs) > 0 {
		s.pool[h] = docs[1:]
		return docs[0], nil
	}
	if s.desk == nil {
		s.desk = s.w.sit(s)
	}
	s.w.store.work.indexed.Add(1)
	doc, full := s.w.index(s.desk, s.number, m, len(s.scratch.b))
	if full {
		return doc, s.w.flush(s.desk)
	}
	return doc, nil
}

// differ ends the part in which messages come as they are kept. The page in
// which that happens is written anew, so what stays of it is copied; so is a
// small last page, lest a session that grows by a few messages at a time become
// a row of small pages.
func (s *sheet) differ() error {
	s.same = false
	s.pool = recurred{}
	for _, k := range s.old[s.next-s.tail:] {
		s.pool[k.hash] = append(s.pool[k.hash], k.doc)
	}
	page, first := s.from.at(s.next)
	if page > 0 && first == s.next || page == len(s.from.pages) && page > 0 {
		if last := s.from.pages[page-1]; last.raw < s.w.store.limits.page*3/4 && last.messages < maxPageMessages {
			page--
			first = s.next - last.messages
		}
	}
	s.keep = page
	if s.next == first || page == len(s.from.pages) {
		return nil
	}
	return s.copy(s.from.pages[page], s.next-first)
}

// copy takes over the first n messages of a page.
func (s *sheet) copy(p pageRef, n int) error {
	w := s.w
	w.mu.Lock()
	h, err := w.store.head(w.c, p.id, true)
	var packed packedPage
	if err == nil {
		packed, err = w.store.packed(w.c, p.id, nil)
	}
	w.mu.Unlock()
	if err != nil {
		return w.store.explain(err)
	}
	w.store.work.page()
	u, err := borrowUnpacker()
	if err != nil {
		return err
	}
	defer u.giveBack()
	raw, err := u.unpack(packed)
	if err != nil {
		return fmt.Errorf("unpack page %d: %w", p.id, err)
	}
	if len(h.docs) < n {
		return errDamaged
	}
	d := &decoder{b: string(raw)}
	for i := range n {
		body := d.str()
		one := &decoder{b: body}
		m := one.message()
		if d.bad || one.bad {
			return errDamaged
		}
		if err := s.append(h.docs[i], h.hashes[i], append([]byte(lengthRoom), body...), &m); err != nil {
			return err
		}
	}
	return nil
}

// lengthRoom stands before an encoded message, so that its length can be written
// there and a huge one need not be copied.
const lengthRoom = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// append adds an encoded message, behind lengthRoom, to the page at hand.
func (s *sheet) append(doc uint32, h uint64, encoded []byte, m *retold.Message) error {
	size := len(encoded) - len(lengthRoom)
	full := len(s.raw)+size > s.w.store.limits.page || len(s.head.docs) >= maxPageMessages
	if full && len(s.raw) > 0 {
		if err := s.write(s.raw); err != nil {
			return err
		}
	}
	var length [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(length[:], uint64(size))
	from := len(lengthRoom) - n
	copy(encoded[from:], length[:n])
	s.head.add(doc, h, m)
	if full && size > s.w.store.limits.page {
		return s.write(encoded[from:])
	}
	s.raw = append(s.raw, encoded[from:]...)
	return nil
}

// write packs the page at hand and hands it to the writer.
func (s *sheet) write(raw []byte) error {
	if len(s.head.docs) == 0 {
		return nil
	}
	primed, err := s.w.primer(raw)
	if err != nil {
		return err
	}
	data := s.packed[:0]
	if primed != nil {
		data, err = primed.pack(data, raw)
	} else {
		data, err = pack(data, raw)
	}
	if err != nil {
		return err
	}
	s.packed = data
	p := writtenPage{docs: s.head.docs, ref: pageRef{
		messages: len(s.head.docs), raw: len(raw), low: slices.Min(s.head.docs), top: slices.Max(s.head.docs),
	}}
	if err := s.w.writePage(s, p, data, s.head.encode()); err != nil {
		return err
	}
	s.head = head{}
	s.raw = s.raw[:0]
	if cap(s.packed) > 1<<20 { // of one huge message; it must not be held on to
		s.packed = nil
	}
	return nil
}

func (w *Writer) writePage(s *sheet, p writtenPage, data, head []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.begin(); err != nil {
		return err
	}
	p.ref.id = w.next.page
	w.next.page++
	s.written = append(s.written, p)
	w.pending += len(data) + len(head)
	w.store.work.packed.Add(1)
	if err := w.c.run("INSERT INTO page VALUES (?, ?)", nil, p.ref.id, data); err != nil {
		return w.fail(err)
	}
	if err := w.c.run("INSERT INTO head VALUES (?, ?)", nil, p.ref.id, head); err != nil {
		return w.fail(err)
	}
	return nil
}

// Drop frees a sheet that will not be put.
func (s *sheet) Drop() {
	if s.done {
		return
	}
	s.done = true
	s.w.drop(s)
}
