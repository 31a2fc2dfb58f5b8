package sqlite

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
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

// page reads and unpacks a page: its messages one after the other, each behind
// its length.
func (s *Store) page(c *conn, id int64) (string, error) {
	if raw, ok := s.pages.get(id); ok {
		return raw, nil
	}
	s.work.page()
	p, err := s.packed(c, id, nil)
	if err != nil {
		return "", err
	}
	return s.unpacked(id, p)
}

// unpacked unpacks a page and keeps it for a while.
func (s *Store) unpacked(id int64, p packedPage) (string, error) {
	u, err := borrowUnpacker()
	if err != nil {
		return "", err
	}
	defer u.giveBack()
	b, err := u.unpack(p)
	if err != nil {
		return "", fmt.Errorf("unpack page %d: %w", id, err)
	}
	raw := string(b)
	s.pages.put(id, raw)
	return raw, nil
}

// A pageReader steps through the messages of a page.
type pageReader struct {
	raw []byte
	at  int // the message that begins raw
}

// encoded copies message n out of the page. It must not come before the one that
// was read last.
func (r *pageReader) encoded(n int) (string, error) {
	for ; r.at <= n; r.at++ {
		size, head := binary.Uvarint(r.raw)
		if head <= 0 || size > uint64(len(r.raw)-head) {
			break
		}
		if r.at == n {
			return string(r.raw[head : head+int(size)]), nil
		}
		r.raw = r.raw[head+int(size):]
	}
	return "", errDamaged
}
