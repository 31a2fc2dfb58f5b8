package sqlite

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/retold-history/retold"
)

// How the bytes of a page are packed: its first byte.
const (
	packedPlain  = 0
	packedZstd   = 1
	packedPrimed = 2 // primer.go
)

// encoders are kept because making one costs more than packing a page. Each
// holds about a megabyte.
var encoders = sync.Pool{New: func() any {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return err // reported by pack
	}
	return enc
}}

var decoders = sync.Pool{New: func() any {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(1<<32))
	if err != nil {
		return err
	}
	return dec
}}

// pack compresses a page into dst.
func pack(dst, raw []byte) ([]byte, error) {
	v := encoders.Get()
	enc, ok := v.(*zstd.Encoder)
	if !ok {
		return nil, v.(error)
	}
	defer encoders.Put(enc)
	return enc.EncodeAll(raw, append(dst, packedZstd)), nil
}

// unpack is the inverse of pack.
func unpack(data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, errDamaged
	}
	switch data[0] {
	case packedPlain:
		return data[1:], nil
	case packedZstd:
		v := decoders.Get()
		dec, ok := v.(*zstd.Decoder)
		if !ok {
			return nil, v.(error)
		}
		defer decoders.Put(dec)
		return dec.DecodeAll(data[1:], nil)
	}
	return nil, errDamaged
}

// page reads and unpacks a page: its messages one after the other, each behind
// its length.
func (s *Store) page(c *conn, id int64) (string, error) {
	if raw, ok := s.pages.get(id); ok {
		return raw, nil
	}
	s.work.pages.Add(1)
	p, err := s.packed(c, id)
	if err != nil {
		return "", err
	}
	return s.unpacked(id, p)
}

func (s *Store) unpacked(id int64, p packedPage) (string, error) {
	b, err := p.unpack()
	if err != nil {
		return "", fmt.Errorf("unpack page %d: %w", id, err)
	}
	raw := string(b)
	s.pages.put(id, raw)
	return raw, nil
}

// messageAt reads message n of a page.
func messageAt(raw string, n int) (retold.Message, error) {
	d := &decoder{b: raw}
	for range n {
		d.take(d.uint())
	}
	one := &decoder{b: d.str()}
	m := one.message()
	if d.bad || one.bad {
		return m, errDamaged
	}
	return m, nil
}
