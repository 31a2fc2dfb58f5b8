package migrate

import (
	"context"
	"iter"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// PlanSteps makes a change of steps that somebody else found, under a title. They
// are about sessions; the ones that no step is about are Failures, for that reason.
func PlanSteps(ctx context.Context, desk *change.Desk, title string, sessions []string, reason string, steps iter.Seq2[retold.Step, error]) (*Change, error) {
	c, err := draft(ctx, desk, title, steps)
	if err != nil {
		return nil, err
	}
	for _, id := range sessions {
		if slices.Contains(c.plan.Sessions(), id) {
			c.subject = append(c.subject, id)
		} else {
			c.failed = append(c.failed, Failure{Session: id, Reason: reason})
		}
	}
	return c, nil
}
