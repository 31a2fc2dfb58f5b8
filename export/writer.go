package export

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/redact"
)

// A Writer writes several sessions into one stream. It is used by one goroutine.
type Writer struct {
	out    *bufio.Writer
	format encoder
	opt    Options
	single bool // one session is the whole document
	n      int  // sessions written
	closed bool
	err    error // the first error; everything after it is a no-op
}

// encoder is one format. What it writes goes through Writer.put, which keeps
// the first error.
type encoder interface {
	start(w *Writer) // before the first session, or before end when there is none
	session(w *Writer, d *retold.SessionDetail)
	end(w *Writer)
}

// NewWriter returns a Writer for sessions in format f: JSON becomes one array,
// JSONL session lines (type "session") each followed by its message lines (type
// "message"), CSV one table with a single header, HTML one document with all
// sessions, Markdown and text one session after another. An unknown format is told
// by the first Add or Close: a *retold.Error with CodeUsage.
func NewWriter(w io.Writer, f Format, o Options) *Writer {
	if o.Location == nil {
		o.Location = time.UTC
	}
	if o.Tools == "" {
		o.Tools = ToolsShort
	}
	e := &Writer{out: bufio.NewWriterSize(w, 64<<10), opt: o}
	switch f {
	case Markdown:
		e.format = markdownFormat{}
	case JSON:
		e.format = jsonFormat{}
	case JSONL:
		e.format = jsonlFormat{}
	case HTML:
		e.format = &htmlFormat{}
	case CSV:
		e.format = csvFormat{}
	case Text:
		e.format = textFormat{}
	default:
		_, e.err = ParseFormat(string(f))
		if e.err == nil {
			e.err = fmt.Errorf("unknown format %q", f)
		}
	}
	if _, err := ParseTools(string(o.Tools)); e.err == nil {
		e.err = err
	}
	for _, r := range o.Roles {
		if !slices.Contains(retold.Roles, r) && e.err == nil {
			e.err = &retold.Error{Code: retold.CodeUsage, Err: fmt.Errorf("there is no role %q", r), Hint: "retold.Roles lists them"}
		}
	}
	return e
}

// Add writes one session. After an error the Writer stays failed and returns
// the same error.
func (w *Writer) Add(d *retold.SessionDetail) error {
	if w.err != nil {
		return w.err
	}
	if w.n == 0 {
		w.format.start(w)
	}
	w.n++
	if !w.opt.Reveal {
		masked := *d
		if n := redact.Detail(&masked); n > 0 && w.opt.Masked != nil {
			w.opt.Masked(n)
		}
		d = &masked
	}
	w.format.session(w, d)
	return w.flush()
}

// Close ends the stream and flushes it; it does not close the writer below. It
// may be called twice.
func (w *Writer) Close() error {
	if w.err != nil || w.closed {
		return w.err
	}
	w.closed = true
	if w.n == 0 {
		w.format.start(w)
	}
	w.format.end(w)
	return w.flush()
}

func (w *Writer) flush() error {
	if w.err == nil {
		w.err = w.out.Flush()
	}
	return w.err
}

func (w *Writer) put(parts ...string) {
	for _, s := range parts {
		if w.err == nil {
			_, w.err = w.out.WriteString(s)
		}
	}
}

func (w *Writer) bytes(b []byte, err error) {
	if w.err == nil {
		w.err = err
	}
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
}

func (o Options) wants(m *retold.Message) bool {
	return len(o.Roles) == 0 || slices.Contains(o.Roles, m.Role)
}
