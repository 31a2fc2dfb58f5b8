package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

const (
	mostWeeks  = 53
	fewestWeek = 8 // fewer are not worth a map
	dayLabels  = 4 // columns before the weeks
)

// shades stand for no messages and for ever more.
var shades = [...]string{"·", "░", "▒", "▓", "█"}

// heatMap prints a column for each week and a row for each weekday, up to the
// last day with messages: as many weeks as there is room for, at most a year.
func (a *app) heatMap(days []retold.DayCount) {
	weeks, first := calendar(days, (a.width-2-dayLabels)/2)
	if len(weeks) == 0 {
		return
	}
	limits := thresholds(weeks)
	a.line("")
	a.line("  %s%s", strings.Repeat(" ", dayLabels), a.style.dim(months(first, len(weeks))))
	for day, name := range []string{"Mon", "", "Wed", "", "Fri", "", "Sun"} {
		a.line("  %s%s", a.style.dim(fmt.Sprintf("%-*s", dayLabels, name)), a.shaded(weeks, day, limits))
	}
	legend := []string{a.shade(0) + " " + a.style.dim("0")}
	low := 1
	for i, limit := range limits {
		to := fmt.Sprintf("–%s", number(int64(limit)))
		switch {
		case i == len(limits)-1 && limit >= low:
			to = "+"
		case limit < low:
			continue
		case limit == low:
			to = ""
		}
		legend = append(legend, a.shade(i+1)+" "+a.style.dim(number(int64(low))+to))
		low = limit + 1
	}
	a.line("  %s%s %s", strings.Repeat(" ", dayLabels), strings.Join(legend, "  "), a.style.dim("messages a day"))
}

// shaded is the row of one weekday, painted in as few pieces as it takes.
func (a *app) shaded(weeks [][7]int, day int, limits [len(shades) - 1]int) string {
	var row, piece strings.Builder
	active := false
	flush := func() {
		paint := a.style.dim
		if active {
			paint = a.style.green
		}
		row.WriteString(paint(piece.String()))
		piece.Reset()
	}
	for i, week := range weeks {
		if week[day] < 0 {
			break // after the last day
		}
		at := level(week[day], limits)
		if active != (at > 0) {
			flush()
			active = at > 0
		}
		if i > 0 {
			piece.WriteByte(' ')
		}
		piece.WriteString(shades[at])
	}
	flush()
	return row.String()
}

func (a *app) shade(level int) string {
	if level == 0 {
		return a.style.dim(shades[0])
	}
	return a.style.green(shades[level])
}

// calendar sorts the last days into weeks that begin on Monday, at most so many;
// -1 stands for days that are still to come. first is the Monday it begins with.
func calendar(days []retold.DayCount, most int) (weeks [][7]int, first time.Time) {
	if len(days) == 0 || most < fewestWeek {
		return nil, first
	}
	last, err := time.Parse(time.DateOnly, days[len(days)-1].Day)
	begin, begun := time.Parse(time.DateOnly, days[0].Day)
	if err != nil || begun != nil {
		return nil, first // no days of a calendar
	}
	monday := func(t time.Time) time.Time { return t.AddDate(0, 0, -weekday(t)) }
	n := min(int(monday(last).Sub(monday(begin)).Hours()/(7*24))+1, most, mostWeeks)
	n = max(n, min(most, fewestWeek))
	first = monday(last).AddDate(0, 0, -7*(n-1))
	weeks = make([][7]int, n)
	for day := weekday(last) + 1; day < 7; day++ {
		weeks[n-1][day] = -1
	}
	for _, d := range days {
		t, err := time.Parse(time.DateOnly, d.Day)
		if err != nil || t.Before(first) {
			continue
		}
		at := int(t.Sub(first).Hours() / 24)
		weeks[at/7][at%7] = d.Messages
	}
	return weeks, first
}

// weekday is 0 for Monday.
func weekday(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

// thresholds are the most messages a day of each shade: quarters of the days
// that have any, so that one frantic day does not make the others pale.
func thresholds(weeks [][7]int) (out [len(shades) - 1]int) {
	var counts []int
	for _, week := range weeks {
		for _, n := range week {
			if n > 0 {
				counts = append(counts, n)
			}
		}
	}
	slices.Sort(counts)
	for i := range out {
		if len(counts) > 0 {
			out[i] = counts[(len(counts)-1)*(i+1)/len(out)]
		}
	}
	return out
}

// level is the shade of a day.
func level(n int, limits [len(shades) - 1]int) int {
	if n <= 0 {
		return 0
	}
	for i, limit := range limits {
		if n <= limit {
			return i + 1
		}
	}
	return len(limits)
}

// months are the names of months above the weeks in which they begin.
func months(first time.Time, weeks int) string {
	line := []rune(strings.Repeat(" ", 2*weeks+2))
	free := 0
	for w := range weeks {
		monday := first.AddDate(0, 0, 7*w)
		if at := 2 * w; (w == 0 || monday.Day() <= 7) && at >= free {
			name := monday.Format("Jan")
			if w == 0 && monday.AddDate(0, 0, 14).Month() != monday.Month() {
				continue // the next begins too soon
			}
			copy(line[at:], []rune(name))
			free = at + len(name) + 1
		}
	}
	return strings.TrimRight(string(line), " ")
}
