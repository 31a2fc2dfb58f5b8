package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/migrate"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// agreed reports whether the call confirms the plan with that fingerprint. The
// error says why what it confirms is not this plan.
func (c *call) agreed(plan string) (bool, error) {
	switch {
	case !c.confirm:
		return false, nil
	case c.fingerprint == "":
		return false, usage("call without confirm first: the dry run gives the fingerprint", "confirm needs the fingerprint of a dry run")
	case c.fingerprint != plan:
		return false, &retold.Error{
			Code: retold.CodeChanged, Err: errors.New("the fingerprint is not that of this plan: something changed since, or other parameters were given"),
			Hint: "look at the plan again", // in the words of tools: see commands
		}
	}
	return true, nil
}

// fingerprintOf is a hash over what a plan is about.
func fingerprintOf(parts ...any) (string, error) {
	text, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("write the plan: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// A changed is the answer of a tool that changes what agents keep.
type changed struct {
	Written     bool    `json:"written"`
	Fingerprint string  `json:"fingerprint"`
	Plan        plan    `json:"plan"`
	Result      *result `json:"result"`
}

// A plan says what a change does, without the values: these hold what was said.
type plan struct {
	Title     string            `json:"title"`
	Sessions  []string          `json:"sessions"`
	Rows      int               `json:"rows"`
	Files     int               `json:"files"`
	Bytes     int64             `json:"bytes"`
	Databases []change.Counted  `json:"databases"`
	Steps     []step            `json:"steps"`
	Errors    []migrate.Failure `json:"errors"`
}

type step struct {
	Session string `json:"session,omitempty"`
	Do      string `json:"do"`
	Path    string `json:"path"`
	Table   string `json:"table,omitempty"`
	Key     string `json:"key,omitempty"`
	From    string `json:"from,omitempty"`
}

// A result is what became of a change, and of those that were found interrupted.
type result struct {
	migrate.Result
	Settled []settled `json:"settled,omitempty"`
}

type settled struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	State string `json:"state"`
}

// settleFirst deals with a change whose process was ended in between before a
// confirmed one is planned: the plan has to start from whole files.
func (c *call) settleFirst(ctx context.Context) ([]change.Settled, error) {
	if !c.confirm {
		return nil, nil
	}
	list, err := c.lib.Changes(ctx)
	if err != nil || !slices.ContainsFunc(list, func(x change.Change) bool { return x.State == change.Interrupted }) {
		return nil, err
	}
	return c.lib.Settle(ctx, false)
}

// propose plans a change, has it carried out when the call confirms it, and says
// what it is or was.
func (c *call) propose(ctx context.Context, tool string, draft func(context.Context) (*migrate.Change, error)) (a *answer, err error) {
	if c.confirm && c.fingerprint == "" {
		_, err := c.agreed("")
		return nil, err
	}
	before, err := c.settleFirst(ctx)
	if err != nil {
		return nil, err
	}
	ch, err := draft(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ch.Close()) }()
	d, err := ch.Describe()
	if err != nil {
		return nil, err
	}
	x := &changed{Fingerprint: d.Fingerprint, Plan: planOf(d, ch)}
	if ok, err := c.agreed(d.Fingerprint); err != nil {
		return nil, err
	} else if ok {
		r, err := ch.Apply(ctx, c.fingerprint)
		if err != nil {
			return nil, err
		}
		x.Written, x.Result = true, resultOf(r, before)
	}
	return c.tellChange(x, tool)
}

func planOf(d *change.Description, ch *migrate.Change) plan {
	p := plan{
		Title: quote.Line(d.Title), Sessions: []string{}, Rows: d.Rows, Files: d.Files, Bytes: d.Bytes,
		Databases: []change.Counted{}, Steps: []step{}, Errors: safeFailures(ch.Failures()),
	}
	about := ch.Sessions()
	for _, s := range d.Steps {
		p.Steps = append(p.Steps, step{ident(s.Session), s.Do, quote.Line(s.Path), quote.Line(s.Table), quote.Line(s.Key), quote.Line(s.From)})
		if len(ch.Sessions()) == 0 && s.Session != "" && !slices.Contains(about, s.Session) {
			about = append(about, s.Session)
		}
	}
	for _, id := range about {
		p.Sessions = append(p.Sessions, ident(id))
	}
	for _, x := range d.Databases {
		x.Path, x.Table = quote.Line(x.Path), quote.Line(x.Table)
		p.Databases = append(p.Databases, x)
	}
	return p
}

func safeFailures(list []migrate.Failure) []migrate.Failure {
	out := []migrate.Failure{}
	for _, f := range list {
		out = append(out, migrate.Failure{Session: ident(f.Session), Reason: quote.Line(f.Reason)})
	}
	return out
}

func resultOf(r *migrate.Result, before []change.Settled) *result {
	out := &result{Result: *r}
	out.Errors, out.Left = safeFailures(r.Errors), safeLines(r.Left)
	for _, s := range slices.Concat(before, r.Settled) {
		out.Settled = append(out.Settled, settled{s.ID, quote.Line(s.Title), s.State})
	}
	return out
}

func safeLines(list []string) (out []string) {
	for _, s := range list {
		out = append(out, quote.Line(s))
	}
	return out
}

// mostSteps is how many steps of a plan an answer names, where it has the room.
const mostSteps = 100

// tellChange is the answer, with as much of its lists as fits.
func (c *call) tellChange(x *changed, tool string) (*answer, error) {
	for most := mostSteps; ; most /= 2 {
		some, foot := *x, footing{Notice: notice}
		if n := some.cut(most); n < len(x.Plan.Steps) {
			foot.Shortened = fmt.Sprintf("%d of %d steps are named", n, len(x.Plan.Steps))
		}
		body, err := json.Marshal(some)
		if err != nil {
			return nil, err
		}
		p := &page{}
		p.say(notice)
		some.tell(p, x, tool)
		foot.tell(p)
		a, err := foot.answer(p, inlined(body))
		if err != nil || most <= 1 || a.fits(c.max) {
			return a, err
		}
	}
}

// cut leaves of every list no more than so many, and returns how many steps are
// left.
func (x *changed) cut(most int) int {
	p := &x.Plan
	p.Steps, p.Sessions = atMost(p.Steps, most), atMost(p.Sessions, most)
	p.Databases, p.Errors = atMost(p.Databases, most), atMost(p.Errors, most)
	if x.Result != nil {
		r := *x.Result
		r.Errors, r.Left, r.Settled = atMost(r.Errors, most), atMost(r.Left, most), atMost(r.Settled, most)
		x.Result = &r
	}
	return len(p.Steps)
}
