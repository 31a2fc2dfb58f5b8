package prose

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

// Bounds of what a model is given of an entry.
const (
	mostInput = 48 << 10 // bytes
	mostItems = 256      // of each list; as many hardly fit
)

// material is what a model is given of an entry.
type material struct {
	entry *journal.Entry // masked and shortened: what a sentence may rest on
	json  []byte         // the same, as it is sent
}

// citable reports whether there is anything that a sentence could cite.
func (m *material) citable() bool { return len(sourceOf(m.entry).cites) > 0 }

// material masks an entry and shortens it until it fits.
func (w *Writer) material(e *journal.Entry) (*material, error) {
	bare := *e
	bare.Prose = nil
	limit(&bare, mostItems) // texts are cut when they are masked: half a secret is not known as one
	data, err := encode(&bare)
	if err != nil {
		return nil, err
	}
	m := &material{entry: &journal.Entry{}}
	if err := json.Unmarshal(w.o.Mask(data), m.entry); err != nil {
		return nil, fmt.Errorf("mask the entry of %s: %w", e.Commit.ID, err)
	}
	for _, shorten := range shortenings() {
		if m.json, err = encode(m.entry); err != nil {
			return nil, err
		}
		if len(m.json) <= mostInput {
			return m, nil
		}
		shorten(m.entry)
	}
	return nil, &retold.Error{Code: CodeModel, Op: "ask about commit", Path: e.Commit.ID, Err: errors.New("its entry is too large even when shortened")}
}

// shortenings make an entry smaller, the least telling parts first. The last of
// them is only followed by giving up.
func shortenings() (list []func(*journal.Entry)) {
	list = append(list, func(e *journal.Entry) {
		for i := range e.Sessions {
			e.Sessions[i].Evidence = nil
		}
		e.Read, e.Searched = atMost(e.Read, 20), atMost(e.Searched, 20)
		for i := range e.Files {
			e.Files[i].Wrote = atMost(e.Files[i].Wrote, 3)
		}
	})
	for _, n := range []int{2000, 600} {
		list = append(list, func(e *journal.Entry) { clipTexts(e, n) })
	}
	list = append(list, func(e *journal.Entry) {
		for i := range e.Intent {
			e.Intent[i].More = ""
		}
		for i := range e.Tasks {
			e.Tasks[i].More = ""
		}
		for i := range e.Discussion {
			e.Discussion[i].More = ""
		}
		e.Read, e.Searched = nil, nil
	})
	for n := 64; n >= 1; n /= 2 {
		list = append(list, func(e *journal.Entry) { limit(e, n) })
	}
	return append(list, func(*journal.Entry) {})
}

// clipTexts cuts texts to so many bytes.
func clipTexts(e *journal.Entry, n int) {
	e.Commit.Body = clip(e.Commit.Body, n)
	for _, quotes := range [][]journal.Quote{e.Intent, e.Tasks, e.Discussion} {
		for i := range quotes {
			quotes[i].Text, quotes[i].More = clip(quotes[i].Text, n), clip(quotes[i].More, n)
		}
	}
	for i := range e.Todos {
		e.Todos[i].Text = clip(e.Todos[i].Text, n)
	}
	for i := range e.Roadblocks {
		e.Roadblocks[i].Text, e.Roadblocks[i].Command = clip(e.Roadblocks[i].Text, n), clip(e.Roadblocks[i].Command, n)
	}
	for i := range e.Commands {
		e.Commands[i].Text = clip(e.Commands[i].Text, n)
	}
	for i := range e.Reflections {
		e.Reflections[i].Text = clip(e.Reflections[i].Text, n)
	}
}

// limit cuts every list to so many items.
func limit(e *journal.Entry, n int) {
	e.Sessions, e.Intent, e.Todos = atMost(e.Sessions, n), atMost(e.Intent, n), atMost(e.Todos, n)
	e.Tasks = atMost(e.Tasks, n)
	e.Files, e.Discussion, e.Roadblocks = atMost(e.Files, n), atMost(e.Discussion, n), atMost(e.Roadblocks, n)
	e.Commands, e.Models, e.Reflections = atMost(e.Commands, n), atMost(e.Models, n), atMost(e.Reflections, n)
	e.Read, e.Searched, e.Commit.Parents = atMost(e.Read, n), atMost(e.Searched, n), atMost(e.Commit.Parents, n)
}

func atMost[T any](list []T, n int) []T { return list[:min(len(list), n)] }

// clip cuts a text to so many bytes, between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// encode is JSON that is safe to print: characters that a terminal acts on, or
// that nobody sees, are written as escapes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	data := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if !bytes.ContainsFunc(data, unseen) {
		return data, nil
	}
	var out bytes.Buffer
	for _, r := range string(data) {
		switch {
		case !unseen(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes(), nil
}

// unseen reports whether a character is a control or format character.
func unseen(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
