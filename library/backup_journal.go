package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/store/sqlite"
)

// journalFile is the name of the journal's notebook in a backup.
const journalFile = "retold/journal.db"

// journal puts the notebook beside the library into the backup, when there is one.
// What the journal can work out again is left out; so is the whole notebook of a
// backup of some sessions: entries say more than those.
func (b *backing) journal(ctx context.Context) error {
	if b.l.shelf.path == "" {
		return nil
	}
	from := notebookPath(b.l.shelf.path)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if b.only != nil {
		b.skip(from, errors.New("the journal is about more than the sessions that were chosen"))
		return nil
	}
	to := filepath.Join(b.temp, "journal.db")
	shot, err := backup.SnapshotOwn(ctx, from, to, nil)
	if err != nil {
		return fmt.Errorf("copy the journal: %w", err)
	}
	if err := b.add(ctx, journalFile, retold.PieceDatabase, from, to); err != nil {
		return err
	}
	b.noted(journalFile, shot)
	return removeDatabase(to)
}

// journal takes the entries and reflections of a backup that this library's journal
// does not hold into it.
func (r *MergeResult) journal(ctx context.Context, l *Library, from *backup.Archive, dryRun bool) (err error) {
	f, err := from.Lookup(journalFile)
	if err != nil {
		return nil //nolint:nilerr // an older backup, or one of some sessions: it holds none
	}
	dir, err := os.MkdirTemp("", "retold-journal-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	name := path.Base(journalFile)
	if err := errors.Join(from.Unpack(ctx, f, root, name, nil), root.Close()); err != nil {
		return err
	}
	theirs, err := sqlite.OpenNotebook(ctx, filepath.Join(dir, name))
	if err != nil {
		return fmt.Errorf("journal of the backup: %w", err)
	}
	defer func() { err = errors.Join(err, theirs.Close()) }()
	ours, _, err := l.notebooks.open(ctx, l.shelf)
	if err != nil {
		return err
	}
	r.JournalRestored, err = journal.Merge(ctx, ours, theirs, dryRun)
	return err
}
