package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/redact"
)

// ErrNotInGit says that git knows no such file or line.
var ErrNotInGit = git.ErrNotFound

// Asked is what somebody wants to know the origin of: a commit, a file, or a line
// of it.
type Asked struct {
	Commit string // full id; "" when it is about a file
	File   string // relative to the repository's root, with slashes
	Line   int    // 1-based; 0 for the whole file
	Rev    string // the file as of this revision; "" for the working tree
}

// Ask reads "FILE:LINE", "FILE" or "COMMIT" as somebody wrote it in a folder. A
// file that is there wins over a revision of that name.
func Ask(ctx context.Context, repo *Repo, folder, rev, what string) (Asked, error) {
	q := Asked{Rev: rev}
	if q.Rev == "" && repo.Bare {
		q.Rev = "HEAD"
	}
	name, number, colon := cutLast(what, ":")
	if line, err := strconv.Atoi(number); colon && err == nil && name != "" {
		if line < 1 {
			return q, &retold.Error{Code: retold.CodeUsage, Op: "why", Path: what, Hint: "lines are counted from 1", Err: errors.New("there is no such line")}
		}
		file, err := inRepo(repo, folder, name, q.Rev)
		q.File, q.Line = file, line
		return q, err
	}
	info, err := os.Lstat(join(folder, what))
	if err == nil && info.IsDir() && rev == "" { // a branch may bear the name of a folder
		if q.Commit, err = repo.Resolve(ctx, what); err == nil {
			return q, nil
		}
	}
	if info != nil || rev != "" {
		file, err := inRepo(repo, folder, what, q.Rev)
		q.File = file
		return q, err
	}
	id, err := repo.Resolve(ctx, what)
	if err != nil {
		if e, ok := errors.AsType[*retold.Error](err); ok {
			e.Hint = "name a file that is there, FILE:LINE, or a commit; a file of an older commit with --at COMMIT"
			e.Op = "find file or commit"
		}
		return q, err
	}
	q.Commit = id
	return q, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func join(folder, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}

// inRepo is a file as git names it. What lies in the working tree has to be one.
func inRepo(repo *Repo, folder, name, rev string) (string, error) {
	path := join(folder, name)
	// The folder's links are followed, not the file's own: git tracks a link as one.
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	rel, err := filepath.Rel(repo.Root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", &retold.Error{Code: retold.CodeUsage, Op: "why", Path: name, Hint: "name the repository that it lies in with --repo", Err: errors.New("it lies outside the repository " + repo.Root)}
	}
	if info, err := os.Lstat(path); rel == "." || rev == "" && err == nil && info.IsDir() {
		return "", &retold.Error{Code: retold.CodeUsage, Op: "why", Path: name, Hint: "git ls-files " + name + " shows the files in it", Err: errors.New("it is a folder; name a file")}
	}
	return filepath.ToSlash(rel), nil
}

// Prompt is the text of a message, secrets masked; "" when it is gone.
func (j *Journal) Prompt(ctx context.Context, key retold.Key, index int) (string, error) {
	for m, err := range j.history.Messages(ctx, key, index) {
		if errors.Is(err, retold.ErrSessionNotFound) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		redact.Message(&m)
		return m.Content, nil
	}
	return "", nil
}
