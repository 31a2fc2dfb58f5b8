package backup

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// cacheSize is how many bytes of unpacked chunks an Archive keeps.
const cacheSize = 16 << 20

// verifyCache is that while files are verified: two readers of a file keep in it
// what lies between them.
const verifyCache = (2*followChunks + 12) * chunkSize

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
	bytes []byte
	used  int64
}

// size is the memory that a chunk takes, which may have held a larger one before.
func (it *cached) size() int64 { return int64(cap(it.bytes)) }

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

// resize changes what it may keep, from the next chunk on.
func (c *cache) resize(limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limit = limit
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

// readIn copies bytes of chunk i, checked when it was unpacked, and returns how
// long the chunk is.
func (c *content) readIn(i int64, p []byte, off int64) (n, size int, err error) {
	a, s := c.archive, c.file.Chunks[i]
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
	if err := c.fetch(i, it); err != nil {
		return 0, 0, err
	}
	n, size = copy(p, it.bytes[min(off, int64(len(it.bytes))):]), len(it.bytes)
	a.cache.put(s, it)
	return n, size, nil
}

// fetch unpacks chunk i. What was checked before is not checked again.
func (c *content) fetch(i int64, it *cached) error {
	a, s := c.archive, c.file.Chunks[i]
	sc, _ := a.scratches.Get().(*scratch)
	if sc == nil {
		sc = &scratch{}
	}
	defer a.scratches.Put(sc)
	sc.raw, it.bytes, sc.known = it.bytes, nil, a.checked.has(s)
	raw, err := a.readChunk(s, sc)
	if err == nil && c.check != nil {
		c.check.first(a, s, raw, i*c.file.ChunkSize)
	}
	it.take(sc, raw)
	return err
}

// take makes it hold raw, which lies in sc, and leaves its own memory there.
func (it *cached) take(sc *scratch, raw []byte) {
	if len(raw) > 0 && len(sc.stored) > 0 && &raw[0] == &sc.stored[0] { // it was not packed
		sc.stored = it.bytes
	} else {
		sc.raw = it.bytes
	}
	it.bytes = raw
}

// readChunk unpacks and checks a chunk, past the cache; the result may lie in sc.
func (a *Archive) readChunk(s Sum, sc *scratch) ([]byte, error) {
	at, ok := a.chunks[s]
	if !ok {
		if len(a.missing) > 0 {
			return nil, invalid("a part is missing: %s", strings.Join(a.missing, ", "))
		}
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
	return &content{archive: a, file: f, check: a.underCheck(f)}
}

type content struct {
	archive *Archive
	file    *File
	check   *check       // nil unless it is being verified
	last    atomic.Int64 // the chunk that was read last
}

// ReadAt reads at an offset of the unpacked file.
func (c *content) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("read %s at %d: %w", c.file.Path, off, fs.ErrInvalid)
	}
	if c.check.page(p, off) {
		return len(p), nil
	}
	for n < len(p) {
		if off >= c.file.Size {
			return n, io.EOF
		}
		i := off / c.file.ChunkSize
		c.check.reach(int(i))
		c.aheadOf(i)
		m, size, err := c.readIn(i, p[n:], off-i*c.file.ChunkSize)
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
