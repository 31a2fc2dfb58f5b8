package backup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
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
	checked := map[Sum]bool{}
	if a.zip == nil {
		v.Faults = append(v.Faults, a.checkLayout()...)
	}
	whole := map[string]bool{}
	pinned := int64(maxPinned)
	a.cache.limit = cacheSize / 2 // what is pinned takes the rest
	a.pins = map[string]*pins{}
	defer func() { a.pins = nil }()
	for i := range a.Manifest.Files {
		f := &a.Manifest.Files[i]
		if isDatabase(f) && !o.Quick {
			a.pins[f.Path] = &pins{left: &pinned}
		}
		fault, err := a.checkFile(ctx, f, checked, o.Progress)
		if err != nil {
			return nil, err
		}
		v.Files++
		v.Bytes += f.Size
		if fault != nil {
			v.Faults = append(v.Faults, *fault)
		}
		whole[f.Path] = fault == nil
	}
	if err := a.checkRest(ctx, checked, v); err != nil {
		return nil, err
	}
	v.Chunks = len(checked)
	a.checked = checked // from here on nobody writes to it
	return v, a.checkDatabases(ctx, v, whole, o.Quick)
}

// checkDatabases checks those that are whole, as many at once as there are
// processors, the largest first.
func (a *Archive) checkDatabases(ctx context.Context, v *Verdict, whole map[string]bool, quick bool) error {
	var list []*File
	for i := range a.Manifest.Files {
		if f := &a.Manifest.Files[i]; isDatabase(f) && whole[f.Path] {
			list = append(list, f)
		}
	}
	v.Databases = len(list)
	if quick {
		return nil
	}
	slices.SortStableFunc(list, func(x, y *File) int { return cmp.Compare(y.Size, x.Size) })
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	for _, f := range list {
		group.Go(func() error {
			faults, err := a.checkDatabase(ctx, f)
			mu.Lock()
			defer mu.Unlock()
			v.Faults = append(v.Faults, faults...)
			return err
		})
	}
	err := group.Wait()
	slices.SortStableFunc(v.Faults, func(x, y Fault) int { return cmp.Compare(x.Path, y.Path) })
	return err
}

func isDatabase(f *File) bool { return f.Kind == retold.PieceDatabase }

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

// A reading is one chunk on its way through verify.
type reading struct {
	scratch
	sum  Sum
	raw  []byte
	err  error
	done chan struct{}
}

// checkFile reads a file's chunks on all processors and hashes them in order.
func (a *Archive) checkFile(ctx context.Context, f *File, checked map[Sum]bool, progress func(int64)) (*Fault, error) {
	if a.zip != nil {
		return a.checkStored(ctx, f, progress)
	}
	n := 2 * runtime.GOMAXPROCS(0)
	jobs, order, free := make(chan *reading, n), make(chan *reading, n), make(chan *reading, n)
	for range n {
		free <- &reading{done: make(chan struct{}, 1)}
	}
	var group sync.WaitGroup
	for range min(n/2, len(f.Chunks)) {
		group.Go(func() {
			for r := range jobs {
				r.raw, r.err = a.readChunk(r.sum, &r.scratch)
				r.done <- struct{}{}
			}
		})
	}
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	group.Go(func() {
		defer close(order)
		defer close(jobs)
		for _, s := range f.Chunks {
			select {
			case r := <-free:
				r.sum = s
				jobs <- r
				order <- r
			case <-stop.Done():
				return
			}
		}
	})
	whole := sha256.New()
	var size int64
	var fault *Fault
	for r := range order {
		<-r.done
		if r.err != nil && fault == nil {
			fault = &Fault{f.Path, r.err.Error()}
			cancel()
		}
		if fault == nil {
			checked[r.sum] = true
			if p := a.pins[f.Path]; p != nil {
				p.note(r.raw, size)
			}
			size += int64(len(r.raw))
			_, _ = whole.Write(r.raw) // a hash takes anything
			if progress != nil {
				progress(int64(len(r.raw)))
			}
		}
		free <- r
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if fault == nil && (size != f.Size || Sum(whole.Sum(nil)) != f.SHA256) {
		fault = &Fault{f.Path, "its chunks are whole and do not make up the file (size or sha256)"}
	}
	return fault, nil
}

// checkRest reads the chunks of this file that no file of the manifest uses.
func (a *Archive) checkRest(ctx context.Context, checked map[Sum]bool, v *Verdict) error {
	if a.zip != nil {
		return nil
	}
	own := slices.Clone(a.volumes[0].index)
	for _, e := range own {
		if checked[e.sum] {
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
		checked[e.sum] = true
	}
	return nil
}
