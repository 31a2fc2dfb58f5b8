package library

import (
	"cmp"
	"errors"

	"github.com/retold-history/retold"
)

// problemOf turns an error of one item into a Problem; place is named when the
// error names no file.
func problemOf(err error, place string) retold.Problem {
	p := retold.Problem{Path: place, Kind: retold.ProblemUnreadable, Reason: err.Error()}
	if e, ok := errors.AsType[*retold.Error](err); ok {
		p.Path = cmp.Or(e.Path, p.Path)
		if e.Path != "" && e.Err != nil {
			p.Reason = e.Err.Error()
		}
	}
	return p
}
