package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/store/sqlite"
)

// A backup of single sessions is made by restoring them into an empty folder: what
// a session needs to be shown again is then known in one place, and what is in the
// backup is by construction enough.

// only are the sessions that somebody asked for; nil for all.
func (l *Library) only(ctx context.Context, o BackupOptions) (ids []string, err error) {
	if len(o.Sessions) == 0 && len(o.Workspaces) == 0 {
		return nil, nil
	}
	headers, err := l.Headers(ctx, retold.Filter{Empty: true})
	if err != nil {
		return nil, err
	}
	for _, s := range o.Sessions {
		h, err := l.Find(ctx, s)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ids, h.ID) {
			ids = append(ids, h.ID)
		}
	}
	for _, w := range o.Workspaces {
		found := false
		for _, h := range headers {
			if h.WorkspacePath == w || retold.MatchWorkspace(h.Session, w) {
				found = true
				if !slices.Contains(ids, h.ID) {
					ids = append(ids, h.ID)
				}
			}
		}
		if !found {
			return nil, &retold.Error{Code: retold.CodeWorkspaceNotFound, Err: fmt.Errorf("no session is about workspace %q", w), Hint: "see `retold workspaces` for what there is"}
		}
	}
	for i := 0; i < len(ids); i++ {
		for _, h := range headers {
			if h.ParentID == ids[i] && !slices.Contains(ids, h.ID) {
				ids = append(ids, h.ID)
			}
		}
	}
	return ids, nil
}

// chosenPieces puts the parts of the chosen sessions into the backup.
func (b *backing) chosenPieces(ctx context.Context) error {
	desk := &change.Desk{Home: filepath.Join(b.temp, "desk"), Guard: nobody{}}
	held := map[string]bool{}
	plans := planNotes{}
	for _, i := range plansLast(b.placeNumbers(), b.pieceNames) {
		p := b.manifest.Places[i]
		restorer, _ := b.places[i].source.(retold.Restorer)
		excerpter, _ := b.places[i].source.(retold.Excerpter)
		shots := &shots{ctx: ctx, only: b.only, excerpter: excerpter, dir: filepath.Join(b.temp, "shots"), pieces: map[string]retold.Piece{}, taken: map[string]string{}, shot: map[string]*backup.Shot{}}
		r := retold.Restore{Place: filepath.Join(b.temp, "place"), Sessions: b.only, Files: shots, Plans: plans, Fresh: true}
		for _, piece := range b.pieces {
			if name, ok := strings.CutPrefix(piece.Name, p.Name+"/"); ok {
				shots.pieces[name] = piece
				r.Names = append(r.Names, name)
			}
		}
		if restorer == nil || len(r.Names) == 0 {
			continue
		}
		if err := errors.Join(os.MkdirAll(r.Place, 0o700), os.MkdirAll(shots.dir, 0o700)); err != nil {
			return &target{err}
		}
		if err := b.chosenOf(ctx, desk, plans.watch(restorer.PlanRestore(ctx, r)), r.Place, p.Name, shots, held); err != nil {
			return err
		}
		for _, dir := range []string{r.Place, shots.dir, desk.Home} {
			if err := os.RemoveAll(dir); err != nil {
				return &target{err}
			}
		}
	}
	for _, id := range b.only {
		if !held[id] {
			b.manifest.Skipped = append(b.manifest.Skipped, backup.Skipped{Path: id, Reason: "only what the library says of it is in the backup: its agent keeps no files of its own for it"})
		}
	}
	return nil
}

func (b *backing) placeNumbers() []int {
	numbers := make([]int, len(b.places))
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// pieceNames are the names of the files of one place.
func (b *backing) pieceNames(place int) (names []string) {
	for _, p := range b.pieces {
		if name, ok := strings.CutPrefix(p.Name, b.manifest.Places[place].Name+"/"); ok {
			names = append(names, name)
		}
	}
	return names
}

// chosenOf carries steps out in an empty folder and packs what comes of them.
func (b *backing) chosenOf(ctx context.Context, desk *change.Desk, steps iter.Seq2[retold.Step, error], place, name string, shots *shots, held map[string]bool) error {
	dir, err := desk.DraftDir()
	if err != nil {
		return &target{err}
	}
	plan, err := change.Draft(ctx, dir, "choose", steps)
	if err != nil {
		return err
	}
	_, err = desk.Apply(ctx, plan, "")
	for _, id := range plan.Sessions() {
		held[id] = true
	}
	if err = errors.Join(err, plan.Close()); err != nil {
		return err
	}
	return filepath.WalkDir(place, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(place, at)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		piece, known := shots.pieces[rel]
		if !known {
			piece = retold.Piece{Kind: retold.PieceFile, Path: at}
		}
		if err := b.add(ctx, name+"/"+rel, piece.Kind, piece.Path, at); err != nil {
			return err
		}
		if shot := shots.shot[rel]; shot != nil {
			b.noted(name+"/"+rel, shot)
		}
		return nil
	})
}

// nobody uses a folder of our own.
type nobody struct{}

func (nobody) Check(context.Context, []string) error { return nil }

// shots shows the files of a place; a database without credentials and, where its
// source can tell, with what the chosen sessions need of it alone, taken when it is
// first asked for.
type shots struct {
	ctx       context.Context
	excerpter retold.Excerpter // nil: databases are copied whole
	only      []string
	dir       string

	pieces map[string]retold.Piece
	taken  map[string]string
	shot   map[string]*backup.Shot
}

func (s *shots) Open(name string) (fs.File, error) {
	p, ok := s.pieces[name]
	switch {
	case !ok:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case p.Kind != retold.PieceDatabase:
		return os.Open(p.Path)
	case s.taken[name] == "":
		at := filepath.Join(s.dir, fmt.Sprint(len(s.taken), ".db"))
		shot, err := s.shoot(name, p, at)
		if err != nil {
			return nil, err
		}
		when, err := written(p.Path, p.Kind)
		if err == nil {
			err = os.Chtimes(at, when, when)
		}
		if err != nil {
			return nil, err
		}
		s.taken[name], s.shot[name] = at, shot
	}
	return os.Open(s.taken[name])
}

// shoot copies a database without credentials: what the sessions need of it, or all
// of it where that is not known to its source.
func (s *shots) shoot(name string, p retold.Piece, at string) (*backup.Shot, error) {
	if s.excerpter == nil {
		return backup.Snapshot(s.ctx, p.Path, at, p.Except, nil)
	}
	part := at + ".part"
	piece := p
	piece.Name = name
	note, err := s.excerpter.Excerpt(s.ctx, piece, s.only, part)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(part))
	}
	shot, err := backup.Snapshot(s.ctx, part, at, p.Except, nil)
	if err == nil && note != "" {
		shot.Notes = append(shot.Notes, note)
	}
	return shot, errors.Join(err, os.Remove(part))
}

// chosenLibrary makes a library that holds the chosen sessions alone.
func (b *backing) chosenLibrary(ctx context.Context, path string) (err error) {
	ours, err := b.l.shelf.open(ctx)
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	w, err := store.Writer(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	list, _, err := ours.List(ctx, retold.Filter{Empty: true}, -1, 0)
	if err != nil {
		return err
	}
	for _, k := range list {
		if !slices.Contains(b.only, k.ID) {
			continue
		}
		if err := copyKept(ctx, ours, w, k.Key); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// copyKept copies one session as it is kept.
func copyKept(ctx context.Context, from retold.Store, w retold.StoreWriter, key retold.Key) error {
	k, err := from.Get(ctx, key)
	if err != nil {
		return err
	}
	sheet, err := w.Sheet(ctx, key, 0)
	if err != nil {
		return err
	}
	for m, err := range from.Messages(ctx, key, 0) {
		if err == nil {
			err = sheet.Add(ctx, m)
		}
		if err != nil {
			sheet.Drop()
			return err
		}
	}
	if err := w.Put(ctx, k, sheet); err != nil || !w.CommitDue() {
		return err
	}
	return w.Commit(ctx)
}
