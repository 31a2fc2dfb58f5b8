package livedb

import (
	"time"

	"zombiezen.com/go/sqlite"
)

// Serve makes every DB of path that is opened until stop is called read what SQLite
// opens under uri, such as a file inside a backup. At path has to lie a file of
// that size, which stands in for it and is only looked at; neither may change
// meanwhile.
func Serve(path, uri string) (stop func() error, err error) {
	h, err := acquire(path)
	if err != nil {
		return nil, err
	}
	h.serve(uri)
	return func() error {
		h.serve("")
		return h.release()
	}, nil
}

func (h *hold) serve(uri string) {
	holdsMu.Lock()
	defer holdsMu.Unlock()
	h.uri = uri
}

// openServed returns nothing at all where the file itself is to be read.
func (db *DB) openServed() (*sqlite.Conn, error) {
	holdsMu.Lock()
	uri := db.hold.uri
	holdsMu.Unlock()
	if uri == "" {
		return nil, nil
	}
	conn, err := sqlite.OpenConn(uri, sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(5 * time.Second)
	return conn, nil
}
