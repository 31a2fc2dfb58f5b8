package journal

import (
	"slices"
	"strings"
)

func (r *shellReader) operator(c byte) {
	rest := r.s[r.i:]
	switch {
	case strings.HasPrefix(rest, "<<<"):
		r.redirect('s', 3)
	case strings.HasPrefix(rest, "<<-"):
		r.redirect('t', 3)
	case strings.HasPrefix(rest, "<<"):
		r.redirect('h', 2)
	case strings.HasPrefix(rest, ">>"):
		r.redirect('}', 2)
	case strings.HasPrefix(rest, "&>") || strings.HasPrefix(rest, ">&") || strings.HasPrefix(rest, "<&") || strings.HasPrefix(rest, ">|") || strings.HasPrefix(rest, "<>"):
		r.redirect('x', 2)
	case c == '>':
		r.redirect('>', 1)
	case c == '<':
		r.redirect('x', 1)
	case c == '|' && !strings.HasPrefix(rest, "||"):
		r.endRun()
		r.ended("|")
		r.piped = true
		r.i++
	default:
		r.endRun()
		r.piped = false
		r.i++
		end := string(c)
		if (c == '&' || c == '|') && r.i < len(r.s) && r.s[r.i] == c {
			r.i++
			end += end
		}
		r.ended(end)
	}
}

// ended notes the operator that follows a command, or the subshell that ends with
// it, and where subshells begin and end.
func (r *shellReader) ended(end string) {
	n := len(r.runs)
	switch {
	case end == "(":
		r.opened++
		r.group = append(slices.Clone(r.group), r.opened)
		return
	case end == ")" && len(r.group) > 0:
		r.group = r.group[:len(r.group)-1]
		r.shut = true
	case end == "{" || end == "}" || n == 0:
		return
	}
	if n == 0 {
		return
	}
	if last := &r.runs[n-1]; last.end == "" || r.shut && last.end == ")" {
		last.end = end
	}
	r.shut = r.shut && end == ")"
}

// redirect reads an operator. A number before it names what is redirected: only
// the standard output counts.
func (r *shellReader) redirect(kind byte, size int) {
	r.i += size
	if w := r.word.String(); r.open && w != "" && strings.Trim(w, "0123456789") == "" {
		r.word.Reset()
		r.open = false
		if w != "1" && (kind == '>' || kind == '}') {
			kind = 'x'
		}
	}
	r.endWord()
	r.goes = kind
}

func (r *shellReader) endWord() {
	if !r.open {
		return
	}
	w := r.word.String()
	r.word.Reset()
	r.open = false
	switch r.goes {
	case '>', '}':
		r.run.out, r.run.append = w, r.goes == '}'
	case 'h', 't':
		r.here = append(r.here, hereDoc{run: len(r.runs), end: w, tabs: r.goes == 't'})
	case 's':
		r.run.stdin = w + "\n"
	case 'x':
	default:
		r.run.words = append(r.run.words, w)
	}
	r.goes = 0
}

func (r *shellReader) endRun() {
	r.endWord()
	r.goes = 0
	waits := len(r.here) > 0 && r.here[len(r.here)-1].run == len(r.runs)
	if len(r.run.words) == 0 && r.run.out == "" && !waits {
		return
	}
	if n := len(r.runs); r.piped && n > 0 && r.run.stdin == "" {
		switch before := r.runs[n-1]; {
		case len(before.words) > 0 && (before.words[0] == "echo" || before.words[0] == "printf"):
			r.run.stdin = printed(before.words)
		case len(before.words) == 1 && before.words[0] == "cat":
			r.run.stdin = before.stdin
			for i := range r.here { // cat <<EOF | tee file
				if r.here[i].run == n-1 {
					r.here = append(r.here, hereDoc{run: n, end: r.here[i].end, tabs: r.here[i].tabs})
					r.here[i].run = -1
					break
				}
			}
		}
	}
	r.run.groups = r.group
	r.runs = append(r.runs, r.run)
	r.run = shellRun{}
}

// documents reads the here-documents that were announced on the line just ended.
func (r *shellReader) documents() {
	for _, h := range r.here {
		if h.run < 0 {
			continue
		}
		var body strings.Builder
		for r.i < len(r.s) {
			l, _, more := strings.Cut(r.s[r.i:], "\n")
			r.i += len(l)
			if more {
				r.i++
			}
			l = strings.TrimSuffix(l, "\r")
			if h.tabs {
				l = strings.TrimLeft(l, "\t")
			}
			if l == h.end {
				break
			}
			body.WriteString(l + "\n")
		}
		if h.run < len(r.runs) {
			r.runs[h.run].stdin = body.String()
		}
	}
	r.here = nil
}

// printed is what echo or printf prints, as far as it is plain.
func printed(words []string) string {
	if words[0] == "printf" {
		if len(words) < 2 {
			return ""
		}
		format := unescape(words[1])
		for _, arg := range words[2:] {
			format = strings.Replace(format, "%s", arg, 1)
		}
		return format
	}
	args, end, escapes := words[1:], "\n", false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0], "e")
		if strings.Contains(args[0], "n") {
			end = ""
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		text = unescape(text)
	}
	return text + end
}

func unescape(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\"`, `"`).Replace(s)
}
