package backup

import (
	"context"
	"crypto/sha256"
	"runtime"
	"sync"
)

// A reading is one chunk on its way to the sum of its file.
type reading struct {
	scratch
	i    int
	raw  []byte
	err  error
	done chan struct{}
}

// A pass reads a file from beginning to end for its sums.
type pass struct {
	a     *Archive
	f     *File
	check *check // of SQLite beside; nil when it does not look at the file
	from  *content
	order chan *reading
	free  chan *reading
	group sync.WaitGroup
}

// checkFile reads a file's chunks on all processors and hashes them in order.
func (a *Archive) checkFile(ctx context.Context, f *File, c *check, tell func(int64)) (*Fault, error) {
	if a.zip != nil {
		return a.checkStored(ctx, f, tell)
	}
	p := &pass{a: a, f: f, check: c, from: &content{archive: a, file: f, check: c}}
	if c != nil {
		c.follow.begin()
	}
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	p.start(stop)
	whole := sha256.New()
	var size int64
	var fault *Fault
	for r := range p.order {
		<-r.done
		if r.err != nil && fault == nil {
			fault = &Fault{f.Path, r.err.Error()}
			cancel()
		}
		if fault == nil {
			size += int64(len(r.raw))
			_, _ = whole.Write(r.raw) // a hash takes anything
			p.passed(r, tell)
		}
		p.free <- r
	}
	p.group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if fault == nil && (size != f.Size || Sum(whole.Sum(nil)) != f.SHA256) {
		fault = &Fault{f.Path, "its chunks are whole and do not make up the file (size or sha256)"}
	}
	return fault, nil
}

// start lets chunks be read until stop is done, which come out in order.
func (p *pass) start(stop context.Context) {
	n := 2 * runtime.GOMAXPROCS(0)
	jobs := make(chan *reading, n)
	p.order, p.free = make(chan *reading, n), make(chan *reading, n)
	for range n {
		p.free <- &reading{done: make(chan struct{}, 1)}
	}
	for range min(n/2, len(p.f.Chunks)) {
		p.group.Go(func() {
			for r := range jobs {
				p.read(r)
				r.done <- struct{}{}
			}
		})
	}
	p.group.Go(func() {
		defer close(p.order)
		defer close(jobs)
		for i := range p.f.Chunks {
			select {
			case r := <-p.free:
				r.i = i
				jobs <- r
				p.order <- r
			case <-stop.Done():
				return
			}
		}
	})
}

// read unpacks a chunk, or takes it from the cache where SQLite reads the file too.
func (p *pass) read(r *reading) {
	s := p.f.Chunks[r.i]
	if p.check == nil {
		r.known = p.a.checked.has(s)
		if r.raw, r.err = p.a.readChunk(s, &r.scratch); r.err == nil {
			p.a.checked.add(s)
		}
		return
	}
	r.scratch.raw = grown(r.scratch.raw, p.f.ChunkSize)
	p.from.readAhead(int64(r.i))
	n, size, err := p.from.readIn(int64(r.i), r.scratch.raw, 0)
	if r.raw, r.err = r.scratch.raw[:n], err; err == nil && n < size {
		r.err = invalid("chunk %d has %d bytes instead of %d", r.i, size, n)
	}
}

// passed notes that a chunk is in the sum.
func (p *pass) passed(r *reading, tell func(int64)) {
	n := int64(len(r.raw))
	if p.check == nil {
		tell(n)
		return
	}
	tell(n - n/2) // the rest was told when it was unpacked first
	p.check.follow.passed(r.i)
}
