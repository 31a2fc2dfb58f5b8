package backup

import (
	"context"
	"sync"

	"github.com/retold-history/retold"
)

// A check is a database that SQLite looks at while its sums are made.
type check struct {
	pins   *pins
	follow *follower
	tell   func(int64)
}

// page copies a page that is kept.
func (c *check) page(b []byte, off int64) bool {
	return c != nil && c.pins.read(b, off)
}

// reach notes that SQLite asks for chunk i.
func (c *check) reach(i int) {
	if c != nil {
		c.follow.reach(i)
	}
}

// first notes that a chunk was found to be whole, and keeps of it what will be
// asked for again.
func (c *check) first(a *Archive, s Sum, chunk []byte, off int64) {
	if c.pins.note(chunk, off); a.checked.add(s) {
		c.tell(int64(len(chunk)) / 2)
	}
}

func (a *Archive) underCheck(f *File) *check {
	a.checks.mu.Lock()
	defer a.checks.mu.Unlock()
	return a.checks.byFile[f]
}

func (a *Archive) setCheck(f *File, c *check) {
	a.checks.mu.Lock()
	defer a.checks.mu.Unlock()
	if a.checks.byFile == nil {
		a.checks.byFile = map[*File]*check{}
	}
	a.checks.byFile[f] = c
}

// checks are those that are under way, by file.
type checks struct {
	mu     sync.Mutex
	byFile map[*File]*check
}

func isDatabase(f *File) bool { return f.Kind == retold.PieceDatabase }

// checkBoth makes a file's sums and lets SQLite look at it if it is a database.
// What SQLite has to say counts only of one that is what was written.
func (run *verification) checkBoth(ctx context.Context, f *File) (faults []Fault, whole bool, err error) {
	a := run.a
	if run.o.Quick || !isDatabase(f) {
		fault, err := a.checkFile(ctx, f, nil, run.tell)
		if fault != nil {
			faults = []Fault{*fault}
		}
		return faults, fault == nil, err
	}
	c := &check{pins: &pins{left: &run.left, spill: &run.spill}, follow: newFollower(), tell: run.tell}
	if a.zip == nil {
		a.setCheck(f, c)
		defer a.setCheck(f, nil)
	}
	looking, cancel := context.WithCancel(ctx)
	defer cancel()
	var looked []Fault
	var lookErr error
	var group sync.WaitGroup
	group.Go(func() {
		defer c.follow.leave()
		looked, lookErr = a.checkDatabase(looking, f)
	})
	fault, err := a.checkFile(ctx, f, c, run.tell)
	c.follow.end()
	if fault != nil || err != nil {
		cancel()
	}
	group.Wait()
	switch {
	case err != nil:
		return nil, false, err
	case fault != nil:
		return []Fault{*fault}, false, nil
	}
	return looked, true, lookErr
}

// sums is a set of them.
type sums struct {
	mu  sync.RWMutex
	set map[Sum]struct{}
}

func (s *sums) has(sum Sum) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.set[sum]
	return ok
}

// add reports whether it was not there before.
func (s *sums) add(sum Sum) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.set == nil {
		s.set = map[Sum]struct{}{}
	}
	n := len(s.set)
	s.set[sum] = struct{}{}
	return len(s.set) > n
}

func (s *sums) len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.set)
}
