package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/store/sqlite"
)

// JournalInfo describes the journal's notebook.
type JournalInfo struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"` // its log included
	Entries int    `json:"entries"`
}

// journalInfo looks at the notebook that belongs to this library; nil when nothing
// was ever written into one.
func (l *Library) journalInfo(ctx context.Context) (info *JournalInfo, err error) {
	if l.shelf.enclosed != nil || l.shelf.path == "" {
		return nil, nil
	}
	i := &JournalInfo{Path: notebookPath(l.shelf.path)}
	for n, path := range []string{i.Path, i.Path + "-wal"} {
		file, err := os.Stat(path)
		switch {
		case err == nil:
			i.Bytes += file.Size()
		case !errors.Is(err, fs.ErrNotExist):
			return i, err
		case n == 0:
			return nil, nil
		}
	}
	notebook, err := sqlite.OpenNotebook(ctx, i.Path)
	if err != nil {
		return i, err
	}
	defer func() { err = errors.Join(err, notebook.Close()) }()
	if i.Entries, err = journal.CountEntries(ctx, notebook); err != nil {
		return i, fmt.Errorf("count the entries of %s: %w", i.Path, err)
	}
	return i, nil
}
