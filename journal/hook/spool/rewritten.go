package spool

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// rewritten is which commits became which, as git tells a post-rewrite hook on
// its standard input. A hook before this one may have read that: then it is taken
// from where git has it from.
func rewritten(p place, command string, in io.Reader) ([]Rewrite, error) {
	list, err := pairs(in)
	if err != nil || len(list) > 0 {
		return list, err
	}
	for _, name := range []string{"rebase-merge/rewritten-list", "rebase-apply/rewritten"} {
		if command == "amend" {
			break // it may be one in the middle of a rebase
		}
		f, err := os.Open(filepath.Join(p.gitDir, filepath.FromSlash(name)))
		if err != nil {
			continue // a rebase has one of them
		}
		list, err = pairs(f)
		_ = f.Close() // it was only read
		if err != nil || len(list) > 0 {
			return list, err
		}
	}
	if last := lastMove(p); command != "rebase" && strings.HasPrefix(last.why, "commit (amend)") {
		list = []Rewrite{{last.from, last.to}}
	}
	return list, nil
}

// pairs reads lines of an old id, a new one, and perhaps more.
func pairs(in io.Reader) (list []Rewrite, err error) {
	if in == nil {
		return nil, nil
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if f := strings.Fields(lines.Text()); len(f) >= 2 && isID(f[0]) && isID(f[1]) {
			list = append(list, Rewrite{f[0], f[1]})
		}
	}
	return list, lines.Err()
}

// A move is one of HEAD, as its log has it.
type move struct{ from, to, why string }

// lastMove is the last move of HEAD; nothing when that is not logged in a file.
func lastMove(p place) (m move) {
	all := strings.TrimRight(tail(filepath.Join(p.gitDir, "logs", "HEAD"), 16<<10), "\n")
	who, why, _ := strings.Cut(all[strings.LastIndexByte(all, '\n')+1:], "\t")
	if ids := strings.Fields(who); len(ids) > 1 && isID(ids[0]) && isID(ids[1]) {
		m = move{ids[0], ids[1], why}
	}
	return m
}

// forwarded reports whether the last thing that happened was that HEAD moved on
// to commits that were there before: a merge that makes none.
func forwarded(p place) bool { return strings.HasSuffix(lastMove(p).why, ": Fast-forward") }
