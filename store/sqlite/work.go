package sqlite

import "sync/atomic"

// work counts what reading and writing cost, for tests that hold the store to
// it.
type work struct {
	onPage                          func()       // called for each page unpacked, from any goroutine; nil but in tests
	sessions, pages, heads, bundles atomic.Int64 // read: session rows, pages unpacked, heads, rows of segments by the bundle
	packed, indexed, merged         atomic.Int64 // pages written, documents indexed, documents merged
}

func (w *work) page() {
	w.pages.Add(1)
	if w.onPage != nil {
		w.onPage()
	}
}
