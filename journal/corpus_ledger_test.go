package journal_test

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A ledger remembers who wrote every line of a repository's files while a
// scenario runs: that is the truth that answers are held against. It learns from
// the script alone.
type ledger struct {
	files map[string][]written
	exact map[string]map[string]bool // text of a line → everybody who ever wrote it
	flat  map[string]map[string]bool // the same without white space
}

// written is a line and its writer: "A#2", "me", or "" when nobody can tell.
type written struct{ text, who string }

func newLedger() *ledger {
	return &ledger{map[string][]written{}, map[string]map[string]bool{}, map[string]map[string]bool{}}
}

// like is an empty ledger that shares what another knows of lines.
func (l *ledger) like() *ledger { return &ledger{map[string][]written{}, l.exact, l.flat} }

func (l *ledger) note(text, who string) {
	for key, book := range map[string]map[string]map[string]bool{text: l.exact, squeezeText(text): l.flat} {
		if book[key] == nil {
			book[key] = map[string]bool{}
		}
		book[key][who] = true
	}
}

// guess is the only one who ever wrote such a line.
func (l *ledger) guess(text string) string {
	for key, book := range map[string]map[string]map[string]bool{text: l.exact, squeezeText(text): l.flat} {
		if len(book[key]) == 1 {
			for who := range book[key] {
				return who
			}
		}
	}
	return ""
}

// put is a file's new text: the lines that stay keep their writers, the others
// are who's; with who "" they are those of whoever wrote such a line before.
func (l *ledger) put(path, text, who string) {
	l.files[path] = l.match(l.files[path], textLines(text), who)
	if who != "" {
		for _, w := range l.files[path] {
			l.note(w.text, w.who)
		}
	}
}

func (l *ledger) match(old []written, lines []string, who string) []written {
	out := make([]written, len(lines))
	keep := commonLines(old, lines)
	for i, text := range lines {
		out[i] = written{text, who}
		if k := keep[i]; k >= 0 {
			out[i].who = old[k].who
		} else if who == "" {
			out[i].who = l.guess(text)
		}
	}
	return out
}

// commonLines says for each line which old line it is, by a longest common
// subsequence; -1 for none.
func commonLines(old []written, lines []string) []int {
	n, m := len(old), len(lines)
	table := make([][]int32, n+1)
	for i := range table {
		table[i] = make([]int32, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for k := m - 1; k >= 0; k-- {
			if old[i].text == lines[k] {
				table[i][k] = table[i+1][k+1] + 1
			} else {
				table[i][k] = max(table[i+1][k], table[i][k+1])
			}
		}
	}
	keep := slices.Repeat([]int{-1}, m)
	for i, k := 0, 0; i < n && k < m; {
		switch {
		case old[i].text == lines[k]:
			keep[k] = i
			i, k = i+1, k+1
		case table[i+1][k] >= table[i][k+1]:
			i++
		default:
			k++
		}
	}
	return keep
}

// edit applies hunks exactly where they stand and returns the file's lines.
func (l *ledger) edit(path string, hunks [][]hunkLine, who string, keep bool) error {
	lines := l.files[path]
	from := 0
	for _, h := range hunks {
		var before []string
		var after []written
		for _, hl := range h {
			if hl.mark != '+' {
				before = append(before, hl.text)
			}
		}
		at := findLines(lines, before, from)
		if at < 0 {
			at = findLines(lines, before, 0)
		}
		if at < 0 {
			return fmt.Errorf("%s has no lines\n%s\nbut\n%s", path, strings.Join(before, "\n"), renderWritten(lines))
		}
		k := at
		for i := 0; i < len(h); {
			if h[i].mark == ' ' {
				after = append(after, lines[k])
				k, i = k+1, i+1
				continue
			}
			var texts []string
			was := k
			for ; i < len(h) && h[i].mark != ' '; i++ {
				if h[i].mark == '-' {
					k++
				} else {
					texts = append(texts, h[i].text)
				}
			}
			after = append(after, l.replaced(lines[was:k], texts, who, keep)...)
		}
		lines = slices.Concat(lines[:at], after, lines[k:])
		from = at + len(after)
	}
	l.files[path] = lines
	return nil
}

// replaced are the lines that stand where others stood. What is the same stays
// whose it was; what differs in white space alone is nobody's for certain.
func (l *ledger) replaced(old []written, texts []string, who string, keep bool) []written {
	if keep {
		return l.match(old, texts, "")
	}
	tight := map[string]bool{}
	for _, w := range old {
		tight[squeezeText(w.text)] = true
	}
	stays := commonLines(old, texts)
	out := l.match(old, texts, who)
	for i, w := range out {
		switch {
		case stays[i] >= 0:
		case tight[squeezeText(w.text)] && w.text != "":
			out[i].who = ""
		default:
			l.note(w.text, who)
		}
	}
	return out
}

func findLines(lines []written, want []string, from int) int {
	for at := from; at+len(want) <= len(lines); at++ {
		if slices.EqualFunc(lines[at:at+len(want)], want, func(w written, s string) bool { return w.text == s }) {
			return at
		}
	}
	return -1
}

// format is a formatter's new text of a file: the same but for white space,
// commas, quotes and brackets. Each line is whose most of its characters are.
func (l *ledger) format(path, text string) error {
	var stream []rune
	var whose []string
	for _, w := range l.files[path] {
		for _, r := range looseText(w.text) {
			stream, whose = append(stream, r), append(whose, w.who)
		}
	}
	var out []written
	at := 0
	for _, line := range textLines(text) {
		count := map[string]int{}
		for _, r := range looseText(line) {
			if at >= len(stream) || stream[at] != r {
				return fmt.Errorf("format %s: %q is not what was there", path, line)
			}
			count[whose[at]]++
			at++
		}
		best := ""
		for who, n := range count {
			if n > count[best] || best == "" {
				best = who
			}
		}
		out = append(out, written{line, best})
	}
	if at != len(stream) {
		return fmt.Errorf("format %s: the end is missing from %q on", path, string(stream[at:]))
	}
	l.files[path] = out
	for _, w := range out {
		l.note(w.text, w.who)
	}
	return nil
}

func looseText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune(",'\"()`;", r) {
			return -1
		}
		return r
	}, s)
}

func squeezeText(s string) string { return strings.Join(strings.Fields(s), "") }

func textLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
	}
	return lines
}

func renderWritten(lines []written) string {
	var b strings.Builder
	for _, w := range lines {
		b.WriteString(w.who + "|" + w.text + "\n")
	}
	return b.String()
}
