package sqlite

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A primer is text from many messages that pages are packed against, so that a
// page need not spell out what all pages have in common: on the history of
// bench/ pages are 7 % smaller for it and are packed no slower. The first large
// sync makes one of its first pages; it is kept for as long as the library.
type primer struct {
	id       int64
	text     []byte
	encoders sync.Pool
	decoders sync.Pool
}

// How much a primer takes from how many pages.
const (
	primerPages  = 64
	primerSample = 2 << 10
)

func newPrimer(id int64, text []byte) *primer {
	p := &primer{id: id, text: text}
	p.encoders.New = func() any {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true), zstd.WithEncoderDictRaw(1, text))
		return either(enc, err)
	}
	p.decoders.New = func() any {
		dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(1<<32), zstd.WithDecoderDictRaw(1, text))
		return either(dec, err)
	}
	return p
}

// either is what a pool holds: a value, or why it could not be made.
func either(v any, err error) any {
	if err != nil {
		return err
	}
	return v
}

// pack appends the packed page: which primer it needs, then the frame.
func (p *primer) pack(dst, raw []byte) ([]byte, error) {
	v := p.encoders.Get()
	enc, ok := v.(*zstd.Encoder)
	if !ok {
		return nil, v.(error)
	}
	defer p.encoders.Put(enc)
	return enc.EncodeAll(raw, binary.AppendUvarint(append(dst, packedPrimed), uint64(p.id))), nil
}

// unpack is the slow way, see unpacker.
func (p *primer) unpack(frame []byte) ([]byte, error) {
	v := p.decoders.Get()
	dec, ok := v.(*zstd.Decoder)
	if !ok {
		return nil, v.(error)
	}
	defer p.decoders.Put(dec)
	return dec.DecodeAll(frame, nil)
}

// primers are those that a store has used, by id. They never change.
type primers struct {
	mu   sync.Mutex
	byID map[int64]*primer
}

// get reads a primer; ErrDamaged when there is none of that id.
func (s *primers) get(c *conn, id int64) (*primer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.byID[id]; p != nil {
		return p, nil
	}
	text, err := c.blob("SELECT data FROM primer WHERE id = ?", id)
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		return nil, errDamaged
	}
	return s.put(id, text), nil
}

func (s *primers) put(id int64, text []byte) *primer {
	p := newPrimer(id, text)
	if s.byID == nil {
		s.byID = map[int64]*primer{}
	}
	s.byID[id] = p
	return p
}

// packedPage is a page as it lies in the file, with the primer it needs, if any.
type packedPage struct {
	data   []byte
	primer *primer
}

// packed reads a page, into memory that may be used again (nil: new).
func (s *Store) packed(c *conn, id int64, room []byte) (p packedPage, err error) {
	if p.data, err = c.blobInto(room, "SELECT data FROM page WHERE id = ?", id); err != nil || len(p.data) == 0 || p.data[0] != packedPrimed {
		return p, err
	}
	primer, n := binary.Uvarint(p.data[1:])
	if n <= 0 {
		return p, fmt.Errorf("page %d: %w", id, errDamaged)
	}
	p.data = p.data[1+n:]
	p.primer, err = s.primers.get(c, int64(primer))
	return p, err
}

// primer returns what pages are packed against by now, or nil, and takes a
// sample of a page until there are enough to make a primer.
func (w *Writer) primer(raw []byte) (*primer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.primed != nil {
		return w.primed, nil
	}
	if w.samples == 0 { // is there one from an earlier sync?
		id, err := w.c.number("SELECT max(id) FROM primer")
		if err != nil {
			return nil, w.store.explain(err)
		}
		if id > 0 {
			w.primed, err = w.store.primers.get(w.c, id)
			return w.primed, w.store.explain(err)
		}
	}
	from := max(0, len(raw)/2-primerSample/2)
	w.sample = append(w.sample, raw[from:min(len(raw), from+primerSample)]...)
	if w.samples++; w.samples < primerPages {
		return nil, nil
	}
	if err := w.begin(); err != nil {
		return nil, err
	}
	if err := w.c.run("INSERT INTO primer (data) VALUES (?)", nil, w.sample); err != nil {
		return nil, w.fail(err)
	}
	id := w.c.LastInsertRowID()
	w.store.primers.mu.Lock()
	w.primed = w.store.primers.put(id, w.sample)
	w.store.primers.mu.Unlock()
	w.pending += len(w.sample)
	w.sample = nil
	return w.primed, nil
}
