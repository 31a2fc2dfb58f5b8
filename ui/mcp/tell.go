package mcp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/digest"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// A saying is a part of what a reader is told of a message.
type saying struct {
	part string // of get_message that gives all of it; "" for a line that is never cut
	text string
	full int  // its characters
	lost int  // characters behind them that were never looked at
	said bool // by a person, or for one to decide about: shortened last
	same bool // offsets in it are those of the part
	n    int  // characters of it that are told
}

// read makes the texts that a reader is told.
func (p *piece) read(brief bool) {
	lost := map[string]int{}
	for _, f := range p.fields {
		lost[f.name] = f.lost
	}
	add := func(part, s string, said, same bool) {
		if strings.Trim(s, "\n") == "" {
			return
		}
		n := utf8.RuneCountInString(s)
		p.texts = append(p.texts, &saying{part: part, text: s, full: n, lost: lost[part], said: said, same: same, n: n})
	}
	add("content", p.Content, p.people(), true)
	if t := p.Tool; t != nil {
		told := digest.Tell(t)
		add("params", told.Asked, told.Decides, false)
		add("diff", t.Diff, false, true)
		if t.Diff == "" {
			add("result", told.Came, told.Decides, false)
		}
	}
	for i := range p.Attachments {
		a := &p.Attachments[i]
		name := attached(a)
		switch {
		case a.Text == "":
			p.note(name)
		case brief && a.Kind == "context":
			p.note(fmt.Sprintf("%s (%s characters: get_message part=attachments)", name, quote.Number(utf8.RuneCountInString(a.Text))))
		default:
			p.note(name)
			add("attachments", a.Text, false, false)
		}
	}
}

// note adds a line that is never cut.
func (p *piece) note(line string) { p.texts = append(p.texts, &saying{text: line}) }

func attached(a *retold.Attachment) string {
	return strings.TrimSpace("attached " + a.Kind + ": " + strings.TrimSpace(a.Name+" "+a.Path))
}

// fixed is what a message takes in the text besides what can be cut.
func (p *piece) fixed() int {
	n := utf8.RuneCountInString(p.line)
	for _, t := range p.texts {
		if t.part == "" {
			n += utf8.RuneCountInString(t.text) + 1
		}
	}
	return n
}

// tellLess cuts what a reader is told, as shorten does the message.
func (p *piece) tellLess(said, done int) {
	for _, t := range p.texts {
		n := done
		if t.said {
			n = said
		}
		if t.n = t.full; t.full > n+leastCut {
			t.n = max(n, 0)
		}
	}
}

// tell writes a message for a reader: where it stands, what it says, and what is
// missing of it.
func (p *piece) tell(out *page, s *retold.Session, c *call) {
	head := []string{fmt.Sprintf("[%s#%d] %s", shortID(s.ID), p.Index, p.Role)}
	if p.Tool != nil {
		head[0] += " (" + string(p.Tool.Kind) + ")"
	}
	when := quote.When(p.Timestamp, c.at)
	if p.TimestampSource != "" && p.TimestampSource != retold.TimeStored {
		when += ", " + string(p.TimestampSource)
	}
	head = append(head, when)
	for _, mark := range []struct {
		set  bool
		name string
	}{{p.Orphan, "no longer part of the conversation"}, {p.Recovered, "rebuilt from another store"}, {p.Gone, "kept here only"}} {
		if mark.set {
			head = append(head, mark.name)
		}
	}
	out.say("%s · message %s", strings.Join(head, " · "), ident(p.ID))
	var parts, missing []string
	if p.line != "" {
		parts = append(parts, p.line)
	}
	for _, t := range p.texts {
		told, _ := quote.Cut(t.text, t.n)
		if t.part == "" {
			told = t.text
		}
		if told = strings.Trim(told, "\n"); told != "" {
			parts = append(parts, told)
		}
		if m := t.missing(); m != "" {
			missing = append(missing, fmt.Sprintf("[… %s: get_message session=%s message=%d %s]", m, shortID(s.ID), p.Index, t.rest()))
		}
	}
	if len(parts) > 0 {
		out.quote(strings.Join(parts, "\n"))
	} else if len(missing) == 0 {
		out.say("(no text)")
	}
	for _, m := range missing {
		out.say("%s", m)
	}
}

// missing says how much is not told; "" when nothing is.
func (t *saying) missing() string {
	if t.part == "" || t.n == t.full && t.lost == 0 {
		return ""
	}
	if t.n == 0 {
		return fmt.Sprintf("%s characters of %s", quote.Number(t.full+t.lost), t.part)
	}
	return fmt.Sprintf("%s more characters", quote.Number(t.full-t.n+t.lost))
}

// rest are the parameters of the call that gives what is missing.
func (t *saying) rest() string {
	if t.same && t.n > 0 {
		return fmt.Sprintf("part=%s offset=%d", t.part, t.n)
	}
	return "part=" + t.part
}
