package backup

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
	"time"
)

// cacheSize is how many bytes of unpacked chunks an Archive keeps.
const cacheSize = 16 << 20

// A cache keeps the chunks that were used last.
type cache struct {
	limit int64

	mu    sync.Mutex
	size  int64
	clock int64
	items map[Sum]*cached
}

type cached struct {
	raw  []byte
	used int64
}

func (c *cache) get(s Sum) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.items[s]
	if it == nil {
		return nil
	}
	c.clock++
	it.used = c.clock
	return it.raw
}

// put makes room by dropping what was used longest ago.
func (c *cache) put(s Sum, raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items == nil {
		c.items = map[Sum]*cached{}
	}
	if c.items[s] != nil {
		return
	}
	for c.size+int64(len(raw)) > c.limit && len(c.items) > 0 {
		var oldest Sum
		least := c.clock + 1
		for k, it := range c.items {
			if it.used < least {
				oldest, least = k, it.used
			}
		}
		c.size -= int64(len(c.items[oldest].raw))
		delete(c.items, oldest)
	}
	c.clock++
	c.items[s] = &cached{raw, c.clock}
	c.size += int64(len(raw))
}

// chunk returns the unpacked and checked bytes of a chunk, which nobody may
// change.
func (a *Archive) chunk(s Sum) ([]byte, error) {
	if raw := a.cache.get(s); raw != nil {
		return raw, nil
	}
	raw, err := a.readChunk(s, &scratch{})
	if err == nil {
		a.cache.put(s, raw)
	}
	return raw, err
}

// readChunk is chunk past the cache; the result may lie in sc.
func (a *Archive) readChunk(s Sum, sc *scratch) ([]byte, error) {
	at, ok := a.chunks[s]
	if !ok {
		return nil, invalid("chunk %s is not there", s)
	}
	v := a.volumes[at.volume]
	f, raw, err := readFrame(v.r, at.offset, at.offset+frameSize+at.stored, sc)
	if err != nil {
		return nil, err
	}
	if f.kind != kindChunk || f.sum != s || f.stored != at.stored || f.raw != at.raw {
		return nil, invalid("frame at %d: not the chunk that the index names", at.offset)
	}
	return raw, nil
}

// Content returns the bytes of a file in the backup, each chunk checked when it
// is read.
func (a *Archive) Content(f *File) io.ReaderAt {
	if a.zip != nil {
		return a.zip.content(f)
	}
	return &content{a, f}
}

type content struct {
	archive *Archive
	file    *File
}

// ReadAt reads at an offset of the unpacked file.
func (c *content) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("read %s at %d: %w", c.file.Path, off, fs.ErrInvalid)
	}
	for n < len(p) {
		if off >= c.file.Size {
			return n, io.EOF
		}
		i := off / c.file.ChunkSize
		raw, err := c.archive.chunk(c.file.Chunks[i])
		if err != nil {
			return n, fmt.Errorf("read %s: %w", c.file.Path, err)
		}
		if want := min(c.file.ChunkSize, c.file.Size-i*c.file.ChunkSize); int64(len(raw)) != want {
			return n, invalid("%s: chunk %d has %d bytes instead of %d", c.file.Path, i, len(raw), want)
		}
		m := copy(p[n:], raw[off-i*c.file.ChunkSize:])
		n += m
		off += int64(m)
	}
	return n, nil
}

// Open opens a file of the backup, as an fs.FS does.
func (a *Archive) Open(name string) (fs.File, error) {
	f, err := a.Lookup(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &opened{io.NewSectionReader(a.Content(f), 0, f.Size), info{f}}, nil
}

// An opened file can be read from anywhere.
type opened struct {
	*io.SectionReader
	info info
}

func (o *opened) Stat() (fs.FileInfo, error) { return o.info, nil }
func (o *opened) Close() error               { return nil }

type info struct{ f *File }

func (i info) Name() string       { return path.Base(i.f.Path) }
func (i info) Size() int64        { return i.f.Size }
func (i info) Mode() fs.FileMode  { return 0o600 }
func (i info) ModTime() time.Time { return i.f.ModTime }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }
