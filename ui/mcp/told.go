package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/retold-history/retold/ui/mcp/quote"
)

// The most items of a list and characters of a text that an answer begins with,
// and the least to which it is cut.
const (
	mostItems  = 512
	leastItems = 0
	leastText  = 60
)

// told is the answer that v is, in both forms and each within its bounds: every
// text of v is made safe, and lists and texts are cut until they fit. tell writes
// the readable form with at most so many items of a list.
func (c *call) told(v any, tell func(p *page, most int)) (*answer, error) {
	a := &answer{}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	if a.body, err = c.toldBody(quote.JSON(raw)); err != nil {
		return nil, err
	}
	for most := mostItems; ; most /= 2 {
		p := &page{}
		p.say(notice)
		tell(p, most)
		if most < mostItems {
			p.say("Shortened: at most %s of each list, max_chars was reached.", counted(most, "item"))
		}
		p.within(c.max)
		if a.text = p.String(); most <= leastItems || utf8.RuneCountInString(a.text) <= c.max {
			return a, nil
		}
	}
}

// toldBody is the structured form of an object.
func (c *call) toldBody(raw json.RawMessage) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v map[string]any
	if err := decoder.Decode(&v); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	foot := footing{Notice: notice}
	for items, chars := mostItems, c.max/2; ; {
		body, err := foot.body(inlined(raw))
		if err != nil || jsonChars(body) <= c.max || items <= leastItems && chars <= leastText {
			return body, err
		}
		if chars > 2*leastText { // texts first: of what there is, everything is named
			chars /= 2
		} else if items > leastItems {
			items /= 2
		} else {
			chars = leastText
		}
		if raw, err = json.Marshal(cutTo(v, items, chars)); err != nil {
			return nil, err
		}
		foot.Shortened = fmt.Sprintf("at most %s of each list, %s of each text; max_chars was reached", counted(items, "item"), counted(chars, "character"))
	}
}

// cutTo is a JSON value with shorter lists and texts.
func cutTo(v any, items, chars int) any {
	switch v := v.(type) {
	case string:
		head, full := quote.Cut(v, chars)
		if full > chars {
			head += "…"
		}
		return head
	case []any:
		out := make([]any, 0, min(len(v), items))
		for _, item := range v[:min(len(v), items)] {
			out = append(out, cutTo(item, items, chars))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[name] = cutTo(value, items, chars)
		}
		return out
	}
	return v
}
