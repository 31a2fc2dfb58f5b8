package backup

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// A container is one being written: a file under a temporary name.
type container struct {
	file  *os.File
	buf   *bufio.Writer
	crypt io.WriteCloser // nil: not encrypted
	out   io.Writer
	at    int64 // bytes written, before encryption
	index []entry
}

// newContainer takes over the file, which is empty.
func newContainer(f *os.File, to []age.Recipient) (*container, error) {
	c := &container{file: f, buf: bufio.NewWriterSize(f, 1<<20)}
	c.out = c.buf
	if len(to) > 0 {
		var err error
		if c.crypt, err = age.Encrypt(c.buf, to...); err != nil {
			return nil, fmt.Errorf("encrypt: %w", err)
		}
		c.out = c.crypt
	}
	return c, c.write(fileHead())
}

func (c *container) write(b []byte) error {
	n, err := c.out.Write(b)
	c.at += int64(n)
	return err
}

// put appends a frame and returns where it begins.
func (c *container) put(f frame, payload []byte) (int64, error) {
	at := c.at
	var head [frameSize]byte
	if err := c.write(f.encode(head[:0])); err != nil {
		return 0, err
	}
	return at, c.write(payload)
}

func (c *container) chunk(f frame, payload []byte) error {
	at, err := c.put(f, payload)
	c.index = append(c.index, entry{f.sum, at, f.stored, f.raw})
	return err
}

// finish writes the manifest (nil in a pack), the index and the tail, and sees to
// it that all of it is on the disk.
func (c *container) finish(z *zstd.Encoder, manifest []byte) error {
	var t tail
	var sum Sum
	var err error
	if manifest != nil {
		var f frame
		f, manifest = packed(z, kindManifest, manifest, nil)
		if sum = f.sum; f.raw > maxManifest {
			return errors.New("the manifest is too large")
		}
		if t.manifest, err = c.put(f, manifest); err != nil {
			return err
		}
	}
	f, index := packed(z, kindIndex, encodeIndex(c.index), nil)
	if t.index, err = c.put(f, index); err != nil {
		return err
	}
	t.size = c.at + tailSize
	t.sum = t.seal(sum, f.sum)
	if err := c.write(t.encode()); err != nil {
		return err
	}
	if c.crypt != nil {
		if err := c.crypt.Close(); err != nil {
			return err
		}
	}
	return errors.Join(c.buf.Flush(), c.file.Sync())
}

// leastPacked is the least worth packing: of less the encoder does not even note
// the length, which readers insist on.
const leastPacked = 256

// packed is a payload as it is stored, perhaps in dst: compressed where that
// makes it smaller.
func packed(z *zstd.Encoder, kind byte, raw, dst []byte) (frame, []byte) {
	f := frame{kind: kind, raw: int64(len(raw)), sum: sha256.Sum256(raw)}
	return press(z, f, raw, dst)
}

func press(z *zstd.Encoder, f frame, raw, dst []byte) (frame, []byte) {
	if len(raw) < leastPacked {
		f.stored = f.raw
		return f, raw
	}
	small := z.EncodeAll(raw, dst[:0])
	if len(small) >= len(raw) {
		f.stored = f.raw
		return f, raw
	}
	f.codec, f.stored = codecZstd, int64(len(small))
	return f, small
}
