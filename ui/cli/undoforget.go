package cli

import (
	"context"
	"errors"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/library"
)

// forgotten is what forgetting records prints as JSON.
type forgotten struct {
	Forgotten []change.Change `json:"forgotten"`
	Bytes     int64           `json:"bytes"`
	DryRun    bool            `json:"dryRun,omitempty"`
}

// forgetChanges removes records of changes, after it has shown and asked.
func (a *app) forgetChanges(ctx context.Context, l *library.Library, o undoOptions) error {
	before := time.Time{}
	if o.older != "" {
		span, err := retold.ParseWhen(o.older, time.Now())
		if err != nil {
			return err
		}
		before = span.From
	}
	sets, err := l.ForgettableChanges(ctx, o.forget, before)
	if err != nil {
		return err
	}
	out := forgotten{Forgotten: []change.Change{}, DryRun: o.dryRun}
	for _, set := range sets {
		for _, c := range set {
			out.Forgotten = append(out.Forgotten, c)
			out.Bytes += c.Bytes
		}
	}
	if len(out.Forgotten) == 0 && !a.json {
		a.note("no record is that old")
		return nil
	}
	if !o.dryRun {
		sure, err := a.mayForget(ctx, o, out)
		if err != nil || !sure {
			return err
		}
		if err := l.ForgetChanges(ctx, sets); err != nil {
			return err
		}
	}
	switch {
	case a.json:
		return a.printJSON(out)
	case o.dryRun:
		a.listForgotten(out)
	default:
		a.line("%s forgotten, %s", counted(len(out.Forgotten), "record"), size(out.Bytes))
	}
	return nil
}

// mayForget shows what is to be forgotten, and asks.
func (a *app) mayForget(ctx context.Context, o undoOptions, out forgotten) (bool, error) {
	if o.yes {
		return true, nil
	}
	if a.json || !a.asks() {
		return false, &retold.Error{
			Code: retold.CodeUsage, Err: errors.New("there is nobody to ask whether records shall be forgotten"),
			Hint: "look at it with --dry-run, and add --yes to do it without being asked",
		}
	}
	a.listForgotten(out)
	a.line("What they did stays, and can no longer be undone.")
	sure, err := a.confirm(ctx, "Forget?")
	if err == nil && !sure {
		a.note("nothing was changed")
	}
	return sure, err
}

func (a *app) listForgotten(out forgotten) {
	a.changeLines(out.Forgotten)
	a.line("%s, %s", counted(len(out.Forgotten), "record"), size(out.Bytes))
}
