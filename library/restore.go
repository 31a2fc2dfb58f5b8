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
	"github.com/retold-history/retold/internal/relocate"
	"github.com/retold-history/retold/migrate"
)

// RestoreSessionsOptions say which sessions of a backup to bring back.
type RestoreSessionsOptions struct {
	From      BackupSource
	Sessions  []string     // ids, or the beginnings of some (MinPrefix characters or more); their sub-agents come along
	Overwrite bool         // replace sessions that are newer on this machine
	Guard     change.Guard // who says whether Cursor runs; nil asks the system
}

// PlanRestore plans to bring single sessions of a backup back into the files that
// Cursor uses, and writes nothing. What belongs to a session becomes what the
// backup holds; other sessions stay as they are. What it returns is carried out
// with Apply and taken back with PlanUndo. Close it. Besides the usual errors and
// those of backup.Open it returns a *retold.Error with CodeSessionNotFound or
// CodeSessionAmbiguous for what names no session of the backup or several, and with
// CodeRestoreFailed for a session that is newer here.
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
	list, err := l.inside(ctx, a, o.From)
	if err != nil {
		return nil, err
	}
	ids, err := choose(list, o.From.Path, o.Sessions)
	if err != nil {
		return nil, err
	}
	ids = withSubagents(list, ids)
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

// restoreSteps asks the sources, for every place of the backup that has its like
// here.
func (l *Library) restoreSteps(ctx context.Context, a *backup.Archive, ids []string, overwrite bool) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		taken := map[string]bool{}
		plans := planNotes{}
		for _, held := range plansLast(a.Manifest.Places, func(p backup.Place) []string { return namesBelow(a, p) }) {
			restorer, place := l.counterpart(held)
			if restorer == nil || taken[place] { // two builds were backed up and one is here
				continue
			}
			taken[place] = true
			r := retold.Restore{Place: place, Sessions: ids, Files: below{a, held.Name + "/"}, Names: namesBelow(a, held), Plans: plans, Overwrite: overwrite}
			for s, err := range plans.watch(restorer.PlanRestore(ctx, r)) {
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

// namesBelow are the names of the files of one place of a backup.
func namesBelow(a *backup.Archive, p backup.Place) (names []string) {
	for _, f := range a.Manifest.Files {
		if name, ok := strings.CutPrefix(f.Path, p.Name+"/"); ok {
			names = append(names, name)
		}
	}
	return names
}

// plansLast puts the places behind all others that keep plans: which of them
// belong to a session is known when its records were seen.
func plansLast[P any](places []P, names func(P) []string) []P {
	keeps := func(p P) int {
		if slices.ContainsFunc(names(p), func(n string) bool { return strings.HasPrefix(n, "plans/") }) {
			return 1
		}
		return 0
	}
	places = slices.Clone(places)
	slices.SortStableFunc(places, func(a, b P) int { return keeps(a) - keeps(b) })
	return places
}

// planNotes are the plan files that sessions speak of.
type planNotes map[string][]string

// watch notes what the records say that pass by.
func (n planNotes) watch(steps iter.Seq2[retold.Step, error]) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		for s, err := range steps {
			if err == nil && s.Session != "" && s.Row != nil && s.Row.After != nil {
				for _, c := range s.Row.After.Cells {
					n[s.Session] = append(n[s.Session], relocate.Plans(c.Value.Bytes)...)
				}
			}
			if !yield(s, err) {
				return
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
