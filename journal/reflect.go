package journal

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/redact"
)

// Kinds of notes.
const (
	noteEntry      = "entry"      // RepoID/commit → Entry
	noteDay        = "day"        // committed, UTC/RepoID/commit → nothing
	noteReflection = "reflection" // RepoID/time/id → Reflection
	noteAlias      = "alias"      // RepoID/commit that was rewritten → the one it became
	noteHeld       = "held"       // RepoID/id of a reflection → the commit whose entry holds it
	noteTwin       = "twin"       // RepoID/when authored/by whom/commit → nothing
	noteRepo       = "repo"       // RepoID by a first commit that was rewritten → that of before
)

// keyTime is how times stand in keys: in order, to the millisecond.
const keyTime = "2006-01-02T15:04:05.000Z"

// longestReflection is how many bytes a reflection may have.
const longestReflection = 64 << 10

// Reflect writes a thought down, as it is but for secrets: with the next commit of the repository
// it becomes part of an entry. Kind is "reflection", or "context" for what an agent
// wants remembered. An empty text, or one over 64 KB, is a *retold.Error with
// CodeUsage.
func (j *Journal) Reflect(ctx context.Context, repo *git.Repo, kind, by, text string) (*Reflection, error) {
	usage := func(why string) error {
		return &retold.Error{Code: retold.CodeUsage, Op: "reflect", Hint: "retold journal reflect \"what you want to remember\"", Err: errors.New(why)}
	}
	switch {
	case strings.TrimSpace(text) == "":
		return nil, usage("there is nothing to write down")
	case len(text) > longestReflection:
		return nil, usage(fmt.Sprintf("%d bytes are more than the %d that a reflection may have", len(text), longestReflection))
	}
	id, err := j.RepoID(ctx, repo)
	if err != nil {
		return nil, err
	}
	r := &Reflection{Text: text, Kind: cmp.Or(kind, "reflection"), By: by, At: j.now().UTC().Truncate(time.Millisecond)}
	sum := sha256.Sum256([]byte(r.Kind + "\x00" + r.At.Format(keyTime) + "\x00" + text))
	r.ID = hex.EncodeToString(sum[:6])
	r.mask()
	value, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	note := retold.Note{Kind: noteReflection, Key: id + "/" + r.At.Format(keyTime) + "/" + r.ID, Value: value}
	if err := j.locked(ctx, func() error { return j.notebook.PutNotes(ctx, note) }); err != nil {
		return nil, err
	}
	return r, nil
}

// mask hides secrets: what nobody may be shown is not kept either.
func (r *Reflection) mask() { r.Text, r.By = redact.Text(r.Text), redact.Text(r.By) }

// reflectionsFor are those written between a commit's first parent and it that
// are in no other entry. Times are those of authors: a rebase keeps them.
func (j *Journal) reflectionsFor(ctx context.Context, k knowing, c *git.Commit) ([]Reflection, error) {
	// Commit times are whole seconds: what was written in the same second belongs to it.
	to := c.Author.Time.UTC().Add(time.Second).Format(keyTime)
	list, err := j.Reflections(ctx, k.id, "", to)
	if err != nil {
		return nil, err
	}
	from := time.Time{}
	switch {
	case len(c.Parents) == 0: // what was written before there was a commit
		known, err := j.clones.identity(ctx, k.repo)
		if err != nil {
			return nil, err
		}
		early, err := j.Reflections(ctx, unbornID(k.repo, known.Remotes), "", to)
		if err != nil {
			return nil, err
		}
		list = joined(list, early)
	case len(list) > 0:
		if from, err = authored(ctx, k.repo, c.Parents[0]); err != nil {
			return nil, err
		}
	}
	mine := []Reflection{}
	for _, r := range list {
		if !from.IsZero() && !r.At.After(from.Add(time.Second)) {
			continue
		}
		free, err := j.free(ctx, k.id, &r, c.ID)
		if err != nil {
			return nil, err
		}
		if free {
			mine = append(mine, r)
		}
	}
	return mine, nil
}

// authored is when a commit was written; the zero time behind the end of a shallow
// clone: then everything before counts.
func authored(ctx context.Context, repo *git.Repo, id string) (at time.Time, err error) {
	for c, err := range repo.Commits(ctx, git.Ask{Revs: []string{id}, Exact: true, NoPatch: true}) {
		if err != nil {
			return at, ctx.Err()
		}
		at = c.Author.Time
	}
	return at, nil
}

// free reports whether no entry but that of a commit holds a reflection.
func (j *Journal) free(ctx context.Context, repoID string, r *Reflection, commit string) (bool, error) {
	note, err := j.note(ctx, noteHeld, repoID+"/"+r.ID)
	if errors.Is(err, retold.ErrNoNote) {
		return true, nil
	}
	if err != nil || string(note.Value) == commit {
		return err == nil, err
	}
	holder, err := j.Entry(ctx, repoID, string(note.Value))
	if errors.Is(err, retold.ErrNoNote) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return holder.Commit.ID == commit, nil
}

// joined are two lists of reflections as one, by time, each once.
func joined(a, b []Reflection) []Reflection {
	list := slices.Concat(a, b)
	slices.SortFunc(list, func(a, b Reflection) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	list = slices.CompactFunc(list, func(a, b Reflection) bool { return a.ID == b.ID })
	if list == nil {
		list = []Reflection{}
	}
	return list
}

// Reflections returns what was written down for a repository between two keys of
// time, in order, with secrets masked.
func (j *Journal) Reflections(ctx context.Context, repoID, from, to string) ([]Reflection, error) {
	list := []Reflection{}
	if j.notebook == nil {
		return list, nil
	}
	for note, err := range j.notebook.Notes(ctx, noteReflection, repoID+"/"+from, repoID+"/"+cmp.Or(to, "~")) {
		if err != nil {
			return nil, err
		}
		var r Reflection
		if err := json.Unmarshal(note.Value, &r); err != nil {
			return nil, fmt.Errorf("reflection %s: %w", note.Key, err)
		}
		r.mask()
		list = append(list, r)
	}
	return list, nil
}
