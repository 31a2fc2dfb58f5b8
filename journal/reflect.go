package journal

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// Kinds of notes.
const (
	noteEntry      = "entry"      // RepoID/commit → Entry
	noteDay        = "day"        // committed, UTC/RepoID/commit → nothing
	noteReflection = "reflection" // RepoID/time/id → Reflection
	noteAlias      = "alias"      // RepoID/commit that was rewritten → the one it became
)

// keyTime is how times stand in keys: in order, to the millisecond.
const keyTime = "2006-01-02T15:04:05.000Z"

// longestReflection is how many bytes a reflection may have.
const longestReflection = 64 << 10

// Reflect writes a thought down, as it is: with the next commit of the repository
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
	id, err := RepoID(ctx, repo)
	if err != nil {
		return nil, err
	}
	r := &Reflection{Text: text, Kind: cmp.Or(kind, "reflection"), By: by, At: j.now().UTC().Truncate(time.Millisecond)}
	sum := sha256.Sum256([]byte(r.Kind + "\x00" + r.At.Format(keyTime) + "\x00" + text))
	r.ID = hex.EncodeToString(sum[:6])
	value, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return r, j.notebook.PutNotes(ctx, retold.Note{Kind: noteReflection, Key: id + "/" + r.At.Format(keyTime) + "/" + r.ID, Value: value})
}

// reflectionsFor are those written between a commit's first parent and it.
func (j *Journal) reflectionsFor(ctx context.Context, repo *git.Repo, id string, c *git.Commit) ([]Reflection, error) {
	from := ""
	if len(c.Parents) > 0 {
		for parent, err := range repo.Commits(ctx, git.Ask{Revs: c.Parents[:1], Exact: true, NoPatch: true}) {
			if err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				break // a shallow clone ends here: then everything before counts
			}
			from = parent.Committer.Time.UTC().Format(keyTime)
		}
	}
	// Commit times are whole seconds: what was written in the same second belongs to it.
	to := c.Committer.Time.UTC().Add(time.Second).Format(keyTime)
	if from != "" {
		from = laterSecond(from)
	}
	return j.Reflections(ctx, id, from, to)
}

// laterSecond is the key one second after another.
func laterSecond(key string) string {
	t, err := time.Parse(keyTime, key)
	if err != nil {
		return key
	}
	return t.Add(time.Second).Format(keyTime)
}

// Reflections returns what was written down for a repository between two keys of
// time, in order.
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
		list = append(list, r)
	}
	return list, nil
}
