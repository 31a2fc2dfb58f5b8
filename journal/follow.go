package journal

import (
	"context"
	"errors"

	"github.com/retold-history/retold/git"
)

// mostHops is through how many commits that only move or reformat a line it is
// followed.
const mostHops = 6

// uncommitted explains the lines of the file that are in no commit.
func (f *follower) uncommitted(ctx context.Context) (*Attribution, error) {
	if f.open != nil {
		return f.open, nil
	}
	head, err := f.q.repo.Commit(ctx, "HEAD")
	if err != nil && !errors.Is(err, git.ErrNotFound) {
		return nil, err
	}
	now := f.q.j.now()
	c := &git.Commit{ID: git.ZeroID, Author: git.Person{Time: now}, Committer: git.Person{Time: now}}
	start := int64(0)
	if head != nil {
		c.Parents, start = []string{head.ID}, millis(head.Committer.Time)
	}
	file := git.File{Path: f.ask.Path, Status: 'M'}
	list, err := blame(ctx, f.q.repo, git.BlameAsk{Path: f.ask.Path})
	if err != nil {
		return nil, err
	}
	for _, b := range list {
		if b.Commit != git.ZeroID {
			continue
		}
		file.Added++
		if n := len(file.Hunks); n > 0 && file.Hunks[n-1].NewStart+len(file.Hunks[n-1].Added) == b.Line {
			file.Hunks[n-1].Added = append(file.Hunks[n-1].Added, b.Text)
		} else {
			file.Hunks = append(file.Hunks, git.Hunk{NewStart: b.Line, Added: []string{b.Text}})
		}
	}
	if file.Added == len(list) {
		file.Status = 'A'
	}
	c.Files = []git.File{file}
	f.open, err = f.q.explainFacts(ctx, factsOf(c, true), start)
	return f.open, err
}

// before finds the line that a commit made of another without changing what it
// says: broken elsewhere, quoted otherwise, moved. nil when it is new there.
func (f *follower) before(ctx context.Context, b git.BlamedLine) (*git.BlamedLine, error) {
	c := f.commits[b.Commit]
	if c == nil {
		var err error
		if c, err = f.q.repo.Commit(ctx, b.Commit); err != nil {
			return nil, err
		}
		f.commits[b.Commit] = c
	}
	if len(c.Parents) != 1 {
		return nil, nil
	}
	path, line := origin(c, b)
	if line == 0 {
		return nil, nil
	}
	for found, err := range f.q.repo.Blame(ctx, git.BlameAsk{Rev: c.Parents[0], Path: path, From: line, To: line}) {
		if errors.Is(err, git.ErrNotFound) {
			return nil, nil
		}
		return &found, err
	}
	return nil, nil
}

// origin is the line that a commit made a line of, in the file before; 0 when
// there is none.
func origin(c *git.Commit, b git.BlamedLine) (path string, line int) {
	for i := range c.Files {
		file := &c.Files[i]
		if file.Path != b.OrigPath {
			continue
		}
		for h := range file.Hunks {
			hunk := &file.Hunks[h]
			at := b.OrigLine - hunk.NewStart
			if at < 0 || at >= len(hunk.Added) {
				continue
			}
			old := file.Path
			if file.OldPath != "" {
				old = file.OldPath
			}
			if n := reformatted(hunk, at); n >= 0 {
				return old, hunk.OldStart + n
			}
			return taken(c, hunk.Added, at)
		}
	}
	return "", 0
}

// reformatted is the index of the removed line that an added one was made of, in
// a hunk that changes nothing but where lines break; -1 in any other.
func reformatted(h *git.Hunk, at int) int {
	if len(h.Removed) == 0 {
		return -1
	}
	if tightText(h.Removed) == tightText(h.Added) {
		begin := len(tightText(h.Added[:at])) + (len(tightText(h.Added[at:at+1]))+1)/2
		sum := 0
		for i := range h.Removed {
			if sum += len(tightText(h.Removed[i : i+1])); sum >= begin {
				return i
			}
		}
	}
	if own := lineOf(h.Added[at]); own.plain {
		for i, text := range h.Removed {
			if lineOf(text).tight == own.tight {
				return i
			}
		}
	}
	return -1
}

// taken finds a block that the commit removes elsewhere, around a line it adds.
func taken(c *git.Commit, added []string, at int) (path string, line int) {
	want := lineOf(added[at])
	for i := range c.Files {
		file := &c.Files[i]
		for h := range file.Hunks {
			removed := file.Hunks[h].Removed
			for k := range removed {
				if lineOf(removed[k]).norm != want.norm || inRow(added, removed, at, k) < movedLines && (!want.plain || file.Status != 'D') {
					continue
				}
				if path = file.OldPath; path == "" {
					path = file.Path
				}
				return path, file.Hunks[h].OldStart + k
			}
		}
	}
	return "", 0
}

// inRow counts the telling lines that are equal in a row around a pair of lines.
func inRow(added, removed []string, at, k int) (n int) {
	first, from := at, k
	for first > 0 && from > 0 && lineOf(added[first-1]).norm == lineOf(removed[from-1]).norm {
		first, from = first-1, from-1
	}
	for ; first < len(added) && from < len(removed); first, from = first+1, from+1 {
		l := lineOf(added[first])
		if l.norm != lineOf(removed[from]).norm {
			break
		}
		if l.plain {
			n++
		}
	}
	return n
}
