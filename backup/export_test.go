package backup

import (
	"io"
	"sync/atomic"
)

// Blank is blankAny.
func Blank(value []byte, suffix string) []string { return blankAny(value, suffix) }

// WithPageMemory bounds the pages that verifying keeps in memory.
func WithPageMemory(o VerifyOptions, n int64) VerifyOptions {
	o.pageMemory = n
	return o
}

// CountUnpacked counts the chunks that are read from the file of a.
func CountUnpacked(a *Archive) *atomic.Int64 {
	c := &counting{ReaderAt: a.volumes[0].r}
	a.volumes[0].r = c
	return &c.heads
}

type counting struct {
	io.ReaderAt
	heads atomic.Int64
}

func (c *counting) ReadAt(b []byte, off int64) (int, error) {
	if len(b) == frameSize {
		c.heads.Add(1)
	}
	return c.ReaderAt.ReadAt(b, off)
}
