package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
)

// The parts of a container; FORMAT.md describes them.
const (
	headMagic  = "RETOLD\x1a\n"
	frameMagic = "RTLF"
	tailMagic  = "RETOLD\x04\n"

	formatVersion = 1

	headSize  = 16
	frameSize = 56
	tailSize  = 64
	entrySize = 56
)

// Kinds of frames.
const (
	kindChunk    = 1
	kindManifest = 2
	kindIndex    = 3
)

// How a payload is stored.
const (
	codecPlain = 0
	codecZstd  = 1
)

// What a reader takes at most. A chunk has to fit into memory many times over; a
// manifest or index once.
const (
	maxChunk    = 4 << 20
	maxManifest = 128 << 20
	maxIndex    = 128 << 20
	// maxObjects bounds what a manifest of almost nothing but braces unfolds to.
	maxObjects = 1 << 21
)

// A frame is the head of one.
type frame struct {
	kind, codec byte
	stored, raw int64 // lengths in bytes: of the payload as it lies, and unpacked
	sum         Sum   // of the unpacked payload
}

func fileHead() []byte {
	b := make([]byte, headSize)
	copy(b, headMagic)
	binary.LittleEndian.PutUint32(b[8:], formatVersion)
	return b
}

func checkHead(b []byte) error {
	if len(b) < headSize || string(b[:8]) != headMagic {
		return invalid("it does not begin as a backup does")
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != formatVersion {
		return invalid("a container of version %d, and this retold reads version %d", v, formatVersion)
	}
	if !bytes.Equal(b[12:headSize], make([]byte, 4)) {
		return invalid("reserved bytes of its head are set")
	}
	return nil
}

func (f frame) encode(b []byte) []byte {
	b = append(b, frameMagic...)
	b = append(b, f.kind, f.codec, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(f.stored))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.raw))
	return append(b, f.sum[:]...)
}

// decodeFrame reads the head of a frame of which room bytes are left behind it.
func decodeFrame(b []byte, room int64) (f frame, err error) {
	if len(b) < frameSize || string(b[:4]) != frameMagic {
		return f, invalid("no frame where one should begin")
	}
	f.kind, f.codec = b[4], b[5]
	stored, raw := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])
	f.sum = Sum(b[24:frameSize])
	most, known := map[byte]uint64{kindChunk: maxChunk, kindManifest: maxManifest, kindIndex: maxIndex}[f.kind]
	switch {
	case !known:
		return f, invalid("a frame of kind %d", f.kind)
	case f.codec > codecZstd || b[6] != 0 || b[7] != 0:
		return f, invalid("a frame packed in way %d", f.codec)
	case raw > most:
		return f, invalid("a frame says it holds %d bytes, more than the %d allowed", raw, most)
	case room < 0 || stored > uint64(room):
		return f, invalid("a frame says it is %d bytes long, more than the file has left", stored)
	case f.codec == codecPlain && stored != raw:
		return f, invalid("a plain frame of %d bytes says it holds %d", stored, raw)
	}
	f.stored, f.raw = int64(stored), int64(raw)
	return f, nil
}

// A tail ends a container.
type tail struct {
	index    int64 // where the index frame begins
	manifest int64 // where the manifest frame begins; 0 in a pack
	size     int64 // of the whole file
	sum      Sum   // of the 24 bytes before, and the sums of manifest and index
}

func (t tail) seal(manifest, index Sum) Sum {
	b := binary.LittleEndian.AppendUint64(nil, uint64(t.index))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.manifest))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.size))
	b = append(b, manifest[:]...)
	return sha256.Sum256(append(b, index[:]...))
}

func (t tail) encode() []byte {
	b := []byte(tailMagic)
	b = binary.LittleEndian.AppendUint64(b, uint64(t.index))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.manifest))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.size))
	return append(b, t.sum[:]...)
}

// decodeTail reads the tail of a file of size bytes.
func decodeTail(b []byte, size int64) (t tail, err error) {
	if len(b) != tailSize || string(b[:8]) != tailMagic {
		return t, invalid("it does not end as a backup does: cut short, or not written to its end")
	}
	index, manifest, whole := binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
	last := uint64(size) - tailSize - frameSize
	switch {
	case whole != uint64(size):
		return t, invalid("it is %d bytes long and was written as %d", size, whole)
	case index < headSize || index > last:
		return t, invalid("its index would begin at %d", index)
	case manifest != 0 && (manifest < headSize || manifest > last || manifest >= index):
		return t, invalid("its manifest would begin at %d", manifest)
	}
	return tail{int64(index), int64(manifest), size, Sum(b[32:tailSize])}, nil
}

// An entry says where a chunk lies in a container.
type entry struct {
	sum         Sum
	offset      int64 // of the frame
	stored, raw int64
}

func encodeIndex(entries []entry) []byte {
	b := make([]byte, 0, len(entries)*entrySize)
	for _, e := range entries {
		b = append(b, e.sum[:]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.offset))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.stored))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.raw))
	}
	return b
}

// decodeIndex reads the index of a container whose frames end at end.
func decodeIndex(b []byte, end int64) ([]entry, error) {
	if len(b)%entrySize != 0 {
		return nil, invalid("an index of %d bytes", len(b))
	}
	entries := make([]entry, 0, len(b)/entrySize)
	next := uint64(headSize)
	for ; len(b) > 0; b = b[entrySize:] {
		offset, stored, raw := binary.LittleEndian.Uint64(b[32:]), binary.LittleEndian.Uint64(b[40:]), binary.LittleEndian.Uint64(b[48:])
		if offset < next || offset > uint64(end) || stored > uint64(end)-offset || stored+frameSize > uint64(end)-offset || raw > maxChunk {
			return nil, invalid("its index names a chunk of %d bytes at %d", stored, offset)
		}
		next = offset + frameSize + stored
		entries = append(entries, entry{Sum(b[:32]), int64(offset), int64(stored), int64(raw)})
	}
	return entries, nil
}

// readFrame reads the frame at offset of a file whose frames end at end. The
// payload is unpacked and checked.
func readFrame(r io.ReaderAt, offset, end int64, s *scratch) (frame, []byte, error) {
	var head [frameSize]byte
	if err := readFull(r, head[:], offset); err != nil {
		return frame{}, nil, err
	}
	f, err := decodeFrame(head[:], end-offset-frameSize)
	if err != nil {
		return f, nil, fmt.Errorf("frame at %d: %w", offset, err)
	}
	payload, err := readPayload(r, offset+frameSize, f, s)
	if err != nil {
		return f, nil, fmt.Errorf("frame at %d: %w", offset, err)
	}
	return f, payload, nil
}

// readFull reads all of b. A ReaderAt may say io.EOF with the last bytes.
func readFull(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF || err == io.ErrUnexpectedEOF: //nolint:errorlint // ReaderAt returns them as they are
		return invalid("it ends at %d, in the middle of a part", offset+int64(n))
	}
	return fmt.Errorf("read at %d: %w", offset, err)
}
