package cost

import (
	"fmt"
	"io"
)

// A Report writes text as it comes and keeps the first error for the end.
type Report struct {
	w   io.Writer
	err error
}

// NewReport makes a report that goes to w.
func NewReport(w io.Writer) *Report { return &Report{w: w} }

// Say writes text like fmt.Printf.
func (r *Report) Say(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.w, format, args...)
	}
}

// Err is the first error of writing, or nil.
func (r *Report) Err() error { return r.err }
