package hook

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/retold-history/retold/journal/hook/spool"
)

// logSize is how long the log may get; one older log of that size is kept.
const logSize = 1 << 20

// OpenLog opens the log of a spool to add to it. When it gets too long it is put
// aside, in the place of the one that was put aside before.
func OpenLog(dir string) (io.WriteCloser, error) {
	l := &rotated{path: filepath.Join(dir, spool.LogFile)}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the spool: %w", err)
	}
	return l, l.open()
}

// A rotated log. It is for one goroutine at a time, as a slog handler uses it.
type rotated struct {
	path string
	file *os.File
	size int64
}

func (l *rotated) open() error {
	if info, err := os.Stat(l.path); err == nil && info.Size() >= logSize {
		if err := os.Rename(l.path, l.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Write adds to the log.
func (l *rotated) Write(p []byte) (int, error) {
	if l.size >= logSize {
		if err := errors.Join(l.file.Close(), l.open()); err != nil {
			return 0, err
		}
	}
	n, err := l.file.Write(p)
	l.size += int64(n)
	return n, err
}

// Close closes it.
func (l *rotated) Close() error { return l.file.Close() }
