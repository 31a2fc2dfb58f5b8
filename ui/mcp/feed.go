package mcp

import (
	"sync"

	"github.com/retold-history/retold/library"
)

// A Feed passes what a library tells of a long reading on to whoever waits for
// an answer. Its method Tell is made for library.Options.Progress, which has to
// be given before there is a server. The zero value is ready.
type Feed struct {
	mu      sync.Mutex
	waiting map[chan library.Progress]struct{}
}

// Tell passes one report on. It never waits: who is still busy with an earlier
// report gets the next.
func (f *Feed) Tell(p library.Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ch := range f.waiting {
		select {
		case ch <- p:
		default:
		}
	}
}

// listen returns what is told from now on, and a function that ends it.
func (f *Feed) listen() (<-chan library.Progress, func()) {
	ch := make(chan library.Progress, 1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting == nil {
		f.waiting = map[chan library.Progress]struct{}{}
	}
	f.waiting[ch] = struct{}{}
	return ch, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.waiting, ch)
	}
}
