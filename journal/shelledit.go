package journal

import (
	"path"
	"slices"
	"strings"
)

// writers begin the commands that write files, and few others.
var writers = []string{
	"mv ", "rm ", "git ", "sed ", "tee ", "fmt ", "goimports ", "gofumpt ", "prettier ", "black ", "clang-format ", "go get", "go mod", "npm ", "yarn ", "bun ", "cargo ",
}

// shellEdits are the files that a script writes, as far as the script tells. cwd
// is the folder it starts in, "" when unknown.
func shellEdits(script, cwd string) (edits []textEdit) {
	if !strings.ContainsAny(script, "><") && !slices.ContainsFunc(writers, func(name string) bool { return strings.Contains(script, name) }) {
		return nil
	}
	at := shellFolder{start: cwd}
	for _, run := range readShell(script) {
		run.words = bare(run.words)
		if at.moves(run) {
			continue
		}
		cwd := at.of(run)
		for _, e := range run.edits() {
			e.path = inFolder(cwd, e.path)
			if e.from != "" {
				e.from = inFolder(cwd, e.from)
			}
			edits = append(edits, e)
		}
	}
	return edits
}

// bare takes off what stands before a command: variables, sudo, keywords.
func bare(words []string) []string {
	for len(words) > 0 {
		name, _, assigns := strings.Cut(words[0], "=")
		switch {
		case assigns && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == "":
		case words[0] == "sudo" || words[0] == "command" || words[0] == "exec" || words[0] == "env" || words[0] == "then" || words[0] == "do" || words[0] == "else" || words[0] == "if" || words[0] == "!" || words[0] == "time":
		default:
			return words
		}
		words = words[1:]
	}
	return nil
}

// inFolder is a path as seen from a folder; a path from a folder nobody knows stays
// as it is.
func inFolder(dir, p string) string {
	if dir == "" || p == "" || absolute(p) {
		return p
	}
	if windows(dir) {
		return path.Clean(strings.ReplaceAll(dir, `\`, "/") + "/" + strings.ReplaceAll(p, `\`, "/"))
	}
	return path.Clean(dir + "/" + p)
}

// absolute reports whether a path is one, of any system, or an address.
func absolute(p string) bool {
	return strings.HasPrefix(p, "/") || windows(p) || strings.Contains(p, "://") || strings.HasPrefix(p, "~")
}

func windows(p string) bool {
	return len(p) > 2 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z') && (p[2] == '\\' || p[2] == '/') || strings.HasPrefix(p, `\\`)
}

// edits are the files that one command writes.
func (run shellRun) edits() (edits []textEdit) {
	text := run.stdin
	name := ""
	if len(run.words) > 0 {
		name = path.Base(run.words[0])
	}
	switch name {
	case "echo", "printf":
		text = printed(run.words)
	case "", "cat", "tee":
	default:
		if run.out != "" && run.out != "/dev/null" {
			edits = append(edits, textEdit{path: run.out, kind: editTouch})
		}
	}
	switch {
	case (name == "cat" || name == "" || name == "echo" || name == "printf") && run.out != "" && run.out != "/dev/null" && (text != "" || len(run.words) < 2):
		return []textEdit{textEdit{path: run.out, kind: wholeOrAppend(run.append)}.lines(text)}
	case name == "tee":
		files, flags := operands(run.words[1:])
		for _, f := range files {
			edits = append(edits, textEdit{path: f, kind: wholeOrAppend(strings.Contains(flags, "a"))}.lines(text))
		}
	case name == "sed" || name == "perl":
		edits = append(edits, inPlace(run.words)...)
	case name == "rm" || name == "mv" || name == "git":
		edits = append(edits, moved(name, run)...)
		if name == "git" {
			edits = append(edits, setbacks(run.words)...)
		}
	case name == "patch" || name == "apply_patch":
		edits = append(edits, patched(text)...)
		if name == "apply_patch" && len(run.words) > 1 {
			edits = append(edits, readPatch(run.words[1])...)
		}
	case len(run.words) > 1:
		edits = append(edits, touched(name, run.words[1:])...)
	}
	return edits
}

func wholeOrAppend(appends bool) editKind {
	if appends {
		return editAppend
	}
	return editWhole
}

// operands parts a command's files from its flags.
func operands(words []string) (files []string, flags string) {
	for i, w := range words {
		if w == "--" {
			return append(files, words[i+1:]...), flags
		}
		if len(w) > 1 && w[0] == '-' {
			flags += w[1:]
			continue
		}
		files = append(files, w)
	}
	return files, flags
}

// inPlace are the files that sed -i or perl -pi change; how cannot be told.
func inPlace(words []string) (edits []textEdit) {
	name, here, script := path.Base(words[0]), false, false
	var files []string
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case name == "sed" && (strings.HasPrefix(w, "-i") || strings.HasPrefix(w, "--in-place")) || name == "perl" && len(w) > 1 && w[0] == '-' && strings.Contains(w, "i"):
			here = true
			if i+1 < len(words) && w == "-i" && words[i+1] == "" {
				i++ // the BSD sed's empty suffix
			}
			if name == "perl" && strings.HasSuffix(w, "e") {
				i, script = i+1, true
			}
		case w == "-e" || w == "-f" || w == "--expression":
			i, script = i+1, true
		case strings.HasPrefix(w, "-"):
		default:
			files = append(files, w)
		}
	}
	if !script && len(files) > 0 {
		files = files[1:]
	}
	if here {
		for _, f := range files {
			edits = append(edits, textEdit{path: f, kind: editTouch, swaps: substitutionsOf(words)})
		}
	}
	return edits
}

// moved reads rm, mv, git rm, git mv and git apply.
func moved(name string, run shellRun) (edits []textEdit) {
	words := run.words[1:]
	if name == "git" {
		if len(words) == 0 {
			return nil
		}
		name, words = words[0], words[1:]
		if name == "apply" {
			return patched(run.stdin)
		}
	}
	files, flags := operands(words)
	switch {
	case name == "rm" && !strings.Contains(flags, "cached"):
		for _, f := range files {
			edits = append(edits, textEdit{path: f, kind: editDelete})
		}
	case name == "mv" && len(files) >= 2:
		to := files[len(files)-1]
		for _, f := range files[:len(files)-1] {
			target := to
			if strings.HasSuffix(to, "/") || to == "." || len(files) > 2 {
				target = path.Join(to, path.Base(f))
			}
			edits = append(edits, textEdit{path: target, from: f, kind: editMove})
		}
	}
	return edits
}

// patched reads a diff or an envelope that a command was fed.
func patched(text string) (edits []textEdit) {
	if strings.Contains(text, "*** Begin Patch") {
		return readPatch(text)
	}
	for _, f := range readDiff(text) {
		e := textEdit{path: f.to, changes: f.changes}
		switch {
		case f.to == "":
			e.path, e.kind = f.from, editDelete
		case f.from == "":
			e.kind = editCreate
		}
		edits = append(edits, e)
	}
	return edits
}
