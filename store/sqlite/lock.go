package sqlite

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/retold-history/retold"
)

// An owner is written into the lock file for the message that others get. The
// lock itself is the operating system's: it ends with the process, so what a
// dead one wrote is no obstacle, and the file is never removed (a second process
// could hold a lock on the removed one).
type owner struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// lock takes the lock of the one writer, or fails at once with CodeLibraryBusy.
func lock(path string, now time.Time) (*flock.Flock, error) {
	name := path + ".lock"
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	got, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	if !got {
		return nil, errors.Join(busy(path), l.Close())
	}
	// Only the first byte is locked where locks are of bytes (Windows), so that
	// the rest can be read: the text begins behind it.
	text, err := json.Marshal(owner{PID: os.Getpid(), Started: now.UTC()})
	if err == nil {
		err = os.WriteFile(name, append(append([]byte{' '}, text...), '\n'), 0o600)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", name, err), l.Close())
	}
	return l, nil
}

// busy says who has the lock, as far as the file tells.
func busy(path string) error {
	who := errors.New("another retold is writing to the library")
	if o, ok := readOwner(path + ".lock"); ok {
		who = fmt.Errorf("another retold is writing to the library: process %d, since %s", o.PID, o.Started.Format(time.RFC3339))
	}
	return &retold.Error{Code: retold.CodeLibraryBusy, Op: "write library", Path: path, Hint: "wait until it is done, or end it", Err: who}
}

func readOwner(name string) (o owner, ok bool) {
	f, err := os.Open(name)
	if err != nil {
		return o, false
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.NewSectionReader(f, 1, 4096))
	if err != nil {
		return o, false
	}
	return o, json.Unmarshal(text, &o) == nil && o.PID != 0
}
