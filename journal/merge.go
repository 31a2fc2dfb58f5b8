package journal

import (
	"context"
	"errors"

	"github.com/retold-history/retold"
)

// Merge takes into a notebook what another one holds and it does not: entries,
// reflections, and what leads to them. What is there is never touched; with dryRun
// nothing is written. It returns how many entries and reflections are new.
func Merge(ctx context.Context, into, from Notebook, dryRun bool) (added int, err error) {
	for _, kind := range []string{noteReflection, noteEntry, noteDay, noteTwin, noteHeld, noteAlias, noteRepo, kindRoot} {
		for note, err := range from.Notes(ctx, kind, "", "") {
			if err != nil {
				return added, err
			}
			known, err := holds(ctx, into, kind, note.Key)
			if err == nil && !known && kind == noteEntry { // it became another here
				known, err = holds(ctx, into, noteAlias, note.Key)
			}
			if err != nil {
				return added, err
			}
			if known {
				continue
			}
			if kind == noteEntry || kind == noteReflection {
				added++
			}
			if dryRun {
				continue
			}
			if err := into.PutNotes(ctx, note); err != nil {
				return added, err
			}
		}
	}
	return added, nil
}

func holds(ctx context.Context, n Notebook, kind, key string) (bool, error) {
	_, err := n.Note(ctx, kind, key)
	if errors.Is(err, retold.ErrNoNote) {
		return false, nil
	}
	return err == nil, err
}
