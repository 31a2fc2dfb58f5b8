package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"github.com/retold-history/retold"
)

// Options say how a backup is written. The zero value is right for one person.
type Options struct {
	// Recipients can read the file and nobody else can; none: it is not encrypted.
	Recipients []age.Recipient
	Shared     bool // the file gets the permissions of any new file instead of 0600
	Replace    bool // a file of the same name is replaced

	// Progress is told of bytes put in, by one goroutine at a time; nil for nobody.
	Progress func(raw int64)
}

// A Writer writes one backup. It is used by one goroutine. Finish or Abort ends
// it; until Finish nothing has the final name.
type Writer struct {
	desk  *desk
	z     *zstd.Encoder
	pipe  *pipeline
	sink  sink
	files []*File
	names map[string]bool
	done  bool
	raw   atomic.Int64
}

// A sink keeps chunks.
type sink interface {
	// fresh claims a chunk: true, once, when it has to be stored. It may be called
	// by several goroutines beside store.
	fresh(Sum) bool
	store(f frame, payload []byte) error
	// finish puts everything in place under its final name, which it returns.
	finish(z *zstd.Encoder, m *Manifest) (path string, err error)
	abort() error
	written() int64
}

func newWriter(d *desk, s sink, o Options) (*Writer, error) {
	z, err := packer()
	if err != nil {
		return nil, errors.Join(err, s.abort(), d.clear())
	}
	w := &Writer{desk: d, z: z, sink: s, names: map[string]bool{}}
	w.pipe = newPipeline(z, s.fresh, s.store, func(n int64) {
		raw := w.raw.Add(n)
		if o.Progress != nil {
			o.Progress(raw)
		}
	})
	return w, nil
}

// Add puts a file into the backup. Of f it needs Path, Kind and ModTime. A file
// whose reading fails is left out, and the error is returned; when ctx ended or
// nothing can be written any more, Abort is all that is left to do.
func (w *Writer) Add(ctx context.Context, f File, r io.Reader) (*File, error) {
	if err := CheckName(f.Path); err != nil {
		return nil, err
	}
	if w.names[fold(f.Path)] {
		return nil, fmt.Errorf("%s is in the backup already", f.Path)
	}
	added := &File{Path: f.Path, Kind: f.Kind, ModTime: f.ModTime}
	if err := w.pipe.add(ctx, added, r); err != nil {
		return nil, fmt.Errorf("back up %s: %w", f.Path, err)
	}
	w.names[fold(f.Path)] = true
	w.files = append(w.files, added)
	return added, nil
}

// Finish writes the manifest, of which Files, Packs, Version and Stats.FileSize
// are set here, and gives the backup its name.
func (w *Writer) Finish(ctx context.Context, m *Manifest) (path string, err error) {
	if err := errors.Join(w.pipe.close(), ctx.Err()); err != nil {
		w.done = true
		return "", failed(errors.Join(err, w.sink.abort(), w.z.Close(), w.desk.clear()))
	}
	w.done = true
	m.Version, m.Stats.FileSize, m.Files = Version, 0, nil
	for _, f := range w.files {
		m.Files = append(m.Files, *f)
		m.Stats.FileSize += f.Size
	}
	m.Places, m.Files, m.Sessions, m.Skipped, m.Excluded = some(m.Places), some(m.Files), some(m.Sessions), some(m.Skipped), some(m.Excluded)
	path, err = w.sink.finish(w.z, m)
	return path, failed(errors.Join(err, w.z.Close(), w.desk.clear()))
}

// Folder is a private folder on the disk of the backup, for what is made on the
// way. It is gone after Finish or Abort, and when this process dies the next
// backup removes it.
func (w *Writer) Folder() string { return w.desk.dir }

// Written is how many bytes the backup takes on disk that it did not take before.
func (w *Writer) Written() int64 { return w.sink.written() }

// Abort ends a backup that will not be; after Finish it does nothing. Of a
// repository the chunks written so far stay for the next.
func (w *Writer) Abort() error {
	if w.done {
		return nil
	}
	w.done = true
	_ = w.pipe.close() // why it failed was told before
	return errors.Join(w.sink.abort(), w.z.Close(), w.desk.clear())
}

func failed(err error) error {
	if err == nil || retold.CodeOf(err) != "" {
		return err
	}
	return &retold.Error{Code: retold.CodeBackupFailed, Op: "write backup", Hint: "nothing was left under its name; what was backed up before is as it was", Err: err}
}

// some makes an empty list of none, so that JSON has [] and not null.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// claims are the chunks that are stored or about to be.
type claims struct {
	mu   sync.Mutex
	have map[Sum]bool
}

func (c *claims) fresh(s Sum) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.have[s] {
		return false
	}
	c.have[s] = true
	return true
}
