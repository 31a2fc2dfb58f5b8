package backup

import "sync"

// aheadChunks is how many are unpacked before anybody asks for them.
const aheadChunks = 2

// ahead are chunks that are being unpacked before anybody asked, because a file
// is read from its beginning to its end.
type ahead struct {
	mu    sync.Mutex
	under map[Sum]chan struct{}
	group sync.WaitGroup
}

// wait waits for a chunk that is being unpacked; false when it is not.
func (r *ahead) wait(s Sum) bool {
	r.mu.Lock()
	done := r.under[s]
	r.mu.Unlock()
	if done == nil {
		return false
	}
	<-done
	return true
}

// aheadOf unpacks the chunks behind i beside the caller when it came there from the
// one before, and those before it when it came from the one behind.
func (c *content) aheadOf(i int64) {
	step := i - c.last.Swap(i)
	if step != 1 && step != -1 {
		return
	}
	for range aheadChunks {
		if i += step; i < 0 || i >= int64(len(c.file.Chunks)) {
			return
		}
		c.readAhead(i)
	}
}

// readAhead unpacks chunk i into the cache beside the caller. Whoever asks for it
// meets its error again.
func (c *content) readAhead(i int64) {
	a, s := c.archive, c.file.Chunks[i]
	r := &a.ahead
	if _, _, cached := a.cache.read(s, nil, 0); cached {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.under[s] != nil {
		return
	}
	if r.under == nil {
		r.under = map[Sum]chan struct{}{}
	}
	done := make(chan struct{})
	r.under[s] = done
	r.group.Go(func() {
		it := a.cache.room()
		if err := c.fetch(i, it); err == nil {
			a.cache.put(s, it)
		}
		r.mu.Lock()
		delete(r.under, s)
		r.mu.Unlock()
		close(done)
	})
}
