package library

import (
	"context"
	"errors"
	"slices"

	"github.com/retold-history/retold"
)

// A MergeResult says what a backup added to the library.
type MergeResult struct {
	SessionsRestored int      `json:"sessionsRestored"`
	Empty            int      `json:"empty"` // of them drafts and such in which nothing was said: lists leave these out
	Messages         int      `json:"messages"`
	Known            int      `json:"known"`           // sessions that the library holds already, left as they are
	JournalRestored  int      `json:"journalRestored"` // entries and reflections of the journal that it did not hold
	Forgotten        int      `json:"forgotten"`       // sessions that somebody wished to be forgotten, left out
	IDs              []string `json:"ids"`             // of the sessions restored
	DryRun           bool     `json:"dryRun,omitempty"`
}

// MergeBackup takes the sessions of a backup that this library does not hold into
// it, with ids only those named: by their ids or the beginnings of these. They count as gone from their source,
// until a source has them again. What the library holds is never touched. Besides
// the usual errors it returns retold.ErrInvalidBackup, retold.ErrSessionNotFound
// or retold.ErrSessionAmbiguous for what names no session of the backup or several,
// and retold.ErrLibraryBusy.
func (l *Library) MergeBackup(ctx context.Context, from BackupSource, ids []string, dryRun bool) (r *MergeResult, err error) {
	defer l.call(&ctx, &err)()
	inside := &enclosed{from: from}
	theirs, err := inside.open(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, theirs.Close(), inside.close()) }()
	list, err := chosen(ctx, theirs, from.Path, ids)
	if err != nil {
		return nil, err
	}
	ours, err := l.shelf.open(ctx)
	if err == nil {
		err = l.shelf.kept()
	}
	if err != nil {
		return nil, err
	}
	if err := l.syncing.take(ctx); err != nil {
		return nil, err
	}
	defer l.syncing.give()
	w, err := ours.Writer(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	r = &MergeResult{IDs: []string{}, DryRun: dryRun}
	for _, k := range list {
		if err := r.take(ctx, theirs, ours, w, k.Key); err != nil {
			return nil, err
		}
	}
	if len(ids) == 0 {
		if err := r.journal(ctx, l, inside.archive, dryRun); err != nil {
			return nil, err
		}
	}
	if dryRun {
		return r, nil // what is not committed is dropped
	}
	return r, w.Commit(ctx)
}

// chosen are the sessions of a backup that somebody wants; all when nobody says.
func chosen(ctx context.Context, theirs retold.Store, path string, selectors []string) ([]retold.Kept, error) {
	list, _, err := theirs.List(ctx, retold.Filter{Empty: true}, -1, 0)
	if err != nil || len(selectors) == 0 {
		return list, err
	}
	ids, err := choose(list, path, selectors)
	return slices.DeleteFunc(list, func(k retold.Kept) bool { return !slices.Contains(ids, k.ID) }), err
}

// take copies one session, if it is wanted here.
func (r *MergeResult) take(ctx context.Context, theirs, ours retold.Store, w retold.StoreWriter, key retold.Key) error {
	if w.Forgotten(key) {
		r.Forgotten++
		return nil
	}
	_, err := ours.Get(ctx, key)
	if err == nil {
		r.Known++
		return nil
	}
	if !errors.Is(err, retold.ErrSessionNotFound) {
		return err
	}
	k, err := theirs.Get(ctx, key)
	if err != nil {
		return err
	}
	r.SessionsRestored++
	r.IDs = append(r.IDs, k.ID)
	if k.Empty {
		r.Empty++
	}
	if r.DryRun {
		r.Messages += max(k.MessageCount, 0)
		return nil
	}
	sheet, err := w.Sheet(ctx, key, 0)
	if err != nil {
		return err
	}
	for m, err := range theirs.Messages(ctx, key, 0) {
		if err == nil {
			err = sheet.Add(ctx, m)
		}
		if err != nil {
			sheet.Drop()
			return err
		}
		r.Messages++
	}
	// Their places and what their sources remember mean nothing here.
	for i := range k.Parts {
		k.Parts[i].Gone, k.Parts[i].Memory = true, nil
	}
	k.Gone, k.Pending = true, false
	if err := w.Put(ctx, k, sheet); err != nil || !w.CommitDue() {
		return err
	}
	return w.Commit(ctx)
}
