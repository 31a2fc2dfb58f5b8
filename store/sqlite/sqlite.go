// Package sqlite keeps a library in one SQLite file: sessions as rows, their
// messages in compressed pages of about 160 KB, and the segments of an inverted
// index over everything said (internal/index). Pages and segments are written
// once and never changed; what makes them part of the library is a session's
// manifest, so that a commit shows all of a session or nothing of it, and a
// process killed at any point leaves what the last commit left. Readers work in
// one read transaction per call beside the one writer.
package sqlite

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/retold-history/retold"
)

// Options say how a library is opened. The zero value opens it for reading and
// writing and creates it when it is missing.
type Options struct {
	ReadOnly bool // never create, never write

	// Mask changes a copy of each message that a search finds before its snippet is
	// taken; nil leaves them. It is called from several goroutines.
	Mask func(*retold.Message) (masked int)
}

// A Store is a library in a file. It implements retold.Store.
type Store struct {
	path     string
	readOnly bool
	mask     func(*retold.Message) int
	file     string // that is opened: path, or a copy of it
	query    string // of the URI by which connections are opened
	copied   string // folder of the copy, or ""

	mu      sync.Mutex
	idle    []*conn
	closed  bool
	writing bool

	limits   limits
	pages    cache[string] // unpacked
	messages cache[string] // encoded, by location
	bundles  cache[[]byte]
	primers  primers
	shared   shared
	work     work
}

var _ retold.Store = (*Store)(nil)

// Path is the file's path as given to Open.
func (s *Store) Path() string { return s.path }

// ReadOnly reports whether the library can only be read, by Options or because
// the disk allows no more.
func (s *Store) ReadOnly() bool { return s.readOnly }

// Close closes the file. Calls that still run keep their connection until they
// end.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var err error
	for _, c := range s.idle {
		err = errors.Join(err, c.Close())
	}
	s.idle = nil
	if s.copied != "" {
		err = errors.Join(err, os.RemoveAll(s.copied))
		s.copied = ""
	}
	return err
}

// maxIdle is how many connections are kept open between calls.
const maxIdle = 4

// take returns a connection of its own to the caller, who gives it back.
func (s *Store) take() (*conn, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errors.New("the library is closed")
	}
	if n := len(s.idle); n > 0 {
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return c, nil
	}
	s.mu.Unlock()
	return s.connect()
}

func (s *Store) give(c *conn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.idle) >= maxIdle {
		return c.Close()
	}
	s.idle = append(s.idle, c)
	return nil
}

// read calls fn inside one read transaction: fn sees what one commit left. When
// the context ends so does the statement that runs.
func (s *Store) read(ctx context.Context, fn func(*conn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := s.take()
	if err != nil {
		return err
	}
	if err := c.run("BEGIN", nil); err != nil {
		return errors.Join(s.explain(err), c.Close())
	}
	c.SetInterrupt(ctx.Done())
	err = s.explain(fn(c))
	c.SetInterrupt(nil)
	if end := ctx.Err(); err != nil && end != nil {
		err = end
	}
	if end := c.run("COMMIT", nil); end != nil {
		return errors.Join(err, s.explain(end), c.Close())
	}
	if end := s.give(c); end != nil {
		return errors.Join(err, end)
	}
	return err
}
