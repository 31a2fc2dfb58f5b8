package backup

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"
	"sync/atomic"
	"time"
)

// cacheSize is how many bytes of unpacked chunks an Archive keeps.
const cacheSize = 16 << 20

// A cache keeps the chunks that were used last. Bytes are only ever copied out of
// it, under its lock, so that the memory of a chunk that is dropped serves the
// next.
type cache struct {
	limit int64

	mu    sync.Mutex
	size  int64
	clock int64
	items map[Sum]*cached
	free  []*cached
}

type cached struct {
	scratch
	bytes []byte // in scratch
	used  int64
}

// size is the memory that a chunk takes, which may have held a larger one before.
func (it *cached) size() int64 { return int64(cap(it.raw) + cap(it.stored)) }

// read copies bytes of a chunk from off on, as far as p and the chunk go, and
// returns how long the chunk is; ok is false when it is not here.
func (c *cache) read(s Sum, p []byte, off int64) (n, size int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	it := c.items[s]
	if it == nil {
		return 0, 0, false
	}
	c.clock++
	it.used = c.clock
	return copy(p, it.bytes[min(off, int64(len(it.bytes))):]), len(it.bytes), true
}

// room returns memory for a chunk.
func (c *cache) room() *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.free); n > 0 {
		it := c.free[n-1]
		c.free = c.free[:n-1]
		return it
	}
	return &cached{}
}

// put keeps a chunk, and makes room by dropping what was used longest ago.
func (c *cache) put(s Sum, it *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items == nil {
		c.items = map[Sum]*cached{}
	}
	if c.items[s] != nil {
		c.free = append(c.free, it)
		return
	}
	for c.size+it.size() > c.limit && len(c.items) > 0 {
		var oldest Sum
		least := c.clock + 1
		for k, other := range c.items {
			if other.used < least {
				oldest, least = k, other.used
			}
		}
		c.size -= c.items[oldest].size()
		c.free = append(c.free, c.items[oldest])
		delete(c.items, oldest)
	}
	c.clock++
	it.used = c.clock
	c.items[s] = it
	c.size += it.size()
}

// readIn copies bytes of a chunk, checked when it was unpacked, and returns how
// long the chunk is.
func (a *Archive) readIn(s Sum, p []byte, off int64) (n, size int, err error) {
	n, size, ok := a.cache.read(s, p, off)
	if ok {
		return n, size, nil
	}
	if a.ahead.wait(s) {
		if n, size, ok := a.cache.read(s, p, off); ok {
			return n, size, nil
		}
	}
	it := a.cache.room()
	it.known = a.checked[s]
	raw, err := a.readChunk(s, &it.scratch)
	if err != nil {
		return 0, 0, err
	}
	it.bytes = raw
	n, size = copy(p, raw[min(off, int64(len(raw))):]), len(raw)
	a.cache.put(s, it)
	return n, size, nil
}

// readChunk unpacks and checks a chunk, past the cache; the result may lie in sc.
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
	return &content{archive: a, file: f, pages: a.pins[f.Path]}
}

type content struct {
	archive *Archive
	file    *File
	pages   *pins
	last    atomic.Int64 // the chunk that was read last, plus one
}

// ReadAt reads at an offset of the unpacked file.
func (c *content) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("read %s at %d: %w", c.file.Path, off, fs.ErrInvalid)
	}
	if c.pages.read(p, off) {
		return len(p), nil
	}
	for n < len(p) {
		if off >= c.file.Size {
			return n, io.EOF
		}
		i := off / c.file.ChunkSize
		if c.last.Swap(i+1) == i && i > 0 && int(i+1) < len(c.file.Chunks) { // from the one before to this one
			c.archive.readAhead(c.file.Chunks[i+1])
		}
		m, size, err := c.archive.readIn(c.file.Chunks[i], p[n:], off-i*c.file.ChunkSize)
		if err != nil {
			return n, fmt.Errorf("read %s: %w", c.file.Path, err)
		}
		if want := min(c.file.ChunkSize, c.file.Size-i*c.file.ChunkSize); int64(size) != want {
			return n, invalid("%s: chunk %d has %d bytes instead of %d", c.file.Path, i, size, want)
		}
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
