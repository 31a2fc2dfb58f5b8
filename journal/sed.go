package journal

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A substitution is what sed's s command does to each line: the command, without
// the flags of sed itself.
type substitution struct {
	extended bool // the pattern is an extended expression
	script   string
}

// substitutionsOf are the substitutions of a sed -i; other commands of sed are
// left out.
func substitutionsOf(words []string) (list []substitution) {
	if path.Base(words[0]) != "sed" {
		return nil
	}
	extended, taken := false, false
	var scripts []string
	for i := 1; i < len(words); i++ {
		switch w := words[i]; {
		case w == "-e" || w == "--expression":
			if i++; i < len(words) {
				scripts, taken = append(scripts, words[i]), true
			}
		case w == "-E" || w == "-r" || w == "--regexp-extended":
			extended = true
		case w == "" || strings.HasPrefix(w, "-"):
			extended = extended || strings.HasPrefix(w, "-iE") || w == "-Ei" || w == "-ri"
		case !taken:
			scripts, taken = append(scripts, w), true
		}
	}
	for _, s := range scripts {
		for part := range strings.SplitSeq(s, "\n") {
			if part = strings.TrimSpace(part); len(part) > 3 && len(part) < 1024 && part[0] == 's' {
				list = append(list, substitution{extended, part})
			}
		}
	}
	return list
}

// apply is what becomes of a line; false when the script cannot be read.
func (s substitution) apply(line string) (string, bool) {
	mark := s.script[1]
	var part [3]string
	n := 0
	for i := 2; i < len(s.script); i++ {
		c := s.script[i]
		switch {
		case c == mark && n < 2:
			n++
		case c == '\\' && i+1 < len(s.script) && s.script[i+1] == mark:
			part[n] += string(mark)
			i++
		case c == '\\' && i+1 < len(s.script):
			part[n] += s.script[i : i+2]
			i++
		default:
			part[n] += string(c)
		}
	}
	if n < 2 || part[0] == "" {
		return "", false
	}
	pattern := part[0]
	if !s.extended { // in a basic expression these are what they are without a backslash
		pattern = basic.Replace(pattern)
	}
	if strings.Contains(part[2], "I") || strings.Contains(part[2], "i") {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", false
	}
	with := strings.ReplaceAll(part[1], "$", "$$")
	for d := '0'; d <= '9'; d++ {
		with = strings.ReplaceAll(with, `\`+string(d), "${"+string(d)+"}")
	}
	with = strings.NewReplacer(`\&`, "&", "&", "${0}", `\\`, `\`, `\.`, ".", `\/`, "/").Replace(with)
	if strings.Contains(part[2], "g") {
		return re.ReplaceAllString(line, with), true
	}
	at := re.FindStringSubmatchIndex(line)
	if at == nil {
		return line, true
	}
	return line[:at[0]] + string(re.ExpandString(nil, with, line, at)) + line[at[1]:], true
}

var basic = strings.NewReplacer(`\(`, "(", `\)`, ")", `\{`, "{", `\}`, "}", `\+`, "+", `\?`, "?", `\|`, "|",
	"(", `\(`, ")", `\)`, "{", `\{`, "}", `\}`, "+", `\+`, "?", `\?`, "|", `\|`)

// substituted finds lines of the commit that a sed -i of the conversation made of
// the lines that stood there.
func (r *replay) substituted() {
	for n := range r.f.files {
		file := &r.f.files[n]
		g := r.st.book.ground(file.path)
		if g == nil || file.derived || !r.own || n >= len(r.f.Files) {
			continue
		}
		for h, hunk := range r.f.Files[n].Hunks {
			if len(hunk.Removed) != len(hunk.Added) {
				continue
			}
			for i := range hunk.Added {
				if p := g.sed(r.st, r.f, hunk.Removed[i], hunk.Added[i]); p != nil && r.free(n, h)(i) {
					s := spot{p: p, change: -1}
					r.owners[[3]int{n, h, i}] = s
					r.st.hits = append(r.st.hits, hit{n, h, i, s, howSame})
				}
			}
		}
	}
}

// sed is the edit that made one line of another; nil for none.
func (g *ground) sed(st *story, f *facts, before, after string) *placed {
	for _, p := range slices.Backward(g.edits) {
		if len(p.swaps) == 0 || p.floor > f.committed+slack || p.doubtful() || !st.near(p, f) {
			continue
		}
		text := before
		for _, s := range p.swaps {
			if now, ok := s.apply(text); ok {
				text = now
			}
		}
		if text != before && text == after {
			return p
		}
	}
	return nil
}
