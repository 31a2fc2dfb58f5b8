package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// An answer is both forms of what a tool has to say.
type answer struct {
	body []byte // a JSON object
	text string
}

// fits reports whether both forms have at most n characters.
func (a *answer) fits(n int) bool {
	return jsonChars(a.body) <= n && utf8.RuneCountInString(a.text) <= n
}

// A member is one of the JSON object. A value that is written already is a
// json.RawMessage, so that no message is written twice; one without a name is an
// object whose members are taken in.
type member struct {
	name  string
	value any
}

// inlined are the members of an object that is written already.
func inlined(object []byte) member { return member{value: json.RawMessage(object)} }

// listed is a list of values that are written already.
func listed(values [][]byte) json.RawMessage {
	return slices.Concat([]byte("["), bytes.Join(values, []byte(",")), []byte("]"))
}

// answer writes both forms.
func (f *footing) answer(p *page, members ...member) (*answer, error) {
	body, err := f.body(members...)
	if err != nil {
		return nil, err
	}
	return &answer{body: body, text: p.String()}, nil
}

// body writes the structured form.
func (f *footing) body(members ...member) ([]byte, error) {
	body, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	body = body[:len(body)-1]
	for _, m := range members {
		raw, ok := m.value.(json.RawMessage)
		if !ok {
			if raw, err = json.Marshal(m.value); err != nil {
				return nil, fmt.Errorf("write %s: %w", m.name, err)
			}
		}
		body = append(body, ',')
		if m.name == "" {
			body = append(body, raw[1:len(raw)-1]...)
			continue
		}
		body = append(body, '"')
		body = append(body, m.name...)
		body = append(body, '"', ':')
		body = append(body, raw...)
	}
	return append(body, '}'), nil
}

// A row is one item of a list in both forms.
type row struct {
	body []byte
	text *page
}

// page is how many items of a list to read: no more than may fit, when each takes
// at least so many characters.
func (c *call) page(each int) int {
	return min(or(c.limit, retold.DefaultLimit), c.max/each+1)
}

// rows is a page of a list: in each form as many rows as it has room for, at least
// one, and where that form goes on. extra are further members of the JSON.
func (c *call) rows(what string, rows []row, at retold.Pagination, foot footing, extra []member, tool string) (*answer, error) {
	foot.Notice = notice
	fewer := foot
	body, err := c.rowsBody(rows, at, fewer, extra)
	if err != nil {
		return nil, err
	}
	n, used := 0, 0
	tail := &page{}
	foot.tell(tail)
	if foot.Looser != nil {
		foot.Looser.tell(tail)
	}
	for _, r := range rows {
		if used += r.text.chars(); n > 0 && used > c.max-700-tail.chars() {
			break
		}
		n++
	}
	foot.Shortened = c.ended(&at, n)
	p := &page{}
	p.say(notice)
	if foot.Looser != nil {
		foot.Looser.tell(p)
	}
	switch {
	case at.Total == 0:
		p.say("No %s fits.", what)
	case n == 0:
		p.say("No %s here: there are %s.", what, quote.Number(at.Total))
	default:
		p.say("%ss %s to %s of %s:", capital(what), quote.Number(at.Offset+1), quote.Number(at.Offset+n), quote.Number(at.Total))
	}
	for _, r := range rows[:n] {
		p.add(r.text)
	}
	if at.HasMore {
		p.say("More: %s with the same parameters and offset=%d.", tool, at.Offset+n)
	}
	foot.tell(p)
	return &answer{body: body, text: p.String()}, nil
}

// rowsBody is the structured form of a page.
func (c *call) rowsBody(rows []row, at retold.Pagination, foot footing, extra []member) ([]byte, error) {
	base, err := json.Marshal(foot)
	if err != nil {
		return nil, err
	}
	room, n, used := c.max-300-extraChars(extra)-jsonChars(base), 0, 0
	for _, r := range rows {
		if used += jsonChars(r.body) + 1; n > 0 && used > room {
			break
		}
		n++
	}
	foot.Shortened = c.ended(&at, n)
	var data [][]byte
	for _, r := range rows[:n] {
		data = append(data, r.body)
	}
	return foot.body(append([]member{{"data", listed(data)}, {"pagination", at}}, extra...)...)
}

// ended ends a page after n items, and says so where more were asked for.
func (c *call) ended(at *retold.Pagination, n int) string {
	asked := min(or(c.limit, retold.DefaultLimit), at.Total-at.Offset)
	if n >= asked {
		at.Limit = or(c.limit, retold.DefaultLimit)
		return ""
	}
	at.Limit, at.HasMore = n, true
	return fmt.Sprintf("%d of the %d asked for, max_chars was reached", n, asked)
}

func extraChars(extra []member) (n int) {
	for _, m := range extra {
		raw, err := json.Marshal(m.value)
		if err != nil {
			return 0 // said when it is written
		}
		n += utf8.RuneCount(raw) + len(m.name) + 4
	}
	return n
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func contains(list []string, s string) bool { return slices.Contains(list, s) }

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}
