package git

import (
	"context"
	"fmt"
	"strings"
)

// Note returns the note that a commit has under refs/notes/name; ErrNotFound
// when it has none.
func (r *Repo) Note(ctx context.Context, name, id string) (string, error) {
	if err := option(id); err != nil {
		return "", err
	}
	out, err := r.run(ctx, nil, "notes", "--ref="+name, "show", id)
	if err != nil && ctx.Err() == nil && status(err) > 0 {
		return "", fmt.Errorf("note of %s: %w", id, ErrNotFound)
	}
	return string(out), err
}

// SetNote writes the note of a commit over the one that was there. Notes are
// commits of their own: history stays as it is.
func (r *Repo) SetNote(ctx context.Context, name, id, text string) error {
	if err := option(id); err != nil {
		return err
	}
	_, err := r.runWith(ctx, noHooks, strings.NewReader(text), "notes", "--ref="+name, "add", "--force", "--file=-", id)
	return err
}

// DropNote removes the note of a commit; one that is not there is no error.
func (r *Repo) DropNote(ctx context.Context, name, id string) error {
	if err := option(id); err != nil {
		return err
	}
	_, err := r.runWith(ctx, noHooks, nil, "notes", "--ref="+name, "remove", "--ignore-missing", id)
	return err
}
