package backup

import "sync"

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

// readAhead unpacks a chunk into the cache beside the caller. Whoever asks for it
// meets its error again.
func (a *Archive) readAhead(s Sum) {
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
		it.known = a.checked[s]
		if raw, err := a.readChunk(s, &it.scratch); err == nil {
			it.bytes = raw
			a.cache.put(s, it)
		}
		r.mu.Lock()
		delete(r.under, s)
		r.mu.Unlock()
		close(done)
	})
}
