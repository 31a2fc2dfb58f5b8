package journal

import (
	"path"
	"slices"
	"strings"
)

// A gitPlace is where a git command works when that is not the folder it is in.
type gitPlace struct{ dir, tree string }

// read takes what the variables before a command say.
func (p *gitPlace) read(words []string) {
	for _, w := range words {
		if value, ok := strings.CutPrefix(w, "GIT_DIR="); ok {
			p.dir = value
		} else if value, ok := strings.CutPrefix(w, "GIT_WORK_TREE="); ok {
			p.tree = value
		} else if !strings.Contains(w, "=") && w != "env" && w != "sudo" {
			return
		}
	}
}

// flag reads a flag that stands before git's command, and is how many words it has.
func (p *gitPlace) flag(w []string) int {
	name, value, glued := strings.Cut(w[0], "=")
	size := 1
	switch name {
	case "-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix":
		if !glued && name != "--exec-path" && len(w) > 1 {
			value, size = w[1], 2
		}
	}
	switch name {
	case "--git-dir":
		p.dir = value
	case "--work-tree":
		p.tree = value
	}
	return size
}

// elsewhere is a folder that nobody knows.
const elsewhere = "$GIT_DIR"

// folder is where the command works, when it is in dir.
func (p *gitPlace) folder(dir string) string {
	switch {
	case p.tree != "":
		return inFolder(dir, p.tree)
	case p.dir == "":
		return dir
	case p.dir == ".git":
		return dir
	case path.Base(p.dir) == ".git":
		return inFolder(dir, path.Dir(p.dir))
	}
	return elsewhere
}

// masked reports whether a script can end well although one of its commands did
// not, or was not run.
func masked(runs []shellRun, n int) bool {
	strict := false // set -e
	for i, run := range runs {
		if len(run.words) == 0 {
			continue
		}
		if run.words[0] == "set" && len(run.words) > 1 && strings.HasPrefix(run.words[1], "-") && strings.Contains(run.words[1], "e") {
			strict = true
		}
		if i < n && (run.end == "||" || slices.Contains([]string{"if", "while", "for", "case", "elif", "else"}, run.words[0])) {
			return true
		}
		if i < n || len(run.words) == 1 && slices.Contains([]string{"fi", "done", "esac", "}"}, run.words[0]) {
			continue
		}
		last := i == len(runs)-1
		switch run.end {
		case "&&", "":
		case ";", "\n", ")":
			if !strict && !last {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// foretold is how the message begins that git gives a commit by itself; "" when it
// cannot be told.
func foretold(words []string) string {
	names, _ := operands(words[1:])
	switch {
	case words[0] == "revert" && len(names) > 0:
		return `Revert "`
	case words[0] == "merge" && len(names) == 1 && !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-m") || w == "--squash" || w == "--ff-only" }):
		if strings.HasPrefix(names[0], "origin/") || strings.HasPrefix(names[0], "upstream/") {
			return "Merge remote-tracking branch '" + names[0] + "'"
		}
		return "Merge branch '" + names[0] + "'"
	}
	return ""
}
