package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// A Fault is something in a backup that is not as it was written.
type Fault struct {
	Path string `json:"path"` // the file in the backup, or the part of the container
	What string `json:"what"`
}

// A Verdict is what verifying a backup found.
type Verdict struct {
	Files     int     `json:"files"`
	Databases int     `json:"databases"`
	Chunks    int     `json:"chunks"`
	Bytes     int64   `json:"bytes"` // unpacked, of all files
	Sessions  int     `json:"sessions"`
	Faults    []Fault `json:"faults"`
}

// VerifyOptions say how far to look.
type VerifyOptions struct {
	Quick    bool        // leave out what SQLite has to say about databases
	Progress func(int64) // told of bytes checked, from one goroutine at a time
	Done     func(*File) // told of files with which it is done, whole or not, from any goroutine

	pageMemory int64 // bytes of pages to keep in memory; 0: maxPinned
}

// Verify reads everything: every frame against its hash, every file of the
// manifest against its chunks, size and hash, every database with SQLite's
// integrity_check. What is wrong is in Faults; an error means that the verifying
// itself could not go on.
func (a *Archive) Verify(ctx context.Context, o VerifyOptions) (*Verdict, error) {
	v := &Verdict{Faults: []Fault{}}
	for _, m := range a.missing {
		v.Faults = append(v.Faults, Fault{a.Path, m})
	}
	if a.zip == nil {
		v.Faults = append(v.Faults, a.checkLayout()...)
	}
	a.cache.resize(verifyCache)
	defer a.cache.resize(cacheSize)
	run := &verification{a: a, o: o, verdict: v}
	run.left.Store(cmp.Or(o.pageMemory, maxPinned))
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range a.Manifest.Files {
		group.Go(func() error { return run.file(gctx, &a.Manifest.Files[i]) })
	}
	if err := errors.Join(group.Wait(), run.spill.close()); err != nil {
		return nil, err
	}
	if err := a.checkRest(ctx, v); err != nil {
		return nil, err
	}
	v.Chunks = a.checked.len()
	slices.SortStableFunc(v.Faults, func(x, y Fault) int { return cmp.Compare(x.Path, y.Path) })
	return v, nil
}

// A verification is one run of Verify.
type verification struct {
	a     *Archive
	o     VerifyOptions
	left  atomic.Int64 // bytes of pages that may still be kept in memory
	spill spill        // those for which there is no room

	mu      sync.Mutex
	verdict *Verdict
}

// file checks one file and writes down what is to be said of it.
func (run *verification) file(ctx context.Context, f *File) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	faults, whole, err := run.checkBoth(ctx, f)
	if err != nil {
		return err
	}
	run.mu.Lock()
	v := run.verdict
	v.Files++
	v.Bytes += f.Size
	v.Faults = append(v.Faults, faults...)
	if whole && isDatabase(f) {
		v.Databases++
	}
	run.mu.Unlock()
	if run.o.Done != nil {
		run.o.Done(f)
	}
	return nil
}

func (run *verification) tell(n int64) {
	if run.o.Progress != nil {
		run.mu.Lock()
		defer run.mu.Unlock()
		run.o.Progress(n)
	}
}

// checkLayout makes sure that the frames of the file itself lie one behind the
// other, and that the sums of the manifest are those of its lists.
func (a *Archive) checkLayout() (faults []Fault) {
	for _, v := range a.volumes {
		next := int64(headSize)
		for _, e := range v.index {
			if e.offset != next {
				break
			}
			next += frameSize + e.stored
		}
		end := v.tail.index
		if v.tail.manifest > 0 {
			end = v.tail.manifest
		}
		if v.tail.size > 0 && next != end {
			faults = append(faults, Fault{v.path, fmt.Sprintf("bytes from %d to %d that no index names", next, end)})
		}
	}
	m := a.Manifest
	var size int64
	for i := range m.Files {
		size += m.Files[i].Size
	}
	messages := 0
	for _, s := range m.Sessions {
		messages += s.Messages
	}
	if size != m.Stats.FileSize || len(m.Sessions) != m.Stats.SessionCount || messages != m.Stats.MessageCount {
		faults = append(faults, Fault{a.Path, "the sums in its manifest are not those of its lists"})
	}
	return faults
}

// checkRest reads the chunks of this file that no file of the manifest uses.
func (a *Archive) checkRest(ctx context.Context, v *Verdict) error {
	if a.zip != nil {
		return nil
	}
	for _, e := range a.volumes[0].index {
		if a.checked.has(e.sum) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := a.readChunk(e.sum, &scratch{}); err != nil {
			if !errors.Is(err, errInvalid) {
				return err
			}
			v.Faults = append(v.Faults, Fault{a.Path, err.Error()})
		}
		a.checked.add(e.sum)
	}
	return nil
}
