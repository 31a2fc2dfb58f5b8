package cursor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A window is the part of two texts around where they differ. Comparing only
// that costs what changed, not what the file holds.
type window struct {
	before, after string
	lines         int  // lines of both texts above it
	cut           bool // there are lines below it
}

// around cuts off the lines that both texts begin and end with, but for context
// lines on each side.
func around(before, after string, context int) window {
	head := 0
	for n := min(len(before), len(after)); head < n && before[head] == after[head]; head++ {
	}
	head = lineStart(before, head)
	for range context {
		head = lineStart(before, head-1)
	}
	b, a := before[head:], after[head:]
	tail := 0
	for n := min(len(b), len(a)); tail < n && b[len(b)-1-tail] == a[len(a)-1-tail]; tail++ {
	}
	// The tail begins with a whole line, context lines further down. Without a
	// whole line in common nothing is cut.
	cut := len(b) - tail
	for range context + 1 {
		i := strings.IndexByte(b[cut:], '\n')
		if i < 0 {
			cut = len(b)
			break
		}
		cut += i + 1
	}
	tail = len(b) - cut
	return window{b[:cut], a[:len(a)-tail], strings.Count(before[:head], "\n"), tail > 0}
}

// framed reports whether a diff of the window has all its context at the edges
// where the texts go on. Among repeated lines a change can be laid right against
// an edge; a patch program then takes the edge for the end of the file.
func (w window) framed(diff string, context int) bool {
	lines := strings.Split(strings.TrimSuffix(diff, "\n"), "\n")
	kept := func(edge []string) bool {
		return !slices.ContainsFunc(edge, func(line string) bool { return !strings.HasPrefix(line, " ") })
	}
	const heads = 3 // ---, +++, @@
	if len(lines) < heads+context {
		return w.lines == 0 && !w.cut
	}
	return (w.lines == 0 || kept(lines[heads:heads+context])) && (!w.cut || kept(lines[len(lines)-context:]))
}

// lineStart is the start of the line that holds byte i.
func lineStart(s string, i int) int {
	if i <= 0 {
		return 0
	}
	return strings.LastIndexByte(s[:i], '\n') + 1
}

// shift moves the hunks of a diff down by n lines. Only a hunk's head begins with
// an @: every line of its body has a mark before it.
func shift(diff string, n int) string {
	if n == 0 {
		return diff
	}
	var b strings.Builder
	for line := range strings.Lines(diff) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "@@ ") && len(fields) >= 4 {
			line = fmt.Sprintf("@@ %s %s @@\n", moved(fields[1], n), moved(fields[2], n))
		}
		b.WriteString(line)
	}
	return b.String()
}

// moved adds n to the line of a range such as "-12,3".
func moved(span string, n int) string {
	line, rest, ranged := strings.Cut(span[1:], ",")
	k, err := strconv.Atoi(line)
	if err != nil { // not a range: nothing to move
		return span
	}
	out := span[:1] + strconv.Itoa(k+n)
	if ranged {
		out += "," + rest
	}
	return out
}
