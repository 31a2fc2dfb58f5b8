package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// hits prints hits: a heading and the snippet for people, a line each in a pipe.
func (a *app) hits(list []retold.Hit) {
	if !a.tty {
		t := table{}
		for _, h := range list {
			index := ""
			if h.MessageID != "" {
				index = strconv.Itoa(h.MessageIndex)
			}
			t.add(strconv.Itoa(h.SessionIndex), h.SessionID, h.Agent, index, h.MessageID, string(h.Role), h.ToolName, isoTime(h.Timestamp), h.WorkspaceName, h.Title, h.Match)
		}
		a.print(&t)
		return
	}
	for _, h := range list {
		a.hit(h)
	}
}

// hit prints one hit for a person.
func (v *voice) hit(h retold.Hit) {
	head := []string{v.style.bold(strconv.Itoa(h.SessionIndex)), v.style.cyan(v.when(h.Timestamp))}
	if h.WorkspaceName != "" {
		head = append(head, v.style.green(oneLine(h.WorkspaceName)))
	}
	head = append(head, oneLine(speaker(h)))
	title := oneLine(h.Title)
	if h.MessageID == "" || title == "" { // the snippet is the title
		title = ""
	}
	line := strings.Join(head, "  ")
	if left := v.width - cells(line) - 2; title != "" && left >= leastLast {
		line += "  " + v.style.dim(cut(title, left))
	}
	v.line("%s", cut(line, v.width))
	text := lit(h.Match, h.Highlights, func(t string) string { return v.style.bold(v.style.yellow(t)) })
	for l := range strings.SplitSeq(lipgloss.Wrap(text, max(v.width-4, leastLast), " "), "\n") {
		v.line("    %s", strings.TrimRight(l, " "))
	}
	v.line("")
}

// speaker is who or what a hit is from, with the number of the message.
func speaker(h retold.Hit) string {
	switch {
	case h.MessageID == "":
		return "title"
	case h.ToolName != "":
		return fmt.Sprintf("%s #%d", h.ToolName, h.MessageIndex)
	}
	return fmt.Sprintf("%s #%d", h.Role, h.MessageIndex)
}

// lit is a snippet with its highlights painted.
func lit(match string, highlights [][2]int, paint func(string) string) string {
	var b strings.Builder
	at := 0
	for _, h := range highlights {
		if h[0] < at || h[1] < h[0] || h[1] > len(match) {
			continue
		}
		b.WriteString(spaced(match[at:h[0]]))
		b.WriteString(paint(spaced(match[h[0]:h[1]])))
		at = h[1]
	}
	b.WriteString(spaced(match[at:]))
	return b.String()
}

// summary says how many hits there are, where to find more, and what they are.
func (a *app) summary(o searchOptions, page *library.SearchPage) {
	p := page.Pagination
	if !a.tty || p.Total == 0 {
		return
	}
	if len(page.Data) == 0 {
		a.note("there are only %s", total(page, "hit"))
		return
	}
	what := "hit"
	if o.sessions {
		what = "session"
	}
	text := total(page, what)
	switch {
	case p.Offset > 0:
		text = fmt.Sprintf("%d–%d of %s", p.Offset+1, p.Offset+len(page.Data), text)
	case p.HasMore:
		text = fmt.Sprintf("%d of %s", len(page.Data), text)
	}
	if p.HasMore {
		text += fmt.Sprintf(" · more: --offset %d", p.Offset+len(page.Data))
	}
	a.note("%s", text)
	if line := facetLine(page.Facets, a.width); line != "" && p.Total > 1 && !page.Estimated { // else they count candidates
		a.note("%s", line)
	}
}

// total says how many hits, or sessions, there are.
func total(page *library.SearchPage, what string) string {
	n := page.Pagination.Total
	text := number(int64(n)) + " " + what
	if n != 1 {
		text += "s"
	}
	switch {
	case page.Estimated && what == "session":
		return "at least " + text
	case page.Estimated:
		return "≈" + text
	}
	return text
}

// facetLine tells the most frequent of each kind, of as many kinds as fit.
func facetLine(f retold.Facets, width int) string {
	line := ""
	for _, kind := range facetKinds(f) {
		if kind.name == "month" || len(kind.counts) < 2 {
			continue
		}
		var list []string
		for _, c := range kind.counts[:min(len(kind.counts), 3)] {
			list = append(list, fmt.Sprintf("%s %s", cmp.Or(oneLine(c.Name), unknown), number(int64(c.Count))))
		}
		if more := len(kind.counts) - 3; more > 0 {
			list = append(list, "…")
		}
		longer := strings.TrimPrefix(line+" · "+strings.Join(list, ", "), " · ")
		if cells(longer) <= width {
			line = longer
		}
	}
	return line
}

type facetKind struct {
	name   string
	counts []retold.Count
}

func facetKinds(f retold.Facets) []facetKind {
	return []facetKind{{"agent", f.Agents}, {"workspace", f.Workspaces}, {"role", f.Roles}, {"tool", f.Tools}, {"month", f.Months}}
}

// facets prints all facets: bars for people, lines in a pipe.
func (a *app) facets(f retold.Facets) {
	for _, kind := range facetKinds(f) {
		if !a.tty {
			for _, c := range kind.counts {
				a.row(kind.name, c.Name, strconv.Itoa(c.Count))
			}
			continue
		}
		var rows []barRow
		for _, c := range kind.counts {
			rows = append(rows, barRow{name: c.Name, n: c.Count})
		}
		a.bars(strings.ToUpper(kind.name[:1])+kind.name[1:]+"s", rows, len(rows))
	}
}

// row prints one tab-separated line.
func (v *voice) row(cells ...string) {
	t := table{}
	t.add(cells...)
	v.print(&t)
}
