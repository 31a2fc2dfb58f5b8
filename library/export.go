package library

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
)

// Export writes the session that selector chooses (see [Library.Find]) to w in
// format f, secrets masked unless o says otherwise. Besides what [Library.Show] returns there are the errors of w, and a
// *retold.Error with CodeUsage for an unknown format. Nothing is written before
// the session is read whole; after an error of w what it holds is cut short.
func (l *Library) Export(ctx context.Context, w io.Writer, selector string, f export.Format, o export.Options) error {
	f, err := export.ParseFormat(string(f))
	if err != nil {
		return err
	}
	d, err := l.Show(ctx, selector)
	if err != nil {
		return err
	}
	if err := export.Session(w, f, d, o); err != nil {
		return fmt.Errorf("export session %s: %w", d.ID, err)
	}
	return nil
}

// An ExportReport says what an export of many sessions came to.
type ExportReport struct {
	Sessions int              `json:"sessions"` // written
	Problems []retold.Problem `json:"problems"` // files and sessions that could not be read, and so are not in it
}

// ExportAll writes every session that filter wants to w as one document (see
// [export.NewWriter]), in listing order, one after the other, so that memory
// follows the longest session. A session that cannot be read is left out and
// becomes a problem. Errors are those that end [Library.Each], those of w, and
// a *retold.Error with CodeUsage for an unknown format; after one what w holds is
// cut short, and the report, which is never nil, says how far it came.
func (l *Library) ExportAll(ctx context.Context, w io.Writer, filter retold.Filter, f export.Format, o export.Options) (*ExportReport, error) {
	r := &ExportReport{Problems: []retold.Problem{}}
	f, err := export.ParseFormat(string(f))
	if err != nil {
		return r, err
	}
	store, list, unlisted, err := l.eachOf(ctx, filter)
	if err != nil {
		return r, err
	}
	r.Problems = append(r.Problems, unlisted...)
	out := export.NewWriter(w, f, o)
	for _, k := range list {
		d, err := l.eachOne(ctx, store, k)
		if ended := ended(ctx, err); ended != nil {
			return r, ended
		}
		if errors.Is(err, retold.ErrSessionNotFound) { // forgotten since it was listed
			continue
		}
		if err != nil {
			r.Problems = append(r.Problems, problemOf(fmt.Errorf("read session %s: %w", k.ID, err), ""))
			continue
		}
		if err := out.Add(d); err != nil {
			return r, fmt.Errorf("export session %s: %w", d.ID, err)
		}
		r.Sessions++
	}
	if err := out.Close(); err != nil {
		return r, fmt.Errorf("export sessions: %w", err)
	}
	return r, nil
}
