package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/migrate"
	"github.com/retold-history/retold/store/sqlite"
)

// RestoreSessionsOptions say which sessions of a backup to bring back.
type RestoreSessionsOptions struct {
	From      BackupSource
	Sessions  []string     // ids, whole; their sub-agents come along
	Overwrite bool         // replace sessions that are newer on this machine
	Guard     change.Guard // who says whether Cursor runs; nil asks the system
}

// PlanRestore plans to bring single sessions of a backup back into the files that
// Cursor uses, and writes nothing. What belongs to a session becomes what the
// backup holds; other sessions stay as they are. What it returns is carried out
// with Apply and taken back with PlanUndo. Close it. Besides the usual errors and
// those of backup.Open it returns a *retold.Error with CodeSessionNotFound for an
// id that the backup does not hold, and with CodeRestoreFailed for a session that
// is newer here.
func (l *Library) PlanRestore(ctx context.Context, o RestoreSessionsOptions) (c *migrate.Change, err error) {
	defer l.call(&ctx, &err)()
	a, err := backup.Open(ctx, o.From.Path, backup.OpenOptions{Identities: o.From.Identities})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, a.Close()); err != nil && c != nil {
			err, c = errors.Join(err, c.Close()), nil
		}
	}()
	ids := o.Sessions
	if !a.Foreign() {
		if ids, err = withSubagents(ctx, a, o.Sessions); err != nil {
			return nil, err
		}
	}
	desk := l.desk()
	if o.Guard != nil {
		desk.Guard = o.Guard
	}
	title := fmt.Sprintf("restore %d sessions", len(ids))
	if len(ids) == 1 {
		title = "restore session " + ids[0]
	}
	return migrate.PlanSteps(ctx, desk, title+" from "+filepath.Base(o.From.Path), ids, "no file of the backup holds it, or its program keeps no files here", l.restoreSteps(ctx, a, ids, o.Overwrite))
}

// withSubagents are sessions of a backup and those that they started.
func withSubagents(ctx context.Context, a *backup.Archive, ids []string) (all []string, err error) {
	store, err := openInside(ctx, a, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	list, err := chosen(ctx, store, a.Path, ids)
	if err != nil {
		return nil, err
	}
	for _, k := range list {
		all = append(all, k.ID)
	}
	every, _, err := store.List(ctx, retold.Filter{Empty: true}, -1, 0)
	for i := 0; i < len(all); i++ {
		for _, k := range every {
			if k.ParentID == all[i] && !slices.Contains(all, k.ID) {
				all = append(all, k.ID)
			}
		}
	}
	return all, err
}

// restoreSteps asks the sources, for every place of the backup that has its like
// here.
func (l *Library) restoreSteps(ctx context.Context, a *backup.Archive, ids []string, overwrite bool) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		taken := map[string]bool{}
		for _, held := range a.Manifest.Places {
			restorer, place := l.counterpart(held)
			if restorer == nil || taken[place] { // two builds were backed up and one is here
				continue
			}
			taken[place] = true
			r := retold.Restore{Place: place, Sessions: ids, Files: below{a, held.Name + "/"}, Overwrite: overwrite}
			for _, f := range a.Manifest.Files {
				if name, ok := strings.CutPrefix(f.Path, held.Name+"/"); ok {
					r.Names = append(r.Names, name)
				}
			}
			for s, err := range restorer.PlanRestore(ctx, r) {
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

// counterpart is the place of this machine that holds what a place of a backup
// held: at the same path, else of the same kind.
func (l *Library) counterpart(held backup.Place) (r retold.Restorer, path string) {
	for _, p := range l.located() {
		can, ok := p.source.(retold.Restorer)
		if !ok || !p.Used || p.Agent != held.Agent || p.Kind != held.Kind {
			continue
		}
		if r == nil || p.Path == held.Path {
			r, path = can, p.Path
		}
	}
	return r, path
}

// below shows the files of one place of a backup.
type below struct {
	archive *backup.Archive
	prefix  string
}

func (b below) Open(name string) (fs.File, error) { return b.archive.Open(b.prefix + name) }
