package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/redact"
)

// Compose makes the entry of a commit from what git and the library hold; it
// writes nothing down. Errors are those of Explain.
func (j *Journal) Compose(ctx context.Context, repo *git.Repo, commit string) (*Entry, error) {
	c, err := repo.Commit(ctx, commit)
	if err != nil {
		return nil, err
	}
	a, err := j.Explain(ctx, repo, c.ID)
	if err != nil {
		return nil, err
	}
	return j.compose(ctx, repo, c, a)
}

func (j *Journal) compose(ctx context.Context, repo *git.Repo, c *git.Commit, a *Attribution) (*Entry, error) {
	id, err := RepoID(ctx, repo)
	if err != nil {
		return nil, err
	}
	made, err := repo.MadeOn()
	if err != nil {
		return nil, err
	}
	e := &Entry{
		Version: EntryVersion, Repo: EntryRepo{ID: id, Name: filepath.Base(repo.Root)}, Commit: commitOf(c, made[c.ID]),
		Class: a.Class, Reason: a.Reason, Confidence: confidenceOf(c, a),
	}
	e.Commit.SameAs = a.SameAs
	e.Commit.Subject, e.Commit.Body = redact.Text(e.Commit.Subject), redact.Text(e.Commit.Body)
	w := newWriting(e, repo.Root, c, a)
	if a.Class == ClassLinked {
		for _, span := range a.Spans {
			if err := j.hear(ctx, w, span); err != nil {
				return nil, err
			}
		}
	}
	w.finish()
	e.Reflections, err = j.reflectionsFor(ctx, repo, id, c)
	return e, err
}

// hear has a writing take the messages of a span.
func (j *Journal) hear(ctx context.Context, w *writing, span Span) error {
	w.begin(span)
	for m, err := range j.history.Messages(ctx, span.Key, span.From) {
		if errors.Is(err, retold.ErrSessionNotFound) { // forgotten since
			return nil
		}
		if err != nil {
			return fmt.Errorf("read session %s: %w", span.SessionID, err)
		}
		if m.Index > span.To {
			break
		}
		if m.Orphan {
			continue
		}
		redact.Message(&m)
		w.take(&m)
	}
	return nil
}

// RepoID is what stays the same when a repository is cloned, moved or renamed: the
// first of its first commits, else what its first remote is called, else where
// it lies.
func RepoID(ctx context.Context, repo *git.Repo) (string, error) {
	roots, remotes, err := repo.Identity(ctx)
	switch {
	case err != nil:
		return "", err
	case len(roots) > 0:
		return roots[len(roots)-1], nil
	}
	name := repo.CommonDir
	if len(remotes) > 0 {
		name = remotes[0]
	}
	sum := sha256.Sum256([]byte(name))
	return "x" + hex.EncodeToString(sum[:20]), nil
}

func confidenceOf(c *git.Commit, a *Attribution) Confidence {
	conf := Confidence{Class: a.Class, Considered: a.Considered, Unreadable: a.Unreadable, TimeSource: a.TimeSource}
	if len(a.Links) > 0 {
		conf.Score, conf.Uncertain = a.Links[0].Score, a.Links[0].Uncertain
	}
	for _, f := range c.Files {
		conf.Lines += f.Added
	}
	for _, f := range a.Files {
		for _, w := range f.Wrote {
			conf.Explained += w.To - w.From + 1
		}
	}
	return conf
}

// splitMessage cuts a commit's message into its first line and the rest.
func splitMessage(message string) (subject, body string) {
	subject, body, _ = strings.Cut(message, "\n")
	return subject, strings.TrimSpace(body)
}

// moment is a time for JSON: null when unknown.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
