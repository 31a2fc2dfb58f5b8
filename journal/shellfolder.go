package journal

import "slices"

// A shellFolder follows the folder that a script is in.
type shellFolder struct {
	start  string
	scopes []folderScope
}

// A folderScope is a shell or a subshell, which goes back when it ends.
type folderScope struct {
	group     int // of the subshell; 0 for the shell itself
	cwd, last string
	pushed    []string
}

// in is the scope of a command.
func (f *shellFolder) in(run shellRun) *folderScope {
	if len(f.scopes) == 0 {
		f.scopes = []folderScope{{cwd: f.start}}
	}
	same := 0
	for same < len(run.groups) && same+1 < len(f.scopes) && f.scopes[same+1].group == run.groups[same] {
		same++
	}
	f.scopes = f.scopes[:same+1]
	for _, group := range run.groups[same:] {
		inner := f.scopes[len(f.scopes)-1]
		inner.group, inner.pushed = group, slices.Clone(inner.pushed)
		f.scopes = append(f.scopes, inner)
	}
	return &f.scopes[len(f.scopes)-1]
}

// of is the folder that a command runs in, "" when unknown.
func (f *shellFolder) of(run shellRun) string { return f.in(run).cwd }

// moves goes where a command does that changes the folder.
func (f *shellFolder) moves(run shellRun) bool {
	if len(run.words) == 0 {
		return false
	}
	s := f.in(run)
	dir := run.words[len(run.words)-1]
	switch {
	case run.words[0] == "popd":
		if n := len(s.pushed); n > 0 {
			s.cwd, s.pushed = s.pushed[n-1], s.pushed[:n-1]
		}
		return true
	case len(run.words) < 2:
		return false
	case run.words[0] == "pushd":
		s.pushed = append(s.pushed, s.cwd)
	case run.words[0] != "cd":
		return false
	}
	switch dir {
	case "-":
		s.cwd, s.last = s.last, s.cwd
		return true
	case "$PWD", "${PWD}", "$(pwd)", "`pwd`":
		return true
	case "$(git rev-parse --show-toplevel)", "`git rev-parse --show-toplevel`":
		s.last, s.cwd = s.cwd, f.start // in the same repository
		return true
	}
	s.last, s.cwd = s.cwd, inFolder(s.cwd, dir)
	return true
}
