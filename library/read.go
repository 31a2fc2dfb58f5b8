package library

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/retold-history/retold"
)

type readCount struct {
	sessions, messages int
	bytes              int64
}

// readAll reads the messages of sessions into the store, on all processors, and
// commits whenever enough has gathered. The end of ctx ends it; what was
// finished by then is kept.
func (l *Library) readAll(ctx context.Context, store retold.Store, w retold.StoreWriter, order []retold.Key, progress func(Progress)) (readCount, error) {
	r := &reading{store: store, w: w, sources: l.sources, total: len(order), start: l.now(), now: l.now, progress: progress}
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, key := range order {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error { return r.one(inner, key) })
	}
	err := group.Wait()
	if err != nil && ctx.Err() == nil {
		return r.count, err
	}
	// What is finished is kept even when somebody interrupts.
	if commitErr := w.Commit(context.WithoutCancel(ctx)); commitErr != nil {
		return r.count, errors.Join(err, commitErr)
	}
	return r.count, cmp.Or(err, ctx.Err())
}

// A reading is one run of readAll.
type reading struct {
	store    retold.Store
	w        retold.StoreWriter
	sources  []retold.Source
	total    int
	start    time.Time
	now      func() time.Time
	progress func(Progress)

	mu    sync.Mutex // one Put or Commit at a time
	count readCount
	told  time.Time
}

// one reads one session. That it cannot be read becomes its problem.
func (r *reading) one(ctx context.Context, key retold.Key) error {
	kept, err := r.store.Get(ctx, key)
	if errors.Is(err, retold.ErrSessionNotFound) { // forgotten since
		return nil
	}
	if err != nil {
		return err
	}
	s := sessionReader{store: r.store, w: r.w, sources: r.sources, kept: kept, counted: r.counted}
	sheet, err := s.read(ctx)
	if ctx.Err() != nil {
		if sheet != nil {
			sheet.Drop()
		}
		return ctx.Err()
	}
	if err != nil {
		if sheet != nil {
			sheet.Drop()
			sheet = nil
		}
		if errors.Is(err, errStore) {
			return err
		}
		kept.ProblemList = []retold.Problem{problemOf(fmt.Errorf("read session %s: %w", kept.ID, err), "")}
		kept.Problems = 1
		kept.Pending = retold.CodeOf(err) == retold.CodeDatabaseLocked // readable in a moment
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.w.Put(ctx, kept, sheet); err != nil {
		return err
	}
	r.count.sessions++
	r.tell(false)
	if !r.w.CommitDue() {
		return nil
	}
	return r.w.Commit(ctx)
}

// counted adds a message to what progress tells.
func (r *reading) counted(m *retold.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count.messages++
	r.count.bytes += int64(len(m.Content))
	if m.Tool != nil {
		r.count.bytes += int64(len(m.Tool.Params) + len(m.Tool.Result) + len(m.Tool.Diff))
	}
	if r.count.messages%256 == 0 {
		r.tell(false)
	}
}

// tellEvery is how often progress is told.
const tellEvery = 100 * time.Millisecond

// tell reports progress; r.mu is held.
func (r *reading) tell(last bool) {
	if r.progress == nil {
		return
	}
	now := r.now()
	if !last && now.Sub(r.told) < tellEvery {
		return
	}
	r.told = now
	p := Progress{Stage: "reading", Sessions: r.count.sessions, SessionsTotal: r.total, Messages: r.count.messages, Bytes: r.count.bytes, Elapsed: now.Sub(r.start)}
	if p.Sessions > 0 && p.Elapsed > time.Second {
		p.Left = time.Duration(float64(p.Elapsed) / float64(p.Sessions) * float64(r.total-p.Sessions))
	}
	r.progress(p)
}

// errStore marks an error of the store among those of a source.
var errStore = errors.New("the library failed")
