// Package hook ties the journal to git: it puts retold into a repository's hooks
// and takes it out again, and empties the queue that the hooks fill.
//
// block.go and script.go know, without touching a file, what is written into
// whose hook and where; manager.go knows the programs that write hooks
// themselves; install.go plans and carries out; status.go looks. The half that a
// commit waits for is package spool. drain.go is the other half, which runs on its
// own after the commit, and again until every event is dealt with or set aside.
package hook

import (
	"context"

	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/journal/hook/spool"
)

// An Event is what git did, as its hook noted it.
type Event = spool.Event

// A Rewrite is one commit that became another.
type Rewrite = spool.Rewrite

// Enqueue adds an event to the queue in dir. It wakes nobody.
func Enqueue(ctx context.Context, dir string, e Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := spool.Put(dir, e)
	return err
}

// A State says what is, was done, or would be done with one hook.
type State string

// The states.
const (
	Installed State = "installed" // the block was put in
	Updated   State = "updated"   // another block of retold's was replaced
	Unchanged State = "unchanged" // it is there as it should be
	ByHand    State = "by-hand"   // nothing was done: Reason says why, Line what to add
	Removed   State = "removed"   // the block was taken out
	Absent    State = "absent"    // there is none
	Outdated  State = "outdated"  // there is one, of another retold
	Idle      State = "idle"      // there is one that git does not run
)

// A Hook is one hook of a repository.
type Hook struct {
	Event   string `json:"event"` // post-commit, …
	Path    string `json:"path"`
	State   State  `json:"state"`
	Chained bool   `json:"chained"`          // there is more in it than retold's block
	First   bool   `json:"first"`            // the block runs before that
	Reason  string `json:"reason,omitempty"` // why it comes first, or why nothing was done
	Line    string `json:"line,omitempty"`   // what to add by hand
	AddTo   string `json:"addTo,omitempty"`  // and to which file, where that is not Path
	Binary  string `json:"binary,omitempty"` // that the block starts
	Missing bool   `json:"missing"`          // the binary is not there any more

	before, after *string // what the file holds; nil for no file
	target        string  // the file that is written: Path, or what it leads to
	folder        bool    // the folder is made before, or removed after it
}

// Hooks are those of a repository.
type Hooks struct {
	Repo    string   `json:"repo"`     // top of its working tree
	Dir     string   `json:"hooksDir"` // where git looks for hooks
	Shared  bool     `json:"shared"`   // that is not in the repository: other repositories may use it
	Manager Manager  `json:"manager"`  // what writes the hooks, "" for nothing known
	Hooks   []Hook   `json:"hooks"`
	Notes   []string `json:"notes,omitempty"` // what a person should know

	common string
}

// survey finds where the hooks are of the repository that a folder lies in, and who
// writes them.
func survey(ctx context.Context, in string) (*Hooks, error) {
	r, err := git.Open(ctx, in)
	if err != nil {
		return nil, err
	}
	dir, err := hooksFolder(ctx, r)
	if err != nil {
		return nil, err
	}
	h := &Hooks{Repo: r.Root, Dir: dir, Manager: managerOf(r), common: r.CommonDir}
	h.Shared = !within(dir, r.Root) && !within(dir, r.CommonDir)
	return h, nil
}
