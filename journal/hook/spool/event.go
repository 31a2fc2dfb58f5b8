// Package spool is the short half of the journal's hook, the one that a commit
// waits for: it notes what git has just done in a small file and wakes the long
// half, which reads it (package hook).
//
// A commit must not feel it, so it has a hundredth of a second, starting the
// process included. It therefore reads .git by itself where that is simple and
// asks git where it is not, and this package imports nothing but a few packages of
// the standard library: see package early for why.
package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Version is of the format of events; a reader refuses those of later versions.
const Version = 1

// The events of git that are noted, called as git calls its hooks.
const (
	PostCommit  = "post-commit"
	PostRewrite = "post-rewrite"
	PostMerge   = "post-merge"
)

// Kinds are the events that are noted.
var Kinds = []string{PostCommit, PostRewrite, PostMerge}

// An Event is what git did: one file in the queue.
type Event struct {
	Version int    `json:"version"`
	Kind    string `json:"event"` // PostCommit, …

	Commit  string   `json:"commit"` // full id of what HEAD was after it
	Tree    string   `json:"tree"`
	Parents []string `json:"parents"`
	Branch  string   `json:"branch,omitempty"` // that HEAD was on; "" when detached

	Repo     string `json:"repo"`     // git's folder that all working trees share
	Worktree string `json:"worktree"` // top of the working tree; "" for a bare repository
	GitDir   string `json:"gitDir"`   // git's folder of this working tree

	Time      time.Time `json:"time"`                // when it was noted, UTC
	Command   string    `json:"command,omitempty"`   // what rewrote: amend, rebase
	Rewritten []Rewrite `json:"rewritten,omitempty"` // of PostRewrite

	Bytes map[string][]byte `json:"bytes,omitempty"` // in a file only: those of the folders above that are no UTF-8

	File string `json:"-"` // its name in the queue, once it has one
}

// folders are those an event names, by their names in the file.
func (e *Event) folders() map[string]*string {
	return map[string]*string{"repo": &e.Repo, "worktree": &e.Worktree, "gitDir": &e.GitDir}
}

// A Rewrite is one commit that became another. Several may become one (squash).
type Rewrite struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// Names of what lies in a spool beside the queue's own files.
const (
	LockFile = "lock"      // held by the process that empties the queue
	LogFile  = "spool.log" // what went wrong, and what was done
	Ending   = ".json"     // of a file in the queue
	tempHead = ".new-"     // a file that does not have its name yet
)

// Put adds an event to the queue in dir, which is made when it is missing. The
// file takes its name when it is whole. It is not flushed to the disk: a commit
// need not wait for that, and what a power cut takes a backfill brings back.
func Put(dir string, e Event) (name string, err error) {
	e.Version = Version
	if e.Parents == nil {
		e.Parents = []string{}
	}
	for name, folder := range e.folders() {
		if utf8.ValidString(*folder) {
			continue
		}
		if e.Bytes == nil {
			e.Bytes = map[string][]byte{}
		}
		e.Bytes[name] = []byte(*folder)
	}
	data, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("note commit %s: %w", e.Commit, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the spool: %w", err)
	}
	name = e.Time.UTC().Format("20060102T150405.000000000Z") + "-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(uint64(rand.Uint32()), 36) + Ending //nolint:gosec // only to tell files apart
	temp := filepath.Join(dir, tempHead+name)
	err = os.WriteFile(temp, append(data, '\n'), 0o600)
	if err == nil {
		err = os.Rename(temp, filepath.Join(dir, name))
	}
	if err != nil {
		if gone := os.Remove(temp); gone != nil && !errors.Is(gone, os.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return "", fmt.Errorf("note commit %s: %w", e.Commit, err)
	}
	return name, nil
}

// Unnamed reports whether a file in a spool is one that Put has not named: it is
// being written, or whoever wrote it was ended.
func Unnamed(name string) bool { return strings.HasPrefix(name, tempHead) }

// Parse reads an event. What is missing or of a later version is an error that
// says so.
func Parse(data []byte) (Event, error) {
	var e Event
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("not an event: %w", err)
	}
	for name, folder := range e.folders() {
		if exact, ok := e.Bytes[name]; ok {
			*folder = string(exact)
		}
	}
	e.Bytes = nil
	switch {
	case e.Version < 1:
		return e, errors.New("not an event: it has no version")
	case e.Version > Version:
		return e, fmt.Errorf("an event of version %d; this retold knows up to %d", e.Version, Version)
	case !isID(e.Commit):
		return e, fmt.Errorf("not an event: %q is no commit", e.Commit)
	case e.Worktree == "" && e.GitDir == "":
		return e, errors.New("not an event: it names no repository")
	}
	for _, r := range e.Rewritten {
		if !isID(r.Old) || !isID(r.New) {
			return e, fmt.Errorf("not an event: %q to %q is no rewriting", r.Old, r.New)
		}
	}
	return e, nil
}

// isID reports whether s is a full object id, SHA-1 or SHA-256.
func isID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
