package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
// prefixes, and the case of letters counts only when it decides. Besides the usual
// errors it returns a *retold.Error with CodeSessionNotFound or
// CodeSessionAmbiguous, the latter naming the candidates.
func (l *Library) Find(ctx context.Context, selector string) (chosen retold.Header, err error) {
	defer l.call(&ctx, &err)()
	_, k, err := l.find(ctx, selector)
	if err != nil {
		return retold.Header{}, err
	}
	return headerOf(*k), nil
}

func (l *Library) find(ctx context.Context, selector string) (retold.Store, *retold.Kept, error) {
	store, fresh, err := l.current(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	digits := selector != "" && strings.Trim(selector, "0123456789") == ""
	if n, err := strconv.Atoi(selector); err == nil && digits && n >= 1 {
		k, err := store.At(ctx, n)
		if !errors.Is(err, retold.ErrSessionNotFound) {
			return store, k, err
		}
	}
	found, err := candidates(ctx, store, selector)
	switch {
	case err != nil:
		return nil, nil, err
	case len(found) == 0:
		return nil, nil, notFound(ctx, store, selector, digits, len(fresh.failures) > 0)
	case len(found) > 1:
		return nil, nil, ambiguous(selector, found)
	}
	return store, &found[0], nil
}

// candidates are the sessions that an id or the beginning of one may mean.
func candidates(ctx context.Context, store retold.Store, selector string) ([]retold.Kept, error) {
	if selector == "" {
		return nil, nil
	}
	for _, fold := range []bool{false, true} {
		found, err := store.Find(ctx, selector, fold, mostCandidates+1)
		if err != nil {
			return nil, err
		}
		exact := slices.DeleteFunc(slices.Clone(found), func(k retold.Kept) bool { return k.ID != selector })
		if len(exact) > 0 {
			return exact, nil
		}
		if len(found) > 0 && len(selector) >= MinPrefix {
			return found, nil
		}
	}
	return nil, nil
}

func notFound(ctx context.Context, store retold.Store, selector string, digits, failures bool) error {
	e := &retold.Error{Code: retold.CodeSessionNotFound, Err: fmt.Errorf("no session %q", selector), Hint: "see `retold list` for what there is"}
	switch {
	case digits:
		_, spoken, err := store.List(ctx, retold.Filter{}, 1, 0)
		if err != nil {
			return err
		}
		_, all, err := store.List(ctx, retold.Filter{Empty: true}, 1, 0)
		if err != nil {
			return err
		}
		e.Err = fmt.Errorf("no session number %s: there are %d", selector, spoken)
		if all > spoken {
			e.Err = fmt.Errorf("%w, and %d more empty or drafts (list --empty)", e.Err, all-spoken)
		}
	case len(selector) < MinPrefix:
		e.Hint = fmt.Sprintf("give an index from `retold list`, a full id, or at least %d characters of one", MinPrefix)
	}
	if failures {
		e.Hint += "; not every file could be read, see `retold doctor`"
	}
	return e
}

func ambiguous(selector string, found []retold.Kept) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%q fits several sessions:", selector)
	for i, k := range found {
		if i == mostCandidates {
			b.WriteString("\n  … and more")
			break
		}
		fmt.Fprintf(&b, "\n  %d  %s  %s", k.Index, k.ID, retold.Preview(k.Title))
	}
	return &retold.Error{
		Code: retold.CodeSessionAmbiguous, Err: errors.New(b.String()),
		Hint: "give more characters of the id, or the index before it",
	}
}

// CheckWorkspace returns a *retold.Error with CodeWorkspaceNotFound when no
// session is about the workspace that want names (see retold.MatchWorkspace), and
// the usual errors.
func (l *Library) CheckWorkspace(ctx context.Context, want string) (err error) {
	defer l.call(&ctx, &err)()
	store, _, err := l.current(ctx, false)
	if err != nil {
		return err
	}
	_, n, err := store.List(ctx, retold.Filter{Workspaces: []string{want}, Empty: true}, 1, 0)
	if err != nil || n > 0 {
		return err
	}
	return &retold.Error{
		Code: retold.CodeWorkspaceNotFound, Err: fmt.Errorf("no session is about workspace %q", want),
		Hint: "see `retold workspaces` for what there is",
	}
}
