package journal

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

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
			if ran.how != notMade {
				t := k.tally(turnKey{c, w.commits[i].turn})
				t.commits = append(t.commits, ran)
			}
		}
	}
	return nil
}

// A madeHow says by what a commit is known as one that a conversation made.
type madeHow byte

const (
	notMade   madeHow = iota
	madeTried         // by its message and time, if the command succeeded
	madeSame          // by its message and time
	madeFirst         // git printed the id of the commit that this one was rewritten from
	madeThis          // git printed its id
)

// A ranCommit is a git commit that made the commit that is explained.
type ranCommit struct {
	run *commitRun
	how madeHow
}

// surest is the best of some; nil of none.
func surest(list []ranCommit) (best *ranCommit) {
	for i := range list {
		if best == nil || list[i].how > best.how {
			best = &list[i]
		}
	}
	return best
}

func (c *ranCommit) weight() float64 {
	if c.how == madeTried {
		return weighTried
	}
	return weighCommand
}

func (c *ranCommit) detail() string {
	what := "git commit"
	if c.run.repeats {
		what = "git command"
	}
	switch {
	case c.how == madeThis:
		return "ran the " + what + " that made " + c.run.printed
	case c.how == madeFirst:
		return "ran the " + what + " that made " + c.run.printed + ", which was rewritten into this one"
	case c.how == madeTried:
		return "ran git commit with this message; whether that succeeded is not kept"
	case c.run.repeats:
		return "ran the git command that gives this message, at that time"
	}
	return "ran git commit with this message, at that time"
}

// made finds out whether a git commit made the commit: git printed its id, or that
// of one that was amended or rebased into it, or printed nothing, and the message,
// the time and the folder are its own. An id that is another's speaks against it.
func (st *story) made(ctx context.Context, c *candidate, run *commitRun) (ranCommit, error) {
	ran := ranCommit{run: run}
	switch {
	case run.printed != "" && strings.HasPrefix(st.f.ID, run.printed):
		ran.how = madeThis
		return ran, nil
	case run.printed != "":
		first, err := st.rewritten(ctx, run)
		if first {
			ran.how = madeFirst
		}
		return ran, err
	case !st.timely(c, run) || !run.says(st.f.Message) || !st.here(c, run):
		return ran, nil
	}
	spent, err := st.spent(ctx, c, run)
	switch {
	case err != nil || spent:
	case run.unsure:
		ran.how = madeTried
	default:
		ran.how = madeSame
	}
	return ran, err
}

// rewritten reports whether the commit is what became of the one that a command
// made: an amend and a rebase keep the author and his time. An amend keeps the
// parents, too, a rebase the message.
func (st *story) rewritten(ctx context.Context, run *commitRun) (bool, error) {
	id, err := st.q.repo.Resolve(ctx, run.printed)
	if err != nil {
		if errors.Is(err, git.ErrNotFound) {
			return st.alias(ctx, run.printed)
		}
		return false, err
	}
	for first, err := range st.q.repo.Commits(ctx, git.Ask{Revs: []string{id}, Exact: true, NoPatch: true}) {
		if err != nil {
			return false, err
		}
		return first.Author.Time.Equal(st.f.Author.Time) && first.Author.Email == st.f.Author.Email &&
			(slices.Equal(first.Parents, st.f.Parents) || sameMessage(first.Message, st.f.Message) || run.says(st.f.Message)), nil
	}
	return false, nil
}

// alias reports whether the journal noted that a commit became this one; git may
// have cleared it away since.
func (st *story) alias(ctx context.Context, printed string) (bool, error) {
	if st.q.j.notebook == nil {
		return false, nil
	}
	repo, err := st.q.j.RepoID(ctx, st.q.repo)
	if err != nil {
		return false, err
	}
	key := repo + "/" + printed
	for note, err := range st.q.j.notebook.Notes(ctx, noteAlias, key, key+"~") {
		if err != nil {
			return false, err
		}
		if string(note.Value) == st.f.ID {
			return true, nil
		}
	}
	return false, nil
}

// here reports whether a git commit ran in the repository, as far as is known.
func (st *story) here(c *candidate, run *commitRun) bool {
	if run.cwd == "" {
		return !c.foreign
	}
	if strings.ContainsAny(run.cwd, "$`*") {
		return false // it can be any
	}
	p := editPath(run.cwd, c.setting.base)
	if p == "" {
		return true
	}
	top := gitTop(p) // a repository within the repository is another
	in, nested := false, false
	for _, r := range c.setting.roots {
		if _, ok := below(p, r.path, st.q.scope.fold); ok {
			in = true
			rest, inner := below(slashed(top), r.path, st.q.scope.fold)
			if inner && rest == "" {
				return true
			}
			nested = nested || inner && top != ""
		}
	}
	return in && !nested
}

// spent reports whether a git commit explains another commit better, which has
// the same message and is nearer in time. It made no more than one.
func (st *story) spent(ctx context.Context, c *candidate, run *commitRun) (bool, error) {
	since := run.time
	if run.weak {
		since = min(since, millis(c.CreatedAt))
	}
	revs := []string{st.f.ID}
	head, err := st.q.repo.Resolve(ctx, "HEAD")
	if err == nil {
		revs = append(revs, head)
	} else if !errors.Is(err, git.ErrNotFound) {
		return false, err
	}
	mine := run.distance(&st.f.Author, &st.f.Committer)
	for other, err := range st.q.repo.Commits(ctx, git.Ask{Revs: revs, Since: time.UnixMilli(since - commandBefore), NoPatch: true}) {
		if err != nil {
			return false, err
		}
		if other.ID != st.f.ID && run.says(other.Message) && run.distance(&other.Author, &other.Committer) < mine {
			return true, nil
		}
	}
	return false, nil
}

// distance is how far a commit is in time from the command that may have made it.
// It cannot be before it but for how clocks are rounded and differ.
func (run *commitRun) distance(author, committer *git.Person) int64 {
	d := author.Time.UnixMilli() - run.time
	if run.amend {
		d = committer.Time.UnixMilli() - run.time
	}
	if d < -2000 {
		return -4 * d
	}
	return max(d, -d)
}

// says reports whether a commit has the message that a command gave.
func (run *commitRun) says(message string) bool {
	if run.repeats {
		return run.gitCommit.message != "" && strings.HasPrefix(message, run.gitCommit.message)
	}
	return sameMessage(run.gitCommit.message, message)
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
