package library

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/store/sqlite"
)

const (
	// backupWait is how long a backup waits for another process that is bringing the
	// library up to date.
	backupWait = 10 * time.Minute
	backupLook = 200 * time.Millisecond // how often it looks
)

// upToDate brings the library up to date, every message of it: what is behind would
// be missing in a backup that says that it is there. It waits while another process
// is at it. A library that cannot be written here is taken as it is.
func (l *Library) upToDate(ctx context.Context, o BackupOptions) error {
	store, _, err := l.current(ctx, false)
	if err != nil {
		return err
	}
	began := l.now()
	tick := time.NewTicker(backupLook)
	defer tick.Stop()
	for {
		_, err := l.refresh(ctx, store, refreshing{all: true, progress: l.progress})
		waited := l.now().Sub(began)
		switch {
		case errors.Is(err, retold.ErrLibraryReadOnly):
			return nil
		case !errors.Is(err, retold.ErrLibraryBusy):
			return err
		case waited > backupWait:
			return &retold.Error{
				Code: retold.CodeLibraryBusy, Op: "back up", Path: l.shelf.path, Hint: "wait until the other retold is done, and try again",
				Err: fmt.Errorf("another process has been bringing the library up to date for %s", waited.Round(time.Second)),
			}
		}
		if o.Progress != nil {
			o.Progress(BackupProgress{Stage: "waiting", Elapsed: waited})
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// unread counts what a library has of a session that another process found a moment
// ago and has not read yet, and names it.
func (b *backing) unread(ctx context.Context, store *sqlite.Store, k retold.Kept) (messages int, err error) {
	for _, err := range store.Messages(ctx, k.Key, 0) {
		if err != nil {
			return 0, err
		}
		messages++
	}
	if messages < k.MessageCount {
		reason := fmt.Sprintf("%d of the %d messages of session %s were not read into it yet", k.MessageCount-messages, k.MessageCount, k.ID)
		b.manifest.Skipped = append(b.manifest.Skipped, backup.Skipped{Path: libraryFile, Reason: reason})
	}
	return messages, nil
}
