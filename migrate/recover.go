package migrate

import (
	"context"
	"iter"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// A RecoverPlace is where a source that finds lost sessions keeps them.
type RecoverPlace struct {
	Path      string
	Recoverer retold.Recoverer
}

// PlanRecover asks the places what it takes to show sessions again. One that no
// place holds is no error; Failures names it.
func PlanRecover(ctx context.Context, desk *change.Desk, places []RecoverPlace, m retold.Recovery) (*Change, error) {
	if err := checkTarget(m.Folder); err != nil {
		return nil, err
	}
	c, err := draft(ctx, desk, "recover "+sessions(m.Sessions)+" in "+m.Folder, recoveries(ctx, places, m))
	if err != nil {
		return nil, err
	}
	c.sort(m.Sessions, nil)
	return c, nil
}

func recoveries(ctx context.Context, places []RecoverPlace, m retold.Recovery) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		for _, p := range places {
			m.Place = p.Path
			for s, err := range p.Recoverer.PlanRecover(ctx, m) {
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}
