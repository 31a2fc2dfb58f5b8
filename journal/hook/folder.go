package hook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// hooksFolder is where git looks for hooks, links resolved; it need not be there.
func hooksFolder(ctx context.Context, r *git.Repo) (string, error) {
	dir, err := r.HooksDir(ctx)
	if err != nil {
		return "", err
	}
	dir = filepath.Clean(filepath.FromSlash(dir))
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(dir); err == nil {
			return "", unfit(dir, errors.New("a link that leads to nothing"))
		}
		parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
		if err != nil {
			return dir, nil // more than one folder is missing
		}
		return filepath.Join(parent, filepath.Base(dir)), nil
	}
	if err == nil && !info.IsDir() {
		err = errors.New("not a folder")
	}
	if err != nil {
		return "", unfit(dir, err)
	}
	return filepath.EvalSymlinks(dir)
}

func unfit(dir string, err error) error {
	return &retold.Error{Code: retold.CodeUsage, Op: "look for hooks in", Path: dir, Err: err, Hint: "see `git config --show-origin core.hooksPath`: git runs no hooks from there"}
}

// within reports whether a path is a folder or lies below it.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) && !filepath.IsAbs(rel)
}

// A held is a hook's file as it is.
type held struct {
	text   *string // nil when there is none
	target string  // the file: the path, or what it leads to
	linked bool    // the path is a link
	mode   fs.FileMode
}

// hold reads a hook's file. What cannot be read is an error; so is a link that
// leads nowhere, which git takes for no hook.
func hold(path string) (held, error) {
	h := held{target: path}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		h.linked = true
		if h.target, err = filepath.EvalSymlinks(path); err == nil {
			info, err = os.Stat(h.target)
		}
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a file")
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(h.target)
	}
	if err != nil {
		return h, &retold.Error{Op: "read hook", Path: path, Err: err, Hint: "make it readable, or remove it, then run this again"}
	}
	text := string(data)
	h.text, h.mode = &text, info.Mode()
	return h, nil
}

// same is an error when a file is not as it was when the plan was made.
func same(path string, before *string) error {
	now, err := os.ReadFile(path)
	gone := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !gone:
		return err
	case gone && before == nil, !gone && before != nil && string(now) == *before:
		return nil
	}
	return fmt.Errorf("%s was changed in the meantime", path)
}
