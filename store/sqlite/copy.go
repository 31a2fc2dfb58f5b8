package sqlite

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// openCopy opens a private copy of a library that lies where nothing can be
// written, with a log that a killed process left and without the -shm file that
// SQLite needs to read it there. The copy is removed by Close.
func (s *Store) openCopy() (*conn, int, error) {
	dir, err := os.MkdirTemp("", "retold-")
	if err != nil {
		return nil, 0, err
	}
	file := filepath.Join(dir, "library.db")
	for _, suffix := range []string{"", "-wal"} {
		if err == nil {
			err = copyFile(file+suffix, s.path+suffix)
		}
	}
	var c *conn
	var version int
	if err == nil {
		if c, err = dial(file, readWrite); err == nil {
			version, err = c.version()
		}
	}
	if err != nil {
		if c != nil {
			err = errors.Join(err, c.Close())
		}
		return nil, 0, errors.Join(err, os.RemoveAll(dir))
	}
	s.file, s.query, s.copied, s.readOnly = file, readWrite, dir, true
	return c, version, nil
}

func copyFile(to, from string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return errors.Join(err, r.Close())
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close(), r.Close())
}
