package journal

import (
	"context"
	"errors"
	"strings"

	"github.com/retold-history/retold/git"
)

// How long before and after a git commit in a conversation its commit may be
// dated, in milliseconds: a person may have had to allow the command, and hooks
// run.
const (
	commandBefore = slack
	commandAfter  = 10 * 60 * 1000
)

// commands finds the turns that ran the git commit.
func (k *reckoning) commands(ctx context.Context) error {
	st := k.st
	for _, c := range st.q.sessions {
		if c.weak || c.off(st.f) {
			continue
		}
		w, err := st.q.load(ctx, c)
		if err != nil {
			return err
		}
		if w == nil {
			continue
		}
		for i := range w.commits {
			ran, err := st.made(ctx, c, &w.commits[i])
			if err != nil {
				return err
			}
			if ran {
				t := k.tally(turnKey{c, w.commits[i].turn})
				t.commits = append(t.commits, &w.commits[i])
			}
		}
	}
	return nil
}

// made reports whether a git commit made the commit: git printed its id, or the
// message and the time are its own, which a rebase keeps.
func (st *story) made(ctx context.Context, c *candidate, run *commitRun) (bool, error) {
	if run.printed != "" && strings.HasPrefix(st.f.ID, run.printed) {
		return true, nil
	}
	if !st.timely(c, run) || !sameMessage(run.gitCommit.message, st.f.Message) {
		return false, nil
	}
	if run.cwd == "" && c.foreign {
		return false, nil
	}
	if run.cwd != "" {
		if p := editPath(run.cwd, c.setting.base); p != "" && !strings.ContainsAny(p, "$`*") {
			in := false
			for _, r := range c.setting.roots {
				if _, ok := below(p, r.path, st.q.scope.fold); ok {
					in = true
				}
			}
			if !in {
				return false, nil
			}
		}
	}
	if run.printed == "" {
		return true, nil
	}
	id, err := st.q.repo.Resolve(ctx, run.printed)
	if err != nil {
		if errors.Is(err, git.ErrNotFound) {
			return true, nil // rewritten, and the first one is gone
		}
		return false, err
	}
	for first, err := range st.q.repo.Commits(ctx, git.Ask{Revs: []string{id}, Exact: true, NoPatch: true}) {
		if err != nil {
			return false, err
		}
		return first.Author.Time.Equal(st.f.Author.Time), nil
	}
	return false, nil
}

// timely reports whether a git commit ran when the commit was made, or first made.
func (st *story) timely(c *candidate, run *commitRun) bool {
	at := st.f.authored
	if run.amend {
		at = st.f.committed
	}
	if run.weak {
		return at >= millis(c.CreatedAt)-commandBefore && at <= max(millis(c.UpdatedAt), run.time)+commandAfter
	}
	return at >= run.time-commandBefore && at <= run.time+commandAfter
}

// sameMessage compares the message of a command with a commit's, to which hooks
// may have added lines at the end.
func sameMessage(said, is string) bool {
	said, is = evened(said), evened(is)
	return said != "" && (said == is || strings.HasPrefix(is, said+"\n"))
}

// evened takes out what git changes of a message: space at the ends of lines,
// blank lines, comments.
func evened(s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		if l = strings.TrimSpace(l); l != "" {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(l)
		}
	}
	return b.String()
}

func commandDetail(c *commitRun) string {
	if c.printed != "" && c.message == "" {
		return "ran the git command that made " + c.printed
	}
	if c.printed != "" {
		return "ran the git commit that made " + c.printed
	}
	return "ran git commit with this message"
}
