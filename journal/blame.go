package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold/git"
)

// A missing says why something is git.ErrNotFound.
type missing string

func (m missing) Error() string { return string(m) }

// Is reports whether target is git.ErrNotFound.
func (m missing) Is(target error) bool { return target == git.ErrNotFound } //nolint:errorlint // it is asked about itself

// blame returns the lines of a file with the commits that wrote them. Those of a
// file that git does not know yet are in none.
func blame(ctx context.Context, repo *git.Repo, ask git.BlameAsk) (list []git.BlamedLine, err error) {
	for b, blameErr := range repo.Blame(ctx, ask) {
		if err = blameErr; err != nil {
			break
		}
		list = append(list, b)
	}
	if !errors.Is(err, git.ErrNotFound) {
		return list, err
	}
	if ask.From > 0 {
		all := ask
		all.From, all.To = 0, 0
		whole, err := blame(ctx, repo, all)
		if err != nil {
			return nil, err
		}
		if ask.From > len(whole) {
			return nil, missing(fmt.Sprintf("%s has only %s", ask.Path, counted(len(whole), "line")))
		}
		return whole[ask.From-1 : min(ask.To, len(whole))], nil
	}
	if ask.Rev != "" {
		return nil, err
	}
	modules, moduleErr := repo.Submodules(ctx)
	for _, m := range modules {
		if _, in := below(ask.Path, m, false); in {
			return nil, missing(ask.Path + " is a file of the submodule " + m + ": ask there")
		}
	}
	if moduleErr != nil {
		return nil, moduleErr
	}
	fresh, readErr := unknownLines(repo, ask.Path)
	if errors.Is(readErr, os.ErrNotExist) {
		return nil, err
	}
	return fresh, readErr
}

// unknownLines are the lines of a file in the working tree that no commit holds.
func unknownLines(repo *git.Repo, path string) ([]git.BlamedLine, error) {
	name := filepath.Join(repo.Root, filepath.FromSlash(path))
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > longestMasked:
		return nil, missing(path + " is in no commit, and no text of a usual size")
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, missing(path + " is in no commit, and no text")
	}
	var list []git.BlamedLine
	for text := range strings.Lines(string(data)) {
		n := len(list) + 1
		list = append(list, git.BlamedLine{Commit: git.ZeroID, OrigPath: path, OrigLine: n, Line: n, Text: strings.TrimRight(text, "\r\n")})
	}
	return list, nil
}
