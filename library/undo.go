package library

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/migrate"
)

// PlanUndo plans to take a change back that Apply of an earlier plan made: every
// row and file to the byte as it was. The change is the one of that id; "" is the
// last one that was no undo itself. An undo can be undone by its id. Of the lists
// that the agent writes anew all the time only what the change did is taken back;
// what else was changed since is named by Apply and refused. Close what it returns. The error is
// a *retold.Error with CodeChangeNotFound when there is no such change, with CodeUsage
// when it is undone already or the beginning of an id fits several, with CodeDatabaseCorrupt when its record is damaged, or ErrClosed.
func (l *Library) PlanUndo(ctx context.Context, id string) (c *migrate.Change, err error) {
	defer l.call(&ctx, &err)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c, err = migrate.PlanUndo(l.desk(), id); err != nil {
		return nil, err
	}
	if err := c.Reconcile(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Changes are all changes to agents' files on record, newest first; one whose record
// is damaged is among them, with a Problem. It returns the error of an ended context
// and ErrClosed.
func (l *Library) Changes(ctx context.Context) (list []change.Change, err error) {
	defer l.call(&ctx, &err)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.desk().List()
}

// Interrupted are the changes whose processes ended in between, newest first: until
// one is settled, what was found in agents' files is partly old and partly new. It
// returns the errors of Changes.
func (l *Library) Interrupted(ctx context.Context) (list []change.Change, err error) {
	defer l.call(&ctx, &err)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.desk().Interrupted()
}

// InterruptedError is the error of what makes no sense before a change is settled.
func InterruptedError(c change.Change) error {
	return &retold.Error{
		Code: retold.CodeChanged, Err: fmt.Errorf("a change was interrupted (%s, %s): its files are partly old and partly new", c.ID, c.Title),
		Hint: "`retold undo --finish` ends it, `retold undo --roll-back` takes it back",
	}
}

// Settle finishes a change whose process ended in between, or with back set takes
// back what it wrote, and says how it was found. Every other change does that
// first. It returns the errors of Apply, and ErrClosed.
func (l *Library) Settle(ctx context.Context, back bool) (list []change.Settled, err error) {
	defer l.call(&ctx, &err)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	way := change.Finish
	if back {
		way = change.RollBack
	}
	return l.desk().Settle(ctx, way)
}

// ForgettableChanges finds the records of changes that can be forgotten: those of
// the ids, and those made before a time (none with the zero time). A change, what
// took it back, and what took that back are one. It writes nothing. It returns the
// errors of Changes, and a *retold.Error with CodeChangeNotFound for an id that there is
// no record of and with CodeUsage for a change that was interrupted.
func (l *Library) ForgettableChanges(ctx context.Context, ids []string, before time.Time) (sets []change.Forgettable, err error) {
	defer l.call(&ctx, &err)()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.desk().Forgettable(ids, before)
}

// ForgetChanges removes records of changes that ForgettableChanges found. What they
// did stays, and can no longer be undone. Nothing else ever removes one. It returns
// retold.ErrLibraryBusy while another program changes files, the error of an ended
// context, and ErrClosed.
func (l *Library) ForgetChanges(ctx context.Context, sets []change.Forgettable) (err error) {
	defer l.call(&ctx, &err)()
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.desk().Forget(sets)
}
