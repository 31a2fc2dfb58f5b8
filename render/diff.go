package render

import (
	"html"
	"strings"
)

// DiffHTML renders a unified diff as a block of lines, each with the class of
// what it does: "d-add", "d-del", "d-hunk", "d-file" or "d-ctx".
func DiffHTML(diff string) (safe string) {
	var b strings.Builder
	b.Grow(len(diff) + len(diff)/2)
	b.WriteString(`<pre class="diff" tabindex="0"><code>`)
	eachDiffLine(Plain(diff), func(kind, line string) {
		b.WriteString(`<span class="d-` + kind + `">`)
		b.WriteString(html.EscapeString(line))
		b.WriteString("\n</span>")
	})
	b.WriteString("</code></pre>\n")
	return b.String()
}

// DiffTerminal renders a unified diff for a terminal, coloured by line when
// color is set. Every line ends with \n.
func DiffTerminal(diff string, color bool) string {
	var b strings.Builder
	b.Grow(len(diff) + len(diff)/4)
	eachDiffLine(Plain(diff), func(kind, line string) {
		on := ""
		if color {
			on = map[string]string{"add": green, "del": red, "hunk": cyan, "file": bold}[kind]
		}
		b.WriteString(on + line)
		if on != "" {
			b.WriteString(reset)
		}
		b.WriteByte('\n')
	})
	return b.String()
}

// eachDiffLine classifies the lines of a unified diff. "---" and "+++" are file
// names only before the first hunk of a file, so that a removed SQL comment
// ("--- x") stays a removed line: inside a hunk the counts of its header say
// how many lines belong to it.
func eachDiffLine(diff string, fn func(kind, line string)) {
	before, after := 0, 0
	for line := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		inHunk := before > 0 || after > 0
		kind := "ctx"
		switch {
		case strings.HasPrefix(line, "@@"):
			kind = "hunk"
			before, after = hunkCounts(line)
		case !inHunk && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "index ")):
			kind = "file"
		case strings.HasPrefix(line, "+"):
			kind = "add"
			after--
		case strings.HasPrefix(line, "-"):
			kind = "del"
			before--
		case strings.HasPrefix(line, `\`):
		default:
			before, after = before-1, after-1
		}
		fn(kind, line)
	}
}

// hunkCounts reads "@@ -1,4 +1,5 @@": lines before and after.
func hunkCounts(header string) (before, after int) {
	fields := strings.Fields(header)
	if len(fields) < 3 {
		return 0, 0
	}
	return rangeCount(fields[1]), rangeCount(fields[2])
}

func rangeCount(r string) int {
	_, count, found := strings.Cut(r, ",")
	if !found {
		return 1
	}
	n := 0
	for _, c := range count {
		if c < '0' || c > '9' || n > 1<<30 {
			return n
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// DiffStat counts the lines a unified diff adds and removes.
func DiffStat(diff string) (added, removed int) {
	eachDiffLine(diff, func(kind, _ string) {
		switch kind {
		case "add":
			added++
		case "del":
			removed++
		}
	})
	return added, removed
}
