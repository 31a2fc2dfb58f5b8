package sqlite

// limits are the sizes by which writing is cut into pieces.
type limits struct {
	// page is how many bytes of messages make a page. One message alone may be
	// more. Larger pages pack better (119 MB of 64 KB pages are 114 MB as 128 KB
	// pages, 112 as 160 KB pages), smaller ones cost a search less for each message it looks at.
	page int

	// A builder becomes a segment after segment bytes of messages; memory is a
	// second bound, on what the builder holds, for texts that are nothing but
	// different words. It counts from a sixteenth of segment on.
	segment, memory int

	// commit is how many bytes written make a commit due. The log, and what a
	// killed process loses, grow with it.
	commit int

	// merge bounds what a commit merges, in words, so that following a session
	// stays quick; bulk is the bound after a commit of much, as in a first sync.
	merge, bulk int64
}

func usualLimits() limits {
	return limits{page: 160 << 10, segment: 48 << 20, memory: 64 << 20, commit: 64 << 20, merge: 1 << 18, bulk: 1 << 28}
}
