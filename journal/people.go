package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold/git"
)

// ConfigEmail is the setting that names further addresses of the repository's user,
// one each: those of another machine, or of work.
const ConfigEmail = "retold.email"

// userEmails are the addresses of the repository's user: the one that git puts on
// commits, those that are configured, and those that .mailmap says are the same
// person's.
func userEmails(ctx context.Context, repo *git.Repo) (map[string]bool, error) {
	email, err := repo.UserEmail(ctx)
	if err != nil || email == "" {
		return nil, err
	}
	own := map[string]bool{strings.ToLower(email): true}
	more, err := repo.ConfigAll(ctx, ConfigEmail)
	if err != nil {
		return nil, err
	}
	for _, e := range more {
		own[strings.ToLower(e)] = true
	}
	data, err := os.ReadFile(filepath.Join(repo.Root, ".mailmap"))
	if errors.Is(err, fs.ErrNotExist) {
		return own, nil
	}
	if err != nil {
		return nil, err
	}
	groups := mailmap(string(data))
	for _, group := range groups {
		for _, e := range group {
			if own[e] {
				for _, same := range group {
					own[same] = true
				}
			}
		}
	}
	return own, nil
}

// mailmap reads which addresses are one person's: "Name <proper> Name <other>".
func mailmap(text string) (groups [][]string) {
	proper := map[string]int{}
	for l := range strings.Lines(text) {
		l, _, _ = strings.Cut(l, "#")
		var on []string
		for l != "" {
			_, rest, ok := strings.Cut(l, "<")
			if !ok {
				break
			}
			email, after, ok := strings.Cut(rest, ">")
			if !ok {
				break
			}
			on = append(on, strings.ToLower(strings.TrimSpace(email)))
			l = after
		}
		if len(on) == 0 {
			continue
		}
		if g, ok := proper[on[0]]; ok {
			groups[g] = append(groups[g], on[1:]...)
			continue
		}
		proper[on[0]] = len(groups)
		groups = append(groups, on)
	}
	return groups
}

// stranger reports whether somebody else than the repository's user wrote a
// commit.
func (q *inquiry) stranger(f *facts) bool {
	return len(q.emails) > 0 && f.Author.Email != "" && !q.emails[strings.ToLower(f.Author.Email)]
}
