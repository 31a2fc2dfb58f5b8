package render

import "strings"

// Limits above which Markdown is shown as it is instead of being parsed.
const (
	maxMarkdown = 1 << 20 // bytes
	maxNesting  = 50      // quotes and list items opened by one line
	// maxInline bounds the sum over all paragraphs of the square of their
	// brackets and emphasis marks: parsing those is quadratic. At the bound a
	// parse takes about a second and a half.
	maxInline = 400_000_000
)

// tooCostly reports text that a Markdown parser would take very long over.
func tooCostly(s string) bool {
	if len(s) > maxMarkdown {
		return true
	}
	total, marks := 0, 0
	for line := range strings.Lines(s) {
		depth, blank := lineDepth(line)
		if depth > maxNesting {
			return true
		}
		if blank {
			total += marks * marks
			marks = 0
			continue
		}
		for i := range len(line) {
			switch line[i] {
			case '[', ']', '*', '_', '~':
				marks++
			}
		}
	}
	return total+marks*marks > maxInline
}

// lineDepth counts the containers that the start of a line opens, and reports
// whether nothing but white space is on it.
func lineDepth(line string) (depth int, blank bool) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t' || c == '\n':
		case c == '>':
			depth++
		case strings.IndexByte("-+*", c) >= 0 && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\t'):
			depth++
		case c >= '0' && c <= '9':
		case (c == '.' || c == ')') && i > 0 && line[i-1] >= '0' && line[i-1] <= '9':
			depth++
		default:
			return depth, false
		}
	}
	return depth, strings.TrimSpace(line) == ""
}
