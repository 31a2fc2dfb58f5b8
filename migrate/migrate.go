// Package migrate moves and copies conversations between folders, and carries
// out, lists and undoes such changes. It knows no agent: it asks every source
// that can write (retold.Writer) what would have to be done, makes one plan of
// the answers, and has internal/change do it.
package migrate

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/internal/paths"
)

// A Place is where a source that can write keeps sessions.
type Place struct {
	Path   string
	Writer retold.Writer
}

// A Request says what shall move where.
type Request struct {
	Sessions []string // ids
	From     string   // folder whose paths are rewritten; "" for each session's own
	To       string   // folder, absolute, or URI
	Copy     bool
	Empty    int // how many of the sessions hold no message, and are in no listing

	// Taken reports whether a session has that id; copies get ids that nobody has.
	Taken func(id string) (bool, error)
}

// A Result is what became of a change, in the public JSON.
type Result struct {
	SuccessCount int       `json:"successCount"`
	FailedCount  int       `json:"failedCount"`
	Errors       []Failure `json:"errors"`
	UndoID       *string   `json:"undoId"` // nil when nothing was written
	Rows         int       `json:"rows"`
	Files        int       `json:"files"`
	Left         []string  `json:"left,omitempty"` // what an undo left in place, and why

	Settled []change.Settled `json:"settled,omitempty"` // changes that an earlier run had left unfinished
}

// A Failure is a session that was not moved, and why.
type Failure struct {
	Session string `json:"session"`
	Reason  string `json:"reason"`
}

// A Change is a plan that can be looked at and carried out. Close it.
type Change struct {
	desk    *change.Desk
	plan    *change.Plan
	subject []string // sessions it is about
	failed  []Failure
}

// Plan asks the places what a request takes. It reads and writes nothing of
// theirs. A session that no place can move is no error; Failures names it.
func Plan(ctx context.Context, desk *change.Desk, places []Place, r Request) (*Change, error) {
	if err := checkTarget(r.To); err != nil {
		return nil, err
	}
	m := retold.Move{Sessions: r.Sessions, From: r.From, To: r.To}
	if r.Copy {
		var err error
		if m.Copies, err = copies(r); err != nil {
			return nil, err
		}
	}
	left := map[string]string{}
	c, err := draft(ctx, desk, title(r), steps(ctx, places, m, left))
	if err != nil {
		return nil, err
	}
	c.sort(r.Sessions, left)
	var made []string
	for _, id := range c.subject {
		if m.Copies != nil {
			made = append(made, m.Copies[id])
		}
	}
	c.plan.Makes(made)
	return c, nil
}

// draft gathers the steps of a change.
func draft(ctx context.Context, desk *change.Desk, title string, steps iter.Seq2[retold.Step, error]) (*Change, error) {
	dir, err := desk.DraftDir()
	if err != nil {
		return nil, err
	}
	plan, err := change.Draft(ctx, dir, title, steps)
	if err != nil {
		return nil, err
	}
	return &Change{desk: desk, plan: plan}, nil
}

// sort tells the sessions that the plan is about from those that no place holds, and
// those that one leaves where they are, for the reasons given.
func (c *Change) sort(ids []string, left map[string]string) {
	for _, id := range ids {
		if why := left[id]; why != "" {
			c.failed = append(c.failed, Failure{Session: id, Reason: why})
		} else if slices.Contains(c.plan.Sessions(), id) {
			c.subject = append(c.subject, id)
		} else {
			c.failed = append(c.failed, Failure{Session: id, Reason: "no store that can be written to holds it"})
		}
	}
}

// checkTarget wants a place whose name means the same everywhere.
func checkTarget(to string) error {
	if strings.Contains(to, "://") || filepath.IsAbs(to) || paths.ParseAddress(to).IsWindows() {
		return nil
	}
	return &retold.Error{Code: retold.CodeUsage, Err: fmt.Errorf("%q is neither an absolute path nor an address", to), Hint: "name the folder from its root on"}
}

func title(r Request) string {
	verb := "move"
	if r.Copy {
		verb = "copy"
	}
	what := sessions(r.Sessions)
	if n := r.Empty; n > 0 && len(r.Sessions) > 1 {
		what = fmt.Sprintf("%d sessions and %d without messages", len(r.Sessions)-n, n)
	}
	if r.From != "" {
		what += " from " + r.From
	}
	return verb + " " + what + " to " + r.To
}

// sessions names the one, or says how many there are.
func sessions(ids []string) string {
	if len(ids) == 1 {
		return "session " + ids[0]
	}
	return fmt.Sprintf("%d sessions", len(ids))
}

// steps are those of all places, without what they leave.
func steps(ctx context.Context, places []Place, m retold.Move, left map[string]string) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		for _, p := range places {
			m.Place = p.Path
			for s, err := range p.Writer.PlanMove(ctx, m) {
				if err == nil && s.Left != "" {
					left[s.Session] = s.Left
					continue
				}
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

// copies gives every session an id for its copy. It follows from the session and
// the folder, so that a plan made twice is the same, until the copy is there.
func copies(r Request) (map[string]string, error) {
	ids := map[string]string{}
	for _, id := range r.Sessions {
		for n := 0; ids[id] == ""; n++ {
			next := copyID(id, r.To, n)
			taken := false
			if r.Taken != nil {
				var err error
				if taken, err = r.Taken(next); err != nil {
					return nil, err
				}
			}
			if !taken {
				ids[id] = next
			}
		}
	}
	return ids, nil
}

// copyID is a uuid of version 4 in form.
func copyID(id, to string, n int) string {
	return uuidOf(sha256.Sum256(fmt.Appendf(nil, "retold copy of %s\nto %s\n%d", id, to, n)))
}

// PlanUndo is the change that takes one back: the one of that id, "" for the last
// that was not an undo itself.
func PlanUndo(desk *change.Desk, id string) (*Change, error) {
	plan, err := desk.PlanUndo(id)
	if err != nil {
		return nil, err
	}
	return &Change{desk: desk, plan: plan}, nil
}

// Reconcile makes a plan that undoes a change fit lists that the agent wrote anew
// since: of them only what the change did is taken back.
func (c *Change) Reconcile(ctx context.Context) error { return c.desk.Reconcile(ctx, c.plan) }

// Ready returns the error with which Apply of an undo refuses because restored files
// were changed since: a *retold.Error with CodeChanged that names them.
func (c *Change) Ready() error { return c.desk.Ready(c.plan) }

// Unchanged returns the error with which Apply of an undo refuses because rows or
// files were changed since: a *retold.Error with CodeChanged that names them.
func (c *Change) Unchanged(ctx context.Context) error {
	list, err := c.desk.Strayed(ctx, c.plan)
	if err != nil {
		return err
	}
	return change.Unchanged(list)
}

// SkipChanged makes an undo leave conversations as they are of which something was
// changed since, and says what that is. It returns the error of Unchanged when
// nothing is left to take back.
func (c *Change) SkipChanged(ctx context.Context) ([]change.Strayed, error) {
	list, err := c.desk.Strayed(ctx, c.plan)
	if err != nil {
		return nil, err
	}
	return list, c.desk.Skip(ctx, c.plan, list)
}

// Overwrite makes Apply of an undo take restored files back whatever happened to
// them since; what they are now is kept beside. It is an error when a file cannot be
// looked at.
func (c *Change) Overwrite() error { return c.plan.Overwrite() }

// Close lets go of what the plan keeps on disk.
func (c *Change) Close() error { return c.plan.Close() }

// Describe says what the plan does, step by step.
func (c *Change) Describe() (*change.Description, error) { return c.plan.Describe() }

// Sessions are the ids of the sessions it is about.
func (c *Change) Sessions() []string { return c.subject }

// Failures are the sessions that cannot be moved.
func (c *Change) Failures() []Failure { return c.failed }

// Apply carries the plan out. Unless fingerprint is "", it has to be the plan's.
// The errors are those of change.Desk.Apply; nothing is left written then.
func (c *Change) Apply(ctx context.Context, fingerprint string) (*Result, error) {
	out, err := c.desk.Apply(ctx, c.plan, fingerprint)
	if err != nil {
		return nil, err
	}
	r := &Result{SuccessCount: len(c.subject), FailedCount: len(c.failed), Errors: c.failed, Rows: out.Rows, Files: out.Files, Left: out.Left, Settled: out.Settled}
	if r.Errors == nil {
		r.Errors = []Failure{}
	}
	if c.plan.Undoes() != "" {
		r.SuccessCount = len(c.plan.Touched())
	}
	if out.ID != "" {
		r.UndoID = &out.ID
	}
	return r, nil
}
