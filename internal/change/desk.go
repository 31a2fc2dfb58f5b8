package change

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/retold-history/retold"
)

// A Desk is where changes are carried out, recorded and undone. The zero value
// needs a Home.
type Desk struct {
	// Home is retold's own folder; records lie in its folder "undo".
	Home string

	// Guard says whether the program that the files belong to is running; nil asks
	// the system (see [System]).
	Guard Guard

	// Hook is called before every write with what is about to be written, for
	// tests: it may end the process, or return an error in the place of the write.
	Hook func(point string) error

	// Now is the clock; nil for the system's.
	Now func() time.Time

	reckless bool // tests want to see a disk fill up in the middle
}

// A Guard knows whether somebody is using files.
type Guard interface {
	// Check returns an error with CodeCursorRunning when a running program may write
	// to one of the files, or hold what they say in its memory.
	Check(ctx context.Context, files []string) error
}

func (d *Desk) root() string { return filepath.Join(d.Home, "undo") }

func (d *Desk) now() time.Time {
	if d.Now != nil {
		return d.Now()
	}
	return time.Now()
}

// at is called before every write.
func (d *Desk) at(point string) error {
	if d.Hook != nil {
		return d.Hook(point)
	}
	return nil
}

func (d *Desk) guard() Guard {
	if d.Guard != nil {
		return d.Guard
	}
	return System{}
}

// DraftDir is the folder for plans in the making: retold's own, because they
// hold what was said.
func (d *Desk) DraftDir() (string, error) {
	if err := os.MkdirAll(d.root(), 0o700); err != nil {
		return "", fmt.Errorf("make the folder for changes: %w", err)
	}
	return d.root(), nil
}

// lock keeps other retolds from changing anything at the same time.
func (d *Desk) lock() (unlock func() error, err error) {
	if _, err := d.DraftDir(); err != nil {
		return nil, err
	}
	name := filepath.Join(d.root(), ".lock")
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	got, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	if !got {
		busy := &retold.Error{
			Code: retold.CodeLibraryBusy, Op: "change", Path: d.root(), Hint: "wait until it is done, or end it",
			Err: errors.New("another retold is changing files"),
		}
		return nil, errors.Join(busy, l.Close())
	}
	return l.Close, nil
}

// abandoned is the age from which a plan in the making is no longer anybody's.
const abandoned = 24 * time.Hour

// sweepDrafts removes what killed processes left in retold's own folder: records
// in the making, which only the holder of the lock makes, and old plans.
func (d *Desk) sweepDrafts() error {
	entries, err := os.ReadDir(d.root())
	if err != nil {
		return fmt.Errorf("list changes: %w", err)
	}
	for _, e := range entries {
		old := false
		if info, err := e.Info(); err == nil {
			old = d.now().Sub(info.ModTime()) > abandoned
		}
		if strings.HasPrefix(e.Name(), ".making-") || strings.HasPrefix(e.Name(), ".retold-plan-") && old {
			err = errors.Join(err, os.RemoveAll(filepath.Join(d.root(), e.Name())))
		}
	}
	return err
}
