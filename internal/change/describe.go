package change

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Description is a plan as a person or a program looks at it.
type Description struct {
	Title       string     `json:"title"`
	Fingerprint string     `json:"fingerprint"`
	Rows        int        `json:"rows"`
	Files       int        `json:"files"`
	Bytes       int64      `json:"bytes"` // of the values written
	Databases   []Counted  `json:"databases"`
	Steps       []Sentence `json:"steps"`
}

// Counted is how many rows of a table of a database are written.
type Counted struct {
	Path    string `json:"path"`
	Table   string `json:"table"`
	Added   int    `json:"added"`
	Changed int    `json:"changed"`
	Removed int    `json:"removed"`
}

// A Sentence says what one step does. Before and After are shortened to the part
// in which they differ; nil where there is nothing.
type Sentence struct {
	Session string  `json:"session,omitempty"`
	Do      string  `json:"do"`   // "add row", "change row", "remove row", "make", "copy", "replace", "remove", "rename", "swap"
	Path    string  `json:"path"` // database or file
	Table   string  `json:"table,omitempty"`
	Key     string  `json:"key,omitempty"`
	From    string  `json:"from,omitempty"`
	Before  *string `json:"before"`
	After   *string `json:"after"`
}

// excerpt is how much of a value a description shows, in bytes.
const excerpt = 160

// Describe says what the plan does, step by step.
func (p *Plan) Describe() (*Description, error) {
	d := &Description{Title: p.Title, Fingerprint: p.Fingerprint(), Databases: []Counted{}, Steps: []Sentence{}}
	index := map[[2]string]int{}
	for i := range p.steps {
		s := &p.steps[i]
		if s.File != nil {
			d.Files++
			d.Steps = append(d.Steps, s.sentenceOfFile())
			if s.File.After != nil && s.File.Op != opRename && s.File.Op != opSwap {
				d.Bytes += s.File.After.Data.Size
			}
			continue
		}
		d.Rows++
		key := [2]string{s.Row.Database, s.Row.Table}
		n, known := index[key]
		if !known {
			n = len(d.Databases)
			index[key] = n
			d.Databases = append(d.Databases, Counted{Path: key[0], Table: key[1]})
		}
		sentence, err := p.sentenceOfRow(s)
		if err != nil {
			return nil, err
		}
		switch {
		case s.Row.Before == nil:
			d.Databases[n].Added++
		case s.Row.After == nil:
			d.Databases[n].Removed++
		default:
			d.Databases[n].Changed++
		}
		if s.Row.After != nil {
			for _, c := range s.Row.After.Cells {
				d.Bytes += c.Value.Size
			}
		}
		d.Steps = append(d.Steps, sentence)
	}
	return d, nil
}

func (s *step) sentenceOfFile() Sentence {
	f := s.File
	out := Sentence{Session: s.Session, Do: f.Op, Path: f.Path, From: f.From}
	for _, side := range []struct {
		f  *file
		to **string
	}{{f.Before, &out.Before}, {f.After, &out.After}} {
		if side.f == nil {
			continue
		}
		text := fmt.Sprintf("file, %d bytes, mode %04o", side.f.Data.Size, side.f.Mode)
		if side.f.Dir {
			text = "folder"
		}
		*side.to = &text
	}
	if f.Op == opSwap {
		out.Before, out.After = &out.Path, &out.From
	}
	if f.Op == opRename {
		out.Before, out.After = &out.From, &out.Path
	}
	return out
}

func (p *Plan) sentenceOfRow(s *step) (Sentence, error) {
	r := s.Row
	out := Sentence{Session: s.Session, Do: "change row", Path: r.Database, Table: r.Table}
	keys := make([]string, len(r.Key))
	for i := range r.Key {
		keys[i] = r.Key[i].Value.text()
	}
	out.Key = strings.Join(keys, " ")
	switch {
	case r.Before == nil:
		out.Do = "add row"
	case r.After == nil:
		out.Do = "remove row"
	}
	before, err := p.shown(r.Before, r.After)
	if err != nil {
		return out, err
	}
	after, err := p.shown(r.After, r.Before)
	if err != nil {
		return out, err
	}
	out.Before, out.After = before, after
	if before != nil && after != nil {
		b, a := differing(*before, *after)
		out.Before, out.After = &b, &a
		return out, nil
	}
	for _, side := range []**string{&out.Before, &out.After} {
		if *side != nil {
			short := clip(**side, 0, excerpt)
			*side = &short
		}
	}
	return out, nil
}

// shown is the cells of a row that are not those of another one, as text.
func (p *Plan) shown(r, other *row) (*string, error) {
	if r == nil {
		return nil, nil
	}
	var parts []string
	for i := range r.Cells {
		c := &r.Cells[i]
		if other != nil && i < len(other.Cells) && c.Value.same(&other.Cells[i].Value) || c.Column == "key" {
			continue
		}
		v, err := p.spool.get(&c.Value)
		if err != nil {
			return nil, err
		}
		bare := value{Class: v.Class, Int: v.Int, Float: v.Float, Bytes: v.Bytes}
		text := bare.text()
		if c.Column != "value" {
			text = c.Column + "=" + text
		}
		parts = append(parts, text)
	}
	text := strings.Join(parts, " ")
	return &text, nil
}

// differing cuts two texts to where they begin to differ.
func differing(a, b string) (string, string) {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	from := max(n-excerpt/4, 0)
	return clip(a, from, excerpt), clip(b, from, excerpt)
}

// clip cuts a text without cutting a character, and marks where it did.
func clip(s string, from, size int) string {
	to := min(from+size, len(s))
	for from > 0 && from < len(s) && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && to > from && !utf8.RuneStart(s[to]) {
		to--
	}
	text := strings.ToValidUTF8(s[min(from, to):to], "\ufffd")
	if from > 0 {
		text = "…" + text
	}
	if to < len(s) {
		text += "…"
	}
	return text
}
