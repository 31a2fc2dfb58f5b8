package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// leastLine is about the least that a line takes in a list.
const leastLine = 280

func (c *call) whyFile(ctx context.Context, d *desk, q journal.Asked) (*answer, error) {
	offset, limit := or(c.offset, 0), c.page(leastLine)
	total := 0
	known := map[string]*int{}
	var lines []toldLine
	for w, err := range d.journal.File(ctx, d.repo, q.Rev, q.File) {
		if err != nil {
			return nil, notInGit(err, q)
		}
		if total++; total <= offset || len(lines) == limit {
			continue
		}
		t, err := c.citedLine(ctx, w, known)
		if err != nil {
			return nil, err
		}
		lines = append(lines, t)
	}
	at := retold.Pagination{Total: total, Limit: limit, Offset: offset, HasMore: offset+len(lines) < total}
	var rows []row
	for _, t := range lines {
		short := *t.LineWhy
		if short.Prompt != nil {
			prompt, _ := quote.Cut(quote.Line(*short.Prompt), 120)
			short.Prompt = &prompt
		}
		short.Evidence = []journal.Evidence{} // told for one line
		body, err := json.Marshal(toldLine{&short, t.PromptIndex, t.MessageIndex})
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{body: quote.JSON(body)})
	}
	body, err := c.rowsBody(rows, at, footing{Notice: notice}, nil)
	if err != nil {
		return nil, err
	}
	return &answer{body: body, text: c.fileText(q, lines, at)}, nil
}

// fileText is the readable form: runs of lines that came from the same place.
func (c *call) fileText(q journal.Asked, lines []toldLine, at retold.Pagination) string {
	for {
		p := &page{}
		p.say(notice)
		p.say("Lines %d to %d of %s:", at.Offset+min(1, len(lines)), at.Offset+len(lines), quote.Number(at.Total))
		p.quote(quote.Line(q.File))
		for from := 0; from < len(lines); {
			to := from + 1
			for to < len(lines) && lines[to].made() == lines[from].made() && lines[to].where() == lines[from].where() && lines[to].Class == lines[from].Class {
				to++
			}
			t := lines[from]
			p.say("Lines %d to %d · %s · commit %s%s", t.Line, lines[to-1].Line, t.Class, t.made(), t.where())
			var texts []string
			for _, t := range lines[from:to] {
				texts = append(texts, quote.Visible(t.Text))
			}
			p.quote(quote.Safe(strings.Join(texts, "\n")))
			from = to
		}
		if at.Offset+len(lines) < at.Total {
			p.say("More: why with the same parameters and offset=%d.", at.Offset+len(lines))
		}
		text := p.String()
		if len(lines) <= 1 {
			p.within(c.max)
			return p.String()
		}
		if utf8.RuneCountInString(text) <= c.max {
			return text
		}
		lines = lines[:len(lines)*3/4]
	}
}
