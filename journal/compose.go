package journal

import (
	"context"
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
	k, err := j.know(ctx, repo)
	if err != nil {
		return nil, err
	}
	return j.compose(ctx, k, c, a)
}

// knowing is what the entries of a repository have in common, found out once.
type knowing struct {
	repo *git.Repo
	id   string
	made map[string]string // the branches that commits were made on
}

func (j *Journal) know(ctx context.Context, repo *git.Repo) (k knowing, err error) {
	k.repo = repo
	if k.id, err = j.RepoID(ctx, repo); err != nil {
		return k, err
	}
	k.made, err = repo.MadeOn()
	return k, err
}

func (j *Journal) compose(ctx context.Context, k knowing, c *git.Commit, a *Attribution) (*Entry, error) {
	e := &Entry{
		Version: EntryVersion, Repo: EntryRepo{ID: k.id, Name: redact.Text(repoName(k.repo))}, Commit: commitOf(c, k.made[c.ID]),
		Class: a.Class, Reason: redact.Text(a.Reason), Confidence: confidenceOf(c, a),
	}
	e.Commit.SameAs = a.SameAs
	w := newWriting(e, k.repo.Root, c, a)
	if a.Class == ClassLinked {
		for _, span := range a.Spans {
			if err := j.hear(ctx, w, span); err != nil {
				return nil, err
			}
		}
	}
	w.finish()
	var err error
	e.Reflections, err = j.reflectionsFor(ctx, k, c)
	return e, err
}

// repoName is what a person calls the repository: its folder, that of the first
// working tree.
func repoName(repo *git.Repo) string {
	return strings.TrimSuffix(filepath.Base(mainRoot(repo)), ".git")
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
		w.left.edit(Cite{SessionID: span.SessionID, MessageID: m.ID, MessageIndex: m.Index}, &m, w.relative) // as it stands: git holds no masks
		redact.Message(&m)
		w.take(&m)
	}
	return nil
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
