package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/store/sqlite"
)

// choose finds the sessions of a backup that selectors name, in their order: a
// full id, or the beginning of one (MinPrefix characters or more) that no other
// has. An index names nothing: it counts what a listing of this machine shows.
func choose(list []retold.Kept, path string, selectors []string) (ids []string, err error) {
	for _, s := range selectors {
		id, err := chooseOne(list, path, s)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func chooseOne(list []retold.Kept, path, selector string) (string, error) {
	for _, fits := range []func(id string) bool{
		func(id string) bool { return id == selector },
		func(id string) bool { return len(selector) >= MinPrefix && strings.HasPrefix(id, selector) },
		func(id string) bool {
			return len(selector) >= MinPrefix && len(id) >= len(selector) && strings.EqualFold(id[:len(selector)], selector)
		},
	} {
		var found []retold.Kept
		for _, k := range list {
			if fits(k.ID) && !slices.ContainsFunc(found, func(f retold.Kept) bool { return f.ID == k.ID }) {
				found = append(found, k)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0].ID, nil
		default:
			return "", severalInside(path, selector, found)
		}
	}
	e := &retold.Error{
		Code: retold.CodeSessionNotFound, Op: "restore", Path: path, Err: fmt.Errorf("no session %q in the backup", selector),
		Hint: "see `retold --backup " + path + " list --all` for what there is",
	}
	switch {
	case selector != "" && strings.Trim(selector, "0123456789") == "":
		e.Hint = "an index means nothing here: give an id, or the beginning of one, from `retold --backup " + path + " list --all`"
	case len(selector) < MinPrefix:
		e.Hint = fmt.Sprintf("give a full id, or at least %d characters of one, from `retold --backup %s list --all`", MinPrefix, path)
	}
	return "", e
}

func severalInside(path, selector string, found []retold.Kept) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%q fits several sessions of the backup:", selector)
	for i, k := range found {
		if i == mostCandidates {
			b.WriteString("\n  … and more")
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s", k.ID, retold.Preview(k.Title))
	}
	return &retold.Error{Code: retold.CodeSessionAmbiguous, Op: "restore", Path: path, Err: errors.New(b.String()), Hint: "give more characters of the id"}
}

// inside lists the sessions of a backup: by the library in it, or, where another
// program made it and there is none, by its files.
func (l *Library) inside(ctx context.Context, a *backup.Archive, from BackupSource) (list []retold.Kept, err error) {
	if !a.Foreign() {
		store, err := openInside(ctx, a, sqlite.Options{})
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		list, _, err = store.List(ctx, retold.Filter{Empty: true}, -1, 0)
		return list, err
	}
	files, err := Open(ctx, Options{Env: l.options.Env, Backup: &from})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	headers, err := files.Headers(ctx, retold.Filter{Empty: true})
	for _, h := range headers {
		list = append(list, retold.Kept{Session: h.Session})
	}
	return list, err
}

// withSubagents are sessions of a backup and those that they started.
func withSubagents(list []retold.Kept, ids []string) []string {
	for i := 0; i < len(ids); i++ {
		for _, k := range list {
			if k.ParentID == ids[i] && !slices.Contains(ids, k.ID) {
				ids = append(ids, k.ID)
			}
		}
	}
	return ids
}
