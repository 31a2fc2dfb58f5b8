package backup

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// chunkSize is the size of chunks: a multiple of every page size of SQLite, so
// that a page that did not move leaves the other chunks as they were. Smaller
// ones pack worse (a quarter of the size costs a tenth more), larger ones make a
// small change dear.
const chunkSize = 256 << 10

// A job is one chunk on its way.
type job struct {
	file    *File
	raw     []byte
	payload []byte
	frame   frame
	fresh   bool // nobody has stored it yet
	done    chan struct{}
}

// A pipeline cuts files into chunks, hashes and packs them on all processors and
// hands them on in order.
type pipeline struct {
	z     *zstd.Encoder
	fresh func(Sum) bool            // whether a chunk is to be stored; called by several goroutines
	store func(frame, []byte) error // called by one
	tell  func(raw int64)           // of each chunk handed on
	jobs  chan *job
	order chan *job
	free  chan *job
	ended chan struct{}

	workers sync.WaitGroup
	mu      sync.Mutex
	err     error // the first
}

func newPipeline(z *zstd.Encoder, fresh func(Sum) bool, store func(frame, []byte) error, tell func(int64)) *pipeline {
	n := runtime.GOMAXPROCS(0)
	depth := 4 * n
	p := &pipeline{
		z: z, fresh: fresh, store: store, tell: tell,
		jobs: make(chan *job, depth), order: make(chan *job, depth), free: make(chan *job, depth), ended: make(chan struct{}),
	}
	for range depth {
		p.free <- &job{raw: make([]byte, chunkSize), done: make(chan struct{}, 1)}
	}
	for range n {
		p.workers.Go(p.work)
	}
	go p.emit()
	return p
}

func (p *pipeline) work() {
	for j := range p.jobs {
		j.frame = frame{kind: kindChunk, raw: int64(len(j.raw)), sum: sha256.Sum256(j.raw)}
		if j.fresh = p.fresh(j.frame.sum); j.fresh {
			var payload []byte
			j.frame, payload = press(p.z, j.frame, j.raw, j.payload)
			if j.frame.codec == codecZstd {
				j.payload = payload
			}
		}
		j.done <- struct{}{}
	}
}

func (p *pipeline) emit() {
	defer close(p.ended)
	for j := range p.order {
		<-j.done
		if j.fresh && p.failed() == nil {
			payload := j.payload
			if j.frame.codec == codecPlain {
				payload = j.raw
			}
			if err := p.store(j.frame, payload); err != nil {
				p.fail(err)
			}
		}
		j.file.Chunks = append(j.file.Chunks, j.frame.sum)
		p.tell(j.frame.raw)
		p.free <- j
	}
}

func (p *pipeline) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
}

func (p *pipeline) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// add sends what r yields through the pipeline and sets f's Size and SHA256 at
// once, its Chunks by the time that close returns.
func (p *pipeline) add(ctx context.Context, f *File, r io.Reader) error {
	f.ChunkSize = chunkSize
	whole := sha256.New()
	for {
		if err := errors.Join(ctx.Err(), p.failed()); err != nil {
			return err
		}
		j := <-p.free
		n, err := io.ReadFull(r, j.raw[:chunkSize])
		if n == 0 || err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			p.free <- j
		} else {
			j.raw, j.file = j.raw[:n], f
			f.Size += int64(n)
			_, _ = whole.Write(j.raw) // a hash takes anything
			p.jobs <- j
			p.order <- j
			if err == nil {
				continue
			}
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		whole.Sum(f.SHA256[:0])
		return nil
	}
}

// close waits for what is under way and returns the first error.
func (p *pipeline) close() error {
	close(p.jobs)
	close(p.order)
	p.workers.Wait()
	<-p.ended
	return p.failed()
}
