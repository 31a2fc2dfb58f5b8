package backup

import (
	"crypto/sha256"
	"io"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// packer makes the encoder; EncodeAll of one may be called by several
// goroutines, each of which then has buffers of its own.
func packer() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(chunkSize), zstd.WithLowerEncoderMem(true))
}

// The decoders are made once: they hold no state between calls. Their limits hold
// whatever the bytes say.
var (
	chunkDecoder = sync.OnceValues(func() (*zstd.Decoder, error) { return decoder(maxChunk) })
	metaDecoder  = sync.OnceValues(func() (*zstd.Decoder, error) { return decoder(maxManifest) })
)

func decoder(most uint64) (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(most))
}

// spare is how many bytes behind what it unpacks the decoder likes to write to.
const spare = 16

// A scratch is memory that reading one frame after the other uses again.
type scratch struct {
	stored, raw []byte
	known       bool // the payload was checked before: its sum is not computed again
}

// readPayload reads, unpacks and checks the payload at offset. The result may lie
// in s.
func readPayload(r io.ReaderAt, offset int64, f frame, s *scratch) ([]byte, error) {
	s.stored = grown(s.stored, f.stored)
	if f.stored > 0 {
		if err := readFull(r, s.stored, offset); err != nil {
			return nil, err
		}
	}
	raw := s.stored
	if f.codec == codecZstd {
		var err error
		if raw, err = unpack(s, f); err != nil {
			return nil, err
		}
	}
	if int64(len(raw)) != f.raw {
		return nil, invalid("%d bytes came out where %d were put in", len(raw), f.raw)
	}
	if !s.known && sha256.Sum256(raw) != f.sum {
		return nil, invalid("the bytes are not those that were written (sha256)")
	}
	return raw, nil
}

// unpack makes sure before it unpacks that no more than f.raw bytes come out.
func unpack(s *scratch, f frame) ([]byte, error) {
	var head zstd.Header
	if err := head.Decode(s.stored); err != nil {
		return nil, invalid("unpack: %v", err)
	}
	if !head.HasFCS || head.FrameContentSize != uint64(f.raw) {
		return nil, invalid("it would not unpack to %d bytes", f.raw)
	}
	decoder := chunkDecoder
	if f.kind != kindChunk {
		decoder = metaDecoder
	}
	d, err := decoder()
	if err != nil {
		return nil, err
	}
	// With some room to spare the decoder copies by the word to the end.
	s.raw = grown(s.raw, f.raw+spare)[:0]
	raw, err := d.DecodeAll(s.stored, s.raw)
	if err != nil {
		return nil, invalid("unpack: %v", err)
	}
	return raw, nil
}

func grown(buf []byte, n int64) []byte {
	if int64(cap(buf)) >= n {
		return buf[:n]
	}
	return make([]byte, n)
}
