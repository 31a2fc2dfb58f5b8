package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/retold-history/retold/internal/atomicfile"
	"github.com/retold-history/retold/journal/hook/spool"
)

// What lies in a spool beside the queue.
const (
	failedFolder = "failed"
	reasonEnding = ".reason"
	triesFile    = "tries"
	lastFile     = "drained"
)

// A Queue is the state of a spool.
type Queue struct {
	Dir         string     `json:"dir"`
	Queued      int        `json:"queued"`
	Oldest      *time.Time `json:"oldest"` // of those queued
	Retrying    []Failed   `json:"retrying,omitempty"`
	Failed      []Failed   `json:"failed"`
	LastDrained *time.Time `json:"lastDrained"` // when the queue was last emptied
	Draining    bool       `json:"draining"`    // somebody is at it
	Log         string     `json:"log"`
	NotNoted    string     `json:"notNoted,omitempty"` // why a commit could not be noted, the last time that happened
}

// A Failed is an event that could not be dealt with.
type Failed struct {
	File     string `json:"file"`
	Commit   string `json:"commit,omitempty"` // "" when the file is damaged
	Worktree string `json:"worktree,omitempty"`
	Reason   string `json:"reason"`
	Tries    int    `json:"tries,omitempty"`
}

// LookAtQueue says what is in a spool. It changes nothing there; one that is not
// there is empty.
func LookAtQueue(dir string) (*Queue, error) {
	q := &Queue{Dir: dir, Failed: []Failed{}, Log: filepath.Join(dir, spool.LogFile)}
	names, err := queued(dir)
	if err != nil {
		return nil, err
	}
	q.Queued = len(names)
	tries := readTries(dir)
	for i, name := range names {
		e, err := readEvent(dir, name)
		if i == 0 && err == nil {
			q.Oldest = &e.Time
		}
		if t, ok := tries[name]; ok && t.Reason != "" {
			q.Retrying = append(q.Retrying, Failed{File: filepath.Join(dir, name), Commit: e.Commit, Worktree: e.Worktree, Reason: t.Reason, Tries: t.Count})
		}
	}
	aside := filepath.Join(dir, failedFolder)
	if names, err = queued(aside); err != nil {
		return nil, err
	}
	for _, name := range names {
		f := Failed{File: filepath.Join(aside, name), Reason: "not recorded"}
		if e, err := readEvent(aside, name); err == nil {
			f.Commit, f.Worktree = e.Commit, e.Worktree
		}
		if text, err := os.ReadFile(f.File + reasonEnding); err == nil {
			f.Reason = strings.TrimSpace(string(text))
		}
		q.Failed = append(q.Failed, f)
	}
	if text, err := os.ReadFile(filepath.Join(dir, lastFile)); err == nil {
		if t, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(string(text))); err == nil {
			q.LastDrained = &t
		}
	}
	q.Draining = taken(filepath.Join(dir, spool.LockFile))
	q.NotNoted = spool.LastComplaint(dir)
	return q, nil
}

// taken reports whether somebody holds the lock of a spool.
func taken(path string) bool {
	if !exists(path) {
		return false
	}
	l := flock.New(path, flock.SetFlag(os.O_RDWR))
	got, err := l.TryRLock()
	return errors.Join(err, l.Close()) == nil && !got
}

// queued are the names of the events in a folder, oldest first.
func queued(dir string) (names []string, err error) {
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	for _, e := range all { // in order of their names, which begin with the time
		if !e.IsDir() && strings.HasSuffix(e.Name(), spool.Ending) && !spool.Unnamed(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func readEvent(dir, name string) (Event, error) {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return Event{}, err
	}
	e, err := spool.Parse(data)
	e.File = name
	return e, err
}

// Requeue puts what was set aside back into the queue, to be tried anew, and
// returns how many that were.
func Requeue(dir string) (n int, err error) {
	aside := filepath.Join(dir, failedFolder)
	names, err := queued(aside)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		if err = os.Rename(filepath.Join(aside, name), filepath.Join(dir, name)); err != nil {
			return n, fmt.Errorf("put back into the queue: %w", err)
		}
		n++
		if err = os.Remove(filepath.Join(aside, name+reasonEnding)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
	}
	return n, nil
}

// A try is what is remembered of an event that was tried.
type try struct {
	Count  int       `json:"count"`
	Next   time.Time `json:"next"`   // not before
	Reason string    `json:"reason"` // what went wrong last; "" while it is tried
}

// readTries reads what is remembered. A file that is damaged remembers nothing:
// events are tried anew.
func readTries(dir string) map[string]try {
	all := map[string]try{}
	data, err := os.ReadFile(filepath.Join(dir, triesFile))
	if err != nil || json.Unmarshal(data, &all) != nil || all == nil {
		return map[string]try{}
	}
	return all
}

func writeTries(dir string, all map[string]try) error {
	path := filepath.Join(dir, triesFile)
	if len(all) == 0 {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return atomicfile.Replace(path, data, 0o600)
}
