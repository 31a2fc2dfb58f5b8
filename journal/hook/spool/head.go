package spool

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A made is a commit as far as an event tells.
type made struct {
	id, tree string
	parents  []string
	branch   string
}

// read finds what a revision is, from the files of git when they are of the plain
// kind and by asking git (packed objects, tables of references) when not.
func read(ctx context.Context, p place, dir, rev string) (made, error) {
	id, branch := head(p)
	m := made{id: rev}
	if rev == "HEAD" {
		m.id = id
	}
	if isID(m.id) && m.loose(p) {
		if m.id == id {
			m.branch = branch
		}
		return m, nil
	}
	return ask(ctx, dir, rev)
}

// head is the commit that HEAD stands for and the branch it is on; nothing where
// that is not written in a file of its own or in packed-refs.
func head(p place) (id, branch string) {
	ref, ok := strings.CutPrefix(line(filepath.Join(p.gitDir, "HEAD")), "ref: ")
	if !ok {
		return ref, ""
	}
	branch, ok = strings.CutPrefix(ref, "refs/heads/")
	if !ok || branch == ".invalid" { // what stands there when references are in tables
		return "", ""
	}
	for _, dir := range []string{p.gitDir, p.common} {
		if id := line(filepath.Join(dir, filepath.FromSlash(ref))); isID(id) {
			return id, branch
		}
	}
	f, err := os.Open(filepath.Join(p.common, "packed-refs"))
	if err != nil {
		return "", ""
	}
	defer f.Close() //nolint:errcheck // it was only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if id, name, ok := strings.Cut(lines.Text(), " "); ok && name == ref && isID(id) {
			return id, branch
		}
	}
	return "", ""
}

// line is the first line of a small file; "" when there is none to be read: git
// is asked then.
func line(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimRight(first, "\r ")
}

// loose reads a commit that has a file of its own, as one that was just made has.
func (m *made) loose(p place) bool {
	f, err := os.Open(filepath.Join(p.common, "objects", m.id[:2], m.id[2:]))
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // it was only read
	z, err := zlib.NewReader(f)
	if err != nil {
		return false
	}
	const most = 1 << 20 // an octopus of thousands of parents
	in := bufio.NewReader(io.LimitReader(z, most))
	kind, err := in.ReadString(0)
	if err != nil || !strings.HasPrefix(kind, "commit ") {
		return false
	}
	for {
		text, err := in.ReadString('\n')
		name, value, _ := strings.Cut(strings.TrimSuffix(text, "\n"), " ")
		switch {
		case err != nil:
			return false
		case name == "tree":
			m.tree = value
		case name == "parent":
			m.parents = append(m.parents, value)
		default: // the author comes behind the parents
			return isID(m.tree)
		}
	}
}

// ask asks git what a revision is.
func ask(ctx context.Context, dir, rev string) (made, error) {
	cmd := exec.CommandContext(ctx, "git", "--no-pager", "--no-optional-locks", "-c", "log.showSignature=false", "-c", "core.quotePath=false",
		"log", "-1", "--no-color", "--decorate=full", "--format=%H%n%T%n%P%n%D", "--end-of-options", rev, "--")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		if why, _, _ := strings.Cut(said.String(), "\n"); why != "" {
			err = fmt.Errorf("%s: %w", strings.TrimPrefix(why, "fatal: "), err)
		}
		return made{}, fmt.Errorf("ask git what %s is: %w", rev, err)
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 4 || !isID(lines[0]) || !isID(lines[1]) {
		return made{}, fmt.Errorf("ask git what %s is: it answered %q", rev, out)
	}
	m := made{id: lines[0], tree: lines[1], parents: strings.Fields(lines[2])}
	if to, ok := strings.CutPrefix(lines[3], "HEAD -> refs/heads/"); ok {
		m.branch, _, _ = strings.Cut(to, ", ")
	}
	return m, nil
}
