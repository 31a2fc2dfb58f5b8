// Package journal finds the conversations that became a commit or a line of code,
// and keeps a journal of the work from what they say. It knows evidence, not
// opinion: what an edit wrote and a commit holds, what a conversation ran. It
// takes the conversations from a History and writes to a Notebook, both the
// library's.
//
// How a commit finds its conversations:
//
//	scope.go    which sessions were about the repository
//	work.go     what a session did: edits, turns, commits, as hashes of lines
//	ledger.go   which of those lines stand in the working file, and whose they are
//	match.go    which runs of lines are the same in an edit and a commit
//	story.go    the edits and the commits before, replayed in order
//	reckon.go   the evidence in that, turn by turn
//	score.go    what it weighs
//	boundary.go which part of a conversation led to the commit
//	follow.go   lines, through commits that only moved or reformatted them
package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// Options say where a journal reads and writes.
type Options struct {
	History  History  // the conversations; required
	Notebook Notebook // entries, and where repositories were; nil: nothing is kept
	Cache    Notebook // digests that can be made again; nil: every session is read anew

	Now func() time.Time // nil: time.Now

	Lock string // a file that is locked while entries are written; "": nobody else writes

	// Says asks what the agents' own records say of who wrote what; nil: they are
	// not asked.
	Says func(context.Context) ([]*retold.Authorship, error)
}

// A Journal explains commits and keeps entries. It is safe for concurrent use.
type Journal struct {
	history  History
	notebook Notebook
	cache    Notebook
	now      func() time.Time
	lock     string
	says     func(context.Context) ([]*retold.Authorship, error)

	clones *clones
	works  works

	mu     sync.Mutex
	former map[string]bool // roots that are noted already
}

// New returns a journal over a history.
func New(o Options) *Journal {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Journal{
		history: o.History, notebook: o.Notebook, cache: o.Cache, now: o.Now, lock: o.Lock, says: o.Says,
		clones: newClones(o.Cache), works: works{history: o.History, notes: o.Cache}, former: map[string]bool{},
	}
}

// Explain finds the conversations that became a commit. A commit that none did
// has an Attribution with ClassNone that says why.
func (j *Journal) Explain(ctx context.Context, repo *git.Repo, commit string) (*Attribution, error) {
	q, err := j.inquire(ctx, repo)
	if err != nil {
		return nil, err
	}
	id, err := repo.Resolve(ctx, commit)
	if err != nil {
		return nil, err
	}
	return q.attribution(ctx, id)
}

// ExplainAll explains commits by their full ids, in the order given. An error,
// at most one, ends it.
func (j *Journal) ExplainAll(ctx context.Context, repo *git.Repo, ids []string) iter.Seq2[*Attribution, error] {
	return func(yield func(*Attribution, error) bool) {
		q, err := j.inquire(ctx, repo)
		if err != nil {
			yield(nil, err)
			return
		}
		for c, err := range q.each(ctx, ids) {
			var a *Attribution
			if err == nil {
				a, err = q.attributed(ctx, c)
			}
			if !yield(a, err) || err != nil {
				return
			}
		}
	}
}

// attributed explains a commit that each has read.
func (q *inquiry) attributed(ctx context.Context, c *git.Commit) (*Attribution, error) {
	a, err := q.attribution(ctx, c.ID)
	delete(q.facts, c.ID)
	if err != nil {
		return nil, fmt.Errorf("explain commit %s: %w", c.ID, err)
	}
	return a, nil
}

// An inquiry is one question about a repository: its scope and the sessions in
// it are found once.
type inquiry struct {
	j        *Journal
	repo     *git.Repo
	scope    *scope
	sessions []*candidate
	emails   map[string]bool        // the addresses of the repository's user; none: nobody knows
	known    map[string]*remembered // commits that were explained
	facts    map[string]*facts      // of commits that are to be explained
	dates    map[string]int64       // when commits were made
	held     map[string]*facts      // commits without their texts
	holds    []string               // their ids, the one held for longest first
	next     *git.Commit            // that each has just read
	many     bool                   // each has more to read
	tooFar   int64                  // not all can be held from here on
	record   *record                // what the agents say; nil until somebody asks

	heldLines int
	madeOn    map[string]string // branches by commit; nil until somebody asks
}

// A candidate is a session that was about the repository.
type candidate struct {
	Kept
	SessionKey string
	setting    *setting
	weak       bool // see setting
	foreign    bool // its workspace is another, see outside

	once    sync.Once
	work    *work // nil when the session could not be read
	err     error
	located []location // of the edits of work
}

// A location is where an edit was in the repository.
type location struct {
	rel, from string
	place     int
	ok        bool
}

const kindRoot = "root"

func (j *Journal) inquire(ctx context.Context, repo *git.Repo) (*inquiry, error) {
	id, err := j.clones.identity(ctx, repo)
	if err != nil {
		return nil, err
	}
	former, err := j.formerRoots(ctx, repo, id)
	if err != nil {
		return nil, err
	}
	said, err := repo.ConfigAll(ctx, ConfigFormerly)
	if err != nil {
		return nil, err
	}
	former = append(former, said...)
	q := &inquiry{j: j, repo: repo, known: map[string]*remembered{}, facts: map[string]*facts{}, dates: map[string]int64{}, held: map[string]*facts{}}
	if q.scope, err = newScope(ctx, repo, former, j.clones); err != nil {
		return nil, err
	}
	if q.emails, err = userEmails(ctx, repo); err != nil {
		return nil, err
	}
	all, err := j.history.Sessions(ctx, time.Time{}, time.Time{})
	if err != nil {
		return nil, err
	}
	workspaces := map[string]string{}
	for i := range all {
		workspaces[all[i].ID] = all[i].WorkspacePath
	}
	for _, s := range all {
		workspace := s.WorkspacePath
		for parent, n := s.ParentID, 0; workspace == "" && n < 8; n++ {
			workspace = workspaces[parent]
		}
		c := &candidate{Kept: s, SessionKey: s.Key.Family + "/" + s.Key.ID}
		if c.setting = q.scope.setting(ctx, workspace); c.setting == nil {
			c.setting, c.foreign = q.scope.outside(workspace), true
		}
		if c.setting != nil {
			c.weak = c.setting.weak
			q.sessions = append(q.sessions, c)
		}
	}
	slices.SortFunc(q.sessions, func(a, b *candidate) int { return cmp.Compare(a.SessionKey, b.SessionKey) })
	return q, nil
}

// formerRoots are the folders that the repository is known to have been in. Its
// present one is noted for the day when it is moved.
func (j *Journal) formerRoots(ctx context.Context, repo *git.Repo, id identity) (list []string, err error) {
	if j.notebook == nil || len(id.Firsts) == 0 {
		return nil, nil
	}
	prefix := id.Firsts[0] + " "
	here := prefix + slashed(repo.Root)
	noted := false
	for note, err := range j.notebook.Notes(ctx, kindRoot, prefix, id.Firsts[0]+"!") {
		if err != nil {
			return nil, err
		}
		if note.Key == here {
			noted = true
		} else if root := note.Key[len(prefix):]; gitTop(root) == "" { // else it is a repository of its own by now
			list = append(list, root)
		}
	}
	j.mu.Lock()
	noted = noted || j.former[here]
	j.former[here] = true
	j.mu.Unlock()
	if noted {
		return list, nil
	}
	return list, j.notebook.PutNotes(ctx, retold.Note{Kind: kindRoot, Key: here})
}

// off reports whether a session begins too late for a commit, or, when its
// workspace is another, was not at work around then: a conversation may write in
// any folder by its path, but not every session of a library can be read for that.
func (c *candidate) off(f *facts) bool {
	return millis(c.CreatedAt) > f.committed+slack || c.foreign && millis(c.Touched()) < f.committed-day
}

// load reads what a session did and finds its edits in the repository.
func (q *inquiry) load(ctx context.Context, c *candidate) (*work, error) {
	c.once.Do(func() {
		if c.work, c.err = q.j.works.work(ctx, &c.Kept); c.err != nil {
			return
		}
		c.located = make([]location, len(c.work.edits))
		for i := range c.work.edits {
			e := &c.work.edits[i]
			at := &c.located[i]
			at.rel, at.place, at.ok = c.setting.inside(e.path, q.scope.fold)
			at.ok = at.ok && (at.rel != "" || e.kind.setback())
			if e.from != "" {
				at.from, _, _ = c.setting.within(e.from, q.scope.fold)
			}
		}
	})
	if c.err != nil && (ctx.Err() != nil || errors.Is(c.err, context.Canceled)) {
		return nil, c.err
	}
	return c.work, nil
}
