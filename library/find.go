package library

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
)

// MinPrefix is the fewest characters of an id that choose a session.
const MinPrefix = 4

// mostCandidates is how many candidates an ambiguous selector lists.
const mostCandidates = 8

// Find chooses one session: by its index in the unfiltered listing, by its full
// id, or by a unique prefix of its id of at least MinPrefix characters. A number
// is an index when there is a session of that number; a full id wins over
// prefixes, and the case of letters counts only when it decides. Errors are *retold.Error with CodeSessionNotFound or
// CodeSessionAmbiguous, the latter naming the candidates.
func (l *Library) Find(ctx context.Context, selector string) (retold.Header, error) {
	e, err := l.find(ctx, selector)
	if err != nil {
		return retold.Header{}, err
	}
	return e.header, nil
}

func (l *Library) find(ctx context.Context, selector string) (*entry, error) {
	c, err := l.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	if n, err := strconv.Atoi(selector); err == nil && n >= 1 && n <= len(c.entries) && strings.Trim(selector, "0123456789") == "" {
		return c.entries[n-1], nil
	}
	var exact, prefixed, folded []*entry
	for _, e := range c.entries {
		switch {
		case e.header.ID == selector:
			exact = append(exact, e)
		case len(selector) >= MinPrefix && strings.HasPrefix(e.header.ID, selector):
			prefixed = append(prefixed, e)
		case len(selector) >= MinPrefix && len(e.header.ID) >= len(selector) && strings.EqualFold(e.header.ID[:len(selector)], selector):
			folded = append(folded, e)
		}
	}
	found := exact
	if len(found) == 0 {
		found = prefixed
	}
	if len(found) == 0 {
		found = folded
	}
	switch len(found) {
	case 0:
		return nil, c.notFound(selector)
	case 1:
		return found[0], nil
	}
	return nil, ambiguous(selector, found)
}

func (c *catalogue) notFound(selector string) error {
	e := &retold.Error{Code: retold.CodeSessionNotFound, Err: fmt.Errorf("no session %q", selector), Hint: "see `retold list` for what there is"}
	switch {
	case selector != "" && strings.Trim(selector, "0123456789") == "":
		spoken := 0
		for _, known := range c.entries {
			if !known.header.Empty {
				spoken++
			}
		}
		e.Err = fmt.Errorf("no session number %s: there are %d", selector, spoken)
		if empty := len(c.entries) - spoken; empty > 0 {
			e.Err = fmt.Errorf("%w, and %d more empty or drafts (list --empty)", e.Err, empty)
		}
	case len(selector) < MinPrefix:
		e.Hint = fmt.Sprintf("give an index from `retold list`, a full id, or at least %d characters of one", MinPrefix)
	}
	if len(c.failures) > 0 {
		e.Hint += "; not every file could be read, see `retold doctor`"
	}
	return e
}

func ambiguous(selector string, found []*entry) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%q fits %d sessions:", selector, len(found))
	for i, e := range found {
		if i == mostCandidates {
			fmt.Fprintf(&b, "\n  … and %d more", len(found)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %d  %s  %s", e.header.Index, e.header.ID, retold.Preview(e.header.Title))
	}
	return &retold.Error{
		Code: retold.CodeSessionAmbiguous, Err: fmt.Errorf("%s", b.String()),
		Hint: "give more characters of the id, or the index before it",
	}
}

// CheckWorkspace returns a *retold.Error with CodeWorkspaceNotFound when no
// session is about the workspace that want names (see retold.MatchWorkspace).
func (l *Library) CheckWorkspace(ctx context.Context, want string) error {
	c, err := l.catalogue(ctx)
	if err != nil {
		return err
	}
	for _, e := range c.entries {
		if retold.MatchWorkspace(e.header.Session, want) {
			return nil
		}
	}
	return &retold.Error{
		Code: retold.CodeWorkspaceNotFound, Err: fmt.Errorf("no session is about workspace %q", want),
		Hint: "see `retold workspaces` for what there is",
	}
}
