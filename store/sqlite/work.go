package sqlite

import "sync/atomic"

// work counts what reading and writing cost, for tests that hold the store to
// it.
type work struct {
	sessions, pages, heads, bundles atomic.Int64 // read: session rows, pages unpacked, heads, rows of segments by the bundle
	packed, indexed, merged         atomic.Int64 // pages written, documents indexed, documents merged
}
