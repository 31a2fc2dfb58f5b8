package cursorcli

import (
	"context"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/retold-history/retold/internal/livedb"
)

// A view is how a catalog looks at the files of a place. One that follows a place
// notes every look, with a stamp of what was seen, and what was read there: a
// later view whose looks all come out the same need not read anything, and one
// that finds some moved reads only those. A nil view looks and notes nothing.
type view struct {
	root string

	mu    sync.Mutex
	seen  map[string]glance // by path, in this view
	looks map[string]uint64 // stamps in this view, by kind and path below root
	notes map[string]note   // what was read, by kind and path
	was   map[string]uint64 // looks of the earlier view
	had   map[string]note   // notes of the earlier view
	youth time.Time         // when the youngest file that moved was written
}

// A note is what was read somewhere, and the stamp that it was read under.
type note struct {
	stamp uint64
	data  []byte
}

// Kinds of looks and notes; each is the first byte of its key.
const (
	lookFile     = 'f' // a file or folder
	lookDatabase = 'b' // a database with its log
	noteList     = 'l' // names in a folder
	noteFacts    = 'a' // facts of a store
	noteIndex    = 'i' // agents of an SDK index
	noteID       = 'n' // id in a store's meta row
	noteSpeaks   = 's' // whether a transcript holds a message
	noteTrusted  = 't' // folder in a trust marker
)

// A glance is what the file system says of a path, a link followed.
type glance struct {
	found  bool
	link   bool
	mode   fs.FileMode
	size   int64
	mtime  time.Time
	inode  uint64
	failed bool // it may be there, but cannot be looked at
}

func look(path string) (g glance) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		g.link = true
		info, err = os.Stat(path)
	}
	if err != nil {
		g.failed = !errors.Is(err, fs.ErrNotExist)
		return g
	}
	g.found, g.mode, g.size, g.mtime, g.inode = true, info.Mode(), info.Size(), info.ModTime(), livedb.Inode(info)
	return g
}

// append adds what a stamp is made of.
func (g glance) append(b []byte) []byte {
	if !g.found {
		return appendBool(append(b, 0), g.failed)
	}
	b = appendInt(append(b, 1), int64(g.mode))
	b = appendInt(b, g.size)
	b = appendInt(b, g.mtime.UnixNano())
	return appendInt(b, int64(g.inode))
}

// sum is a stamp: equal for equal bytes, in every process.
func sum(b []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(b) // a hash never fails
	return h.Sum64()
}

// key names a look or note: paths are kept below the root.
func (v *view) key(kind byte, path string) string {
	rel, ok := strings.CutPrefix(path, v.root)
	if !ok {
		rel = "\x00" + path // a path of its own
	}
	return string(kind) + rel
}

// stat looks at a path, once per view.
func (v *view) stat(path string) glance {
	if v == nil {
		return look(path)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.statLocked(path)
}

func (v *view) statLocked(path string) glance {
	g, ok := v.seen[path]
	if ok {
		return g
	}
	g = look(path)
	v.seen[path] = g
	v.put(v.key(lookFile, path), sum(g.append(nil)), g.mtime)
	return g
}

// put notes a look.
func (v *view) put(key string, stamp uint64, written time.Time) {
	v.looks[key] = stamp
	if was, ok := v.was[key]; (!ok || was != stamp) && written.After(v.youth) {
		v.youth = written
	}
}

// stamp is the stamp of a path in this view.
func (v *view) stamp(path string) uint64 {
	if v == nil {
		return sum(look(path).append(nil))
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.statLocked(path)
	return v.looks[v.key(lookFile, path)]
}

// database is the stamp of a database and what lies beside it.
func (v *view) database(path string) uint64 {
	if v == nil {
		stamp, _ := databaseStamp(path)
		return stamp
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	key := v.key(lookDatabase, path)
	if stamp, ok := v.looks[key]; ok {
		return stamp
	}
	stamp, written := databaseStamp(path)
	v.put(key, stamp, written)
	return stamp
}

// recall returns what an earlier view, or this one, read under the same stamp.
func (v *view) recall(kind byte, path string, stamp uint64) ([]byte, bool) {
	if v == nil {
		return nil, false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	key := v.key(kind, path)
	n, ok := v.notes[key]
	if !ok {
		n, ok = v.had[key]
	}
	if !ok || n.stamp != stamp {
		return nil, false
	}
	v.notes[key] = n
	return n.data, true
}

// keep notes what was read under a stamp.
func (v *view) keep(kind byte, path string, stamp uint64, data []byte) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.notes[v.key(kind, path)] = note{stamp, data}
}

// File systems stamp a write with the time of the last tick of a clock: up to
// 16 ms long, two seconds where only whole seconds are kept (FAT). Two writes in
// one tick cannot be told apart by their time.
const (
	tick       = 20 * time.Millisecond
	coarseTick = 2 * time.Second
)

// settle waits until a file that was just written, and would be written again
// after it has been read, would show a later time.
func (v *view) settle(ctx context.Context) {
	if v == nil {
		return
	}
	v.mu.Lock()
	youth := v.youth
	v.mu.Unlock()
	length := tick
	if youth.Nanosecond() == 0 {
		length = coarseTick
	}
	left := time.Until(youth.Add(length))
	if left <= 0 || left > length { // written long ago, or by a clock that is ahead
		return
	}
	t := time.NewTimer(left)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// An entry is a name in a folder; folder also for a link to one.
type entry struct {
	name   string
	folder bool
}

// list reads the names in a folder, sorted. One that is not there is empty.
func (v *view) list(ctx context.Context, dir string) ([]entry, error) {
	var stamp uint64
	if v != nil {
		if stamp = v.stamp(dir); !v.stat(dir).found && !v.stat(dir).failed {
			return nil, nil
		}
	}
	data, ok := v.recall(noteList, dir, stamp)
	if !ok {
		v.settle(ctx)
		all, err := os.ReadDir(dir)
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return nil, err
		}
		for _, e := range all {
			data = appendText(data, e.Name())
			data = append(data, kindOfEntry(e.Type()))
		}
		v.keep(noteList, dir, stamp, data)
	}
	var out []entry
	for d := (decoder{b: data}); len(d.b) > 0 && !d.bad; {
		name, kind := d.text(), d.byte()
		e := entry{name, kind == entryFolder}
		if kind == entryLink {
			e.folder = v.stat(filepath.Join(dir, name)).mode.IsDir()
		}
		out = append(out, e)
	}
	return out, nil
}

// Kinds of entries in a note of a folder.
const (
	entryFile byte = iota
	entryFolder
	entryLink
)

func kindOfEntry(mode fs.FileMode) byte {
	switch {
	case mode.IsDir():
		return entryFolder
	case mode&fs.ModeSymlink != 0:
		return entryLink
	}
	return entryFile
}
