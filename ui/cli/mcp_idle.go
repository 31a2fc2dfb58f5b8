package cli

import (
	"runtime/debug"
	"sync"
	"time"
)

// idleAfter is how long a server that has answered waits for the next question
// before it gives back the memory that the last ones took, and restAfter until
// that which would make the next answer come sooner.
const (
	idleAfter = 2 * time.Second
	restAfter = 30 * time.Second
)

// A lull is the time after an answer in which nobody asks.
type lull struct {
	mu         sync.Mutex
	idle, rest *time.Timer
}

// begin makes the lull do its work from now on; rest gives back what was kept for
// the next answer.
func (l *lull) begin(rest func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.idle = time.AfterFunc(idleAfter, debug.FreeOSMemory)
	l.rest = time.AfterFunc(restAfter, func() {
		rest()
		debug.FreeOSMemory()
	})
}

// broken says that something was answered just now.
func (l *lull) broken() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.idle != nil {
		l.idle.Reset(idleAfter)
		l.rest.Reset(restAfter)
	}
}

func (l *lull) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.idle != nil {
		l.idle.Stop()
		l.rest.Stop()
		l.idle = nil
	}
}
