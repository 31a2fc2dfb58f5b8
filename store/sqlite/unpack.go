package sqlite

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// An unpacker unpacks one page after the other into the same memory.
//
// With a primer as its dictionary the decoder does without its fastest code and
// takes two and a half times as long. So the primer is put before a page's frame
// as blocks that are not packed: what the frame refers to lies where it would lie
// in the dictionary, and the text of the page stands behind it.
type unpacker struct {
	decoder *zstd.Decoder
	primer  *primer // whose text is in frame
	frame   []byte  // header, the primer's blocks, the page's blocks
	blocks  int     // where the page's begin
	out     []byte
	packed  []byte // room for the page as it lies in the file
}

const (
	frameHeader  = 13      // magic number, descriptor, size in 8 bytes
	frameRaw     = 1 << 17 // most bytes of a block
	mostUnpacked = 8 << 20 // of a larger page memory is not kept, nor a primer put before it
)

var unpackers = sync.Pool{New: func() any {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(1<<32))
	if err != nil {
		return err // reported by borrow
	}
	return &unpacker{decoder: dec}
}}

// borrowUnpacker returns an unpacker that giveBack takes back.
func borrowUnpacker() (*unpacker, error) {
	v := unpackers.Get()
	u, ok := v.(*unpacker)
	if !ok {
		return nil, v.(error)
	}
	return u, nil
}

func (u *unpacker) giveBack() {
	if max(cap(u.out), cap(u.frame), cap(u.packed)) > mostUnpacked {
		u.out, u.frame, u.packed, u.primer = nil, nil, nil, nil
	}
	unpackers.Put(u)
}

// unpack returns the messages of a page, good until the next page.
func (u *unpacker) unpack(p packedPage) ([]byte, error) {
	var h zstd.Header
	switch {
	case p.primer == nil && len(p.data) > 0 && p.data[0] == packedPlain:
		return p.data[1:], nil
	case p.primer == nil && len(p.data) > 0 && p.data[0] == packedZstd:
		return u.decode(p.data[1:])
	case p.primer == nil:
		return nil, errDamaged
	}
	if err := h.Decode(p.data); err != nil {
		return nil, err
	}
	body := p.data[min(h.HeaderSize, len(p.data)):]
	if !h.HasFCS || !h.HasCheckSum || len(body) < 4 || h.FrameContentSize > mostUnpacked/2 {
		return p.primer.unpack(p.data)
	}
	u.prime(p.primer)
	text := len(p.primer.text)
	binary.LittleEndian.PutUint64(u.frame[frameHeader-8:], uint64(text)+h.FrameContentSize)
	sum := binary.LittleEndian.Uint32(body[len(body)-4:])
	u.frame = append(u.frame[:u.blocks], body[:len(body)-4]...)
	out, err := u.decode(u.frame)
	if err != nil {
		return nil, err
	}
	if out = out[text:]; uint32(xxh64(out)) != sum {
		return nil, fmt.Errorf("checksum of a page: %w", errDamaged)
	}
	return out, nil
}

func (u *unpacker) decode(frame []byte) (_ []byte, err error) {
	u.out, err = u.decoder.DecodeAll(frame, u.out[:0])
	return u.out, err
}

// prime writes what comes before a page's own blocks: the header of a frame of
// one segment without a checksum, and the primer in blocks.
func (u *unpacker) prime(p *primer) {
	if u.primer == p {
		return
	}
	u.frame = append(u.frame[:0], 0x28, 0xb5, 0x2f, 0xfd, 0xe0)
	u.frame = append(u.frame, make([]byte, 8)...)
	for text := p.text; len(text) > 0; {
		n := min(frameRaw, len(text))
		u.frame = append(u.frame, byte(n<<3), byte(n>>5), byte(n>>13))
		u.frame = append(u.frame, text[:n]...)
		text = text[n:]
	}
	u.primer, u.blocks = p, len(u.frame)
}
