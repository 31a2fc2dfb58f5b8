package library

import (
	"context"
	"errors"

	"github.com/retold-history/retold"
)

// A MergeResult says what a backup added to the library.
type MergeResult struct {
	SessionsRestored int      `json:"sessionsRestored"`
	Messages         int      `json:"messages"`
	Known            int      `json:"known"`     // sessions that the library holds already, left as they are
	Forgotten        int      `json:"forgotten"` // sessions that somebody wished to be forgotten, left out
	IDs              []string `json:"ids"`       // of the sessions restored
	DryRun           bool     `json:"dryRun,omitempty"`
}

// MergeBackup takes the sessions of a backup that this library does not hold into
// it, with ids only those named (whole). They count as gone from their source,
// until a source has them again. What the library holds is never touched. Besides
// the usual errors it returns retold.ErrInvalidBackup, retold.ErrSessionNotFound
// for an id that the backup does not hold, and retold.ErrLibraryBusy.
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
	if dryRun {
		return r, nil // what is not committed is dropped
	}
	return r, w.Commit(ctx)
}

// chosen are the sessions of a backup that somebody wants.
func chosen(ctx context.Context, theirs retold.Store, path string, ids []string) ([]retold.Kept, error) {
	list, _, err := theirs.List(ctx, retold.Filter{Empty: true}, -1, 0)
	if err != nil || len(ids) == 0 {
		return list, err
	}
	byID := map[string]retold.Kept{}
	for _, k := range list {
		byID[k.ID] = k
	}
	var out []retold.Kept
	for _, id := range ids {
		k, ok := byID[id]
		if !ok {
			return nil, &retold.Error{Code: retold.CodeSessionNotFound, Op: "restore", Path: path, Err: errors.New("no session " + id + " in the backup"), Hint: "retold --backup " + path + " list"}
		}
		out = append(out, k)
	}
	return out, nil
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
