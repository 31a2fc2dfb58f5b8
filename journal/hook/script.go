package hook

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// shells are the interpreters that understand the lines of a block.
var shells = []string{"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "busybox"}

// foreign says of a hook that is no shell script what it is; "" for one that is.
// Git runs what names no interpreter by sh.
func foreign(text string) string {
	if strings.IndexByte(text, 0) >= 0 {
		return "it is a program, not a script"
	}
	name, ok := interpreter(text)
	if ok && !slices.Contains(shells, name) {
		return "it is a script for " + name + ", not for sh"
	}
	return ""
}

// interpreter is the name of the program that runs a script; false when the
// script names none.
func interpreter(text string) (name string, ok bool) {
	first, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(first, "#!")
	if !ok {
		return "", false
	}
	words := strings.Fields(line)
	for i, w := range words {
		name = strings.TrimSuffix(path.Base(strings.ReplaceAll(w, `\`, "/")), ".exe")
		if i == 0 && name != "env" {
			return name, true
		}
		if i > 0 && !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
			return name, true
		}
	}
	return strings.TrimSpace(line), true
}

// endsEarly says why what stands at the end of a shell script may not run; "" when
// nothing speaks against it. It need not be right about every script: a block
// before the rest runs in any case.
func endsEarly(text string) string {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if n == 1 && strings.HasPrefix(line, "#!") {
			if words := strings.Fields(line); flagged(words[1:]) {
				return "it ends at the first error (line 1)"
			}
			continue
		}
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t;&|(){}`", r) })
		for i, w := range words {
			switch {
			case w == "exit" || w == "exec":
				return "it may end before (" + w + " at line " + strconv.Itoa(n) + ")"
			case w == "set" && flagged(words[i+1:]):
				return "it ends at the first error (line " + strconv.Itoa(n) + ")"
			}
		}
		if strings.Contains(line, "<<") {
			return "it holds text of its own (line " + strconv.Itoa(n) + ")"
		}
	}
	if strings.HasSuffix(strings.TrimRight(text, "\r\n"), `\`) {
		return "its last line goes on"
	}
	return ""
}

// flagged reports whether words ask a shell to end at the first error.
func flagged(words []string) bool {
	for _, w := range words {
		if w == "errexit" || strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "e") {
			return true
		}
	}
	return false
}

// quote writes a word for sh.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// words cuts a line of a block into its words, as sh does with what quote wrote.
func words(line string) (list []string) {
	var word strings.Builder
	quoted, any := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			quoted, any = !quoted, true
		case c == '\\' && !quoted && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			any = true
		case c == ' ' && !quoted:
			if any {
				list = append(list, word.String())
			}
			word.Reset()
			any = false
		default:
			word.WriteByte(c)
			any = true
		}
	}
	if any {
		list = append(list, word.String())
	}
	return list
}
