package cli

import (
	"cmp"
	"strings"
)

// A barRow is one bar of a chart with what it stands for.
type barRow struct {
	name string
	n    int
	note string // said behind the bar
}

// unknown stands for a name that nobody recorded.
const unknown = "(unknown)"

const (
	widestName = 28 // columns of the names beside bars
	widestBar  = 40
)

// bars prints a chart of bars under a title, at most most of them, as wide as
// the terminal allows. Nothing is printed of an empty list.
func (v *voice) bars(title string, rows []barRow, most int) {
	if len(rows) == 0 {
		return
	}
	left := len(rows) - most
	rows = rows[:min(len(rows), most)]
	names, numbers, top := 0, 0, 0
	for i := range rows {
		rows[i].name = cmp.Or(oneLine(rows[i].name), unknown)
		names = max(names, min(cells(rows[i].name), widestName))
		numbers = max(numbers, cells(number(int64(rows[i].n))))
		top = max(top, rows[i].n)
	}
	names = max(min(names, v.width-numbers-10), 6)
	width := min(max(v.width-names-numbers-6, 0), widestBar)
	v.line("\n%s", v.style.bold(title))
	for _, r := range rows {
		line := "  " + fit(r.name, names, false, false) + "  " + fit(number(int64(r.n)), numbers, true, false) + "  "
		length := block(r.n, top, width)
		line += v.style.green(length)
		if pad := width - cells(length) + 1; r.note != "" && v.width-cells(line)-pad >= cells(r.note) {
			line += strings.Repeat(" ", pad) + v.style.dim(r.note)
		}
		v.line("%s", strings.TrimRight(line, " "))
	}
	if left > 0 {
		v.line("  %s", v.style.dim("… and "+number(int64(left))+" more (--json has all)"))
	}
}

// block is n of top as a bar of at most width columns, to an eighth of a column;
// what is not zero is never invisible.
func block(n, top, width int) string {
	if n <= 0 || top <= 0 || width <= 0 {
		return ""
	}
	eighths := max(int(float64(n)/float64(top)*float64(width)*8), 1)
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

// spark is counts as one line of columns an eighth to a whole line high.
func spark(counts []int) string {
	top := 0
	for _, n := range counts {
		top = max(top, n)
	}
	var b strings.Builder
	for _, n := range counts {
		if n <= 0 {
			b.WriteRune(' ')
			continue
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[min(n*8/top, 7)])
	}
	return b.String()
}
