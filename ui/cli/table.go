package cli

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// A table prints rows: aligned columns under a heading on a terminal, in which
// the last column takes what is left of the width; lines of tab-separated
// values without a heading in a pipe.
type table struct {
	columns []column
	rows    [][]string // per column; texts may hold anything
}

type column struct {
	title string
	right bool // align to the right
	most  int  // widest it gets on a terminal; 0: as wide as its texts
	yield int  // on a terminal too narrow: first a column that yields is narrowed, then those with 1 are left out, then those with 2 …
	paint func(string) string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// print prints the rows for a person or a pipe.
func (v *voice) print(t *table) {
	if !v.tty {
		for _, row := range t.rows {
			cells := make([]string, len(row))
			for i, c := range row {
				cells[i] = tabless.Replace(plain(c))
			}
			text := strings.Join(cells, "\t")
			v.veil.shown(text)
			v.line("%s", text)
		}
		return
	}
	for _, row := range t.rows {
		for i := range row {
			row[i] = oneLine(row[i])
		}
	}
	widths := t.widths(v.width)
	line := func(row []string, paint bool) string {
		var cells []string
		for i, c := range t.columns {
			if widths[i] == 0 {
				continue
			}
			text := fit(row[i], widths[i], c.right, i == len(row)-1)
			if paint && c.paint != nil {
				text = c.paint(text)
			}
			cells = append(cells, text)
		}
		return strings.TrimRight(strings.Join(cells, "  "), " ")
	}
	heading := make([]string, len(t.columns))
	for i, c := range t.columns {
		heading[i] = c.title
	}
	v.line("%s", v.style.dim(line(heading, false)))
	for _, row := range t.rows {
		text := line(row, true)
		v.veil.shown(text)
		v.line("%s", text)
	}
}

// tabless keeps a text inside its cell of a tab-separated line.
var tabless = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

const (
	leastLast     = 16 // columns that the last column gets at least
	leastYielding = 8  // and one that is narrowed for it
)

func (t *table) widths(total int) []int {
	widths := make([]int, len(t.columns))
	used := 0
	for i, c := range t.columns {
		widths[i] = cells(c.title)
		for _, row := range t.rows {
			widths[i] = max(widths[i], cells(row[i]))
		}
		if c.most > 0 {
			widths[i] = min(widths[i], c.most)
		}
		if i < len(t.columns)-1 {
			used += widths[i] + 2
		}
	}
	last := len(widths) - 1
	lacking := min(widths[last], leastLast) - (total - used)
	give := func(i, n int) {
		widths[i] -= n
		lacking -= n
		used -= n
	}
	for i, c := range t.columns {
		if n := min(lacking, widths[i]-leastYielding); c.most > 0 && c.yield > 0 && n > 0 {
			give(i, n)
		}
	}
	for turn := 1; lacking > 0 && turn <= len(t.columns); turn++ {
		for i, c := range t.columns {
			if c.yield == turn {
				give(i, widths[i])
				lacking, used = lacking-2, used-2
			}
		}
	}
	widths[last] = min(widths[last], max(total-used, 1))
	return widths
}

// fit makes text exactly width columns wide by cutting or padding; the last
// column of a line is not padded.
func fit(text string, width int, right, last bool) string {
	text = cut(text, width)
	pad := max(width-cells(text), 0)
	switch {
	case right:
		return strings.Repeat(" ", pad) + text
	case last:
		return text
	}
	return text + strings.Repeat(" ", pad)
}

// cut shortens text to width columns, ending in an ellipsis where it was cut.
// East Asian characters and emoji take two columns.
func cut(text string, width int) string {
	if cells(text) <= width {
		return text
	}
	return lipgloss.NewStyle().MaxWidth(max(width-1, 0)).Render(text) + "…"
}

// cells is how many columns a terminal gives to text.
func cells(text string) int { return lipgloss.Width(text) }
