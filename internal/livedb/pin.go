package livedb

// Pin keeps the readers of this package from closing the last descriptor of a
// file while this process writes to it through SQLite, which would drop SQLite's
// locks. Call release when the file has been closed.
func Pin(path string) (release func() error, err error) {
	h, err := acquire(path)
	if err != nil {
		return nil, err
	}
	return h.release, nil
}
