package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func whyTool() *tool {
	return &tool{
		name: "why", title: "Which conversation wrote this",
		description: "Say which conversation a line of a file, a whole file or a commit came from: the prompt, the edit, and the evidence. Works for all of a repository's history; never guesses by time alone.\n" +
			"Examples: {\"file\": \"api/retry.go\", \"line\": 42}; {\"file\": \"api/retry.go\", \"offset\": 100}; {\"commit\": \"HEAD~2\"}.",
		params:   []string{"file", "line", "commit", "repo", "limit", "offset", "max_chars"},
		describe: map[string]string{"file": "path of the file: absolute, or as seen from repo", "commit": "the commit asked about; with file the state of it that is meant, otherwise as it lies there"},
		output:   whySchema(), kind: onDisk,
		run: (*call).why,
	}
}

func (c *call) why(ctx context.Context) (*answer, error) {
	switch {
	case len(c.files) > 1:
		return nil, usage("call once for each", "why takes one file")
	case len(c.files) == 0 && c.commit == "":
		return nil, usage("give file, with line for one line of it, or commit", "why needs something to explain")
	case len(c.files) == 0 && c.line != nil:
		return nil, usage("give file as well", "line is a line of a file")
	}
	d, err := c.desk(ctx)
	if err != nil {
		return nil, err
	}
	if len(c.files) == 0 {
		return c.whyCommit(ctx, d)
	}
	rev := ""
	if c.commit != "" || d.repo.Bare {
		if rev, err = c.commitID(ctx, d); err != nil {
			return nil, err
		}
	}
	// With a line, so that no end of the name is taken for one.
	q, err := journal.Ask(ctx, d.repo, d.folder, rev, fmt.Sprintf("%s:%d", c.files[0], or(c.line, 1)))
	if err != nil {
		return nil, err
	}
	if c.line != nil {
		return c.whyLine(ctx, d, q)
	}
	q.Line = 0
	return c.whyFile(ctx, d, q)
}

func (c *call) whyCommit(ctx context.Context, d *desk) (*answer, error) {
	id, err := c.commitID(ctx, d)
	if err != nil {
		return nil, err
	}
	a, err := d.journal.Explain(ctx, d.repo, id)
	if err != nil {
		return nil, err
	}
	prompts := make([]string, len(a.Links))
	for i, l := range a.Links {
		if prompts[i], err = d.journal.Prompt(ctx, l.Key, l.MessageIndex); err != nil {
			return nil, err
		}
		prompts[i] = quote.Safe(prompts[i])
	}
	return c.told(a, func(p *page, most int) {
		p.say("Commit %s is %s.", shortCommit(a.Commit), inWords(a.Class))
		if a.SameAs != "" {
			p.say("It is the same change as %s.", shortCommit(a.SameAs))
		}
		if a.Reason != "" {
			p.quote(quote.Line(a.Reason))
		}
		for i, l := range atMost(a.Links, most) {
			p.say("[%s#%d] %s, score %g, wrote %s%s", shortID(l.SessionID), l.MessageIndex, l.Class, l.Score, counted(l.Lines, "line"), tied(l.Uncertain))
			p.quote(prompts[i])
			p.evidence(atMost(l.Evidence, most))
		}
	})
}

func tied(uncertain bool) string {
	if uncertain {
		return "; uncertain: another conversation explains it as well"
	}
	return ""
}

// A toldLine is where a line came from, with what cites it.
type toldLine struct {
	*journal.LineWhy
	PromptIndex  *int `json:"promptIndex"`
	MessageIndex *int `json:"messageIndex"`
}

// cited adds the indexes of messages that a line's answer names; nil for what is
// gone. known are those that were found.
func (c *call) citedLine(ctx context.Context, w *journal.LineWhy, known map[string]*int) (toldLine, error) {
	t := toldLine{LineWhy: w}
	if w.SessionID == nil {
		return t, nil
	}
	for _, at := range []struct {
		id *string
		to **int
	}{{w.PromptID, &t.PromptIndex}, {w.MessageID, &t.MessageIndex}} {
		if at.id == nil {
			continue
		}
		key := *w.SessionID + "\x00" + *at.id
		n, ok := known[key]
		if !ok {
			_, m, err := c.lib.Message(ctx, *w.SessionID, *at.id)
			if ctx.Err() != nil {
				return t, ctx.Err()
			}
			if err == nil { // else it was forgotten since, and is known by its id alone
				n = &m.Index
			}
			known[key] = n
		}
		*at.to = n
	}
	return t, nil
}

// where cites a line's conversation.
func (t *toldLine) where() string {
	if t.SessionID == nil {
		return ""
	}
	cites := ""
	if t.PromptIndex != nil {
		cites = fmt.Sprintf(" [%s#%d]", shortID(*t.SessionID), *t.PromptIndex)
	}
	if t.MessageIndex != nil && (t.PromptIndex == nil || *t.PromptIndex != *t.MessageIndex) {
		cites += fmt.Sprintf(", edit [%s#%d]", shortID(*t.SessionID), *t.MessageIndex)
	}
	if cites == "" {
		return " session " + shortID(*t.SessionID)
	}
	return cites
}

// made says which commit a line is of.
func (t *toldLine) made() string {
	if t.Commit == nil {
		return "not committed"
	}
	return shortCommit(*t.Commit)
}

func (c *call) whyLine(ctx context.Context, d *desk, q journal.Asked) (*answer, error) {
	w, err := d.journal.Line(ctx, d.repo, q.Rev, q.File, q.Line)
	if err != nil {
		return nil, notInGit(err, q)
	}
	t, err := c.citedLine(ctx, w, map[string]*int{})
	if err != nil {
		return nil, err
	}
	return c.told(t, func(p *page, most int) {
		p.say("Line %d, commit %s, is %s.", w.Line, t.made(), inWords(w.Class))
		p.quote(quote.Line(w.File) + "\n" + quote.Safe(w.Text))
		if w.Reason != "" {
			p.quote(quote.Line(w.Reason))
		}
		for _, id := range atMost(w.Through, most) {
			p.say("Commit %s only moved or reformatted it.", shortCommit(id))
		}
		if w.SessionID == nil {
			return
		}
		p.say("Asked for in%s; score %g. What was asked:", t.where(), w.Score)
		if w.Prompt != nil {
			p.quote(quote.Safe(*w.Prompt))
		}
		p.evidence(atMost(w.Evidence, most))
	})
}

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
			prompt, _ := quote.Cut(quote.Preview(*short.Prompt), 120)
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

var evidenceSchema = list(record(object{
	"kind": str("what it is"), "weight": object{"type": "number"}, "detail": str("in words"), "messageIds": list(object{"type": "string"}, "where it stands"),
}, "messageIds"), "reasons, weighed")

// whySchema is that of the three answers of why: about a commit, a line, or the
// lines of a file.
func whySchema() object {
	members := object{
		"commit": maybe("full id; null for what is not committed"), "class": choice("linked, possible or none: how sure it is", "linked", "possible", "none"), "reason": str("why there is no link"),
		"file": str("path in the repository"), "line": integer("from 1"), "text": str("of the line"), "sessionId": maybe("conversation"), "messageId": maybe("edit"), "prompt": maybe("what was asked"),
		"score": object{"type": "number"}, "evidence": evidenceSchema, "promptId": maybe("of the prompt"), "promptIndex": maybeInt("session#index cites it"), "messageIndex": maybeInt("session#index cites it"),
		"agent": str("cursor, …"), "how": str("same, space, wrapped or moved"), "through": list(object{"type": "string"}, "commits that only moved it"),
		"links": list(object{"type": "object"}, "turns of conversations (sessionId, messageId, messageIndex, class, score, lines, evidence), best first"),
		"spans": list(object{"type": "object"}, "parts of conversations"), "files": list(object{"type": "object"}, "who wrote which lines"),
		"considered": integer("sessions"), "unreadable": integer("sessions"), "timeSource": str("the weakest"), "sameAs": str("commit"),
		"data": list(object{"type": "object"}, "of a file: its lines, each as the answer about one, without evidence"), "pagination": pageSchema,
	}
	optional := make([]string, 0, len(members))
	for name := range members {
		optional = append(optional, name)
	}
	return deedSchema(members, optional...)
}
