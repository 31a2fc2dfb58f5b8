package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/render"
)

// A voice decides how things are said. The rules: data goes to stdout, all else
// to stderr; a terminal gets tables, colour and local times, a pipe plain lines
// with tabs and ISO times; notes and progress appear only to people (never with
// --json, progress only on a terminal).
type voice struct {
	in       io.Reader
	out      *bufio.Writer
	err      io.Writer
	tty      bool // stdout is a terminal
	errTTY   bool
	errWidth int  // columns of the terminal that stderr is
	shown    bool // progress stands on the terminal's last line
	width    int  // columns of the terminal; 0 when stdout is none
	height   int
	json     bool
	style    style // on stdout
	errStyle style // on stderr
	veil     veil
}

func newVoice(s Streams) voice {
	v := voice{in: s.In, out: bufio.NewWriterSize(s.Out, 64<<10), err: s.Err}
	if f, ok := s.Out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		v.tty, v.width, v.height = true, 80, 24
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			v.width, v.height = w, h
		}
	}
	if f, ok := s.Err.(*os.File); ok {
		if v.errTTY = term.IsTerminal(int(f.Fd())); v.errTTY {
			v.errWidth = 80
			if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
				v.errWidth = w
			}
		}
	}
	return v
}

// paint turns colours on where when ("auto", "always", "never") wants them.
func (v *voice) paint(when string, getenv func(string) string) {
	wanted := func(tty bool) style {
		switch when {
		case "always":
			return true
		case "never":
			return false
		}
		return style(tty && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb")
	}
	v.style, v.errStyle = wanted(v.tty), wanted(v.errTTY)
	if v.style || v.errStyle {
		lipgloss.EnableLegacyWindowsANSI(os.Stdout)
		lipgloss.EnableLegacyWindowsANSI(os.Stderr)
	}
}

func (v *voice) flush() error {
	v.progress("")
	return v.out.Flush()
}

// printJSON prints data as indented JSON. Secrets that no command has masked are
// masked here.
func (v *voice) printJSON(data any) error {
	if v.veil.lifted {
		return v.printVeiled(data)
	}
	var b bytes.Buffer
	if err := indented(&b, data); err != nil {
		return err
	}
	_, err := v.out.Write(redact.JSON(b.Bytes()))
	return err
}

// printVeiled prints data that is masked already; looking for secrets once more
// in the longest session there is would be felt.
func (v *voice) printVeiled(data any) error { return indented(v.out, data) }

func indented(w io.Writer, data any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(data)
}

// printLine prints data as JSON on one line, at once: somebody waits for it.
func (v *voice) printLine(data any) error {
	e := json.NewEncoder(v.out)
	e.SetEscapeHTML(false)
	return errors.Join(e.Encode(data), v.flush())
}

// line prints one line of data.
func (v *voice) line(format string, args ...any) {
	v.progress("")
	_, _ = fmt.Fprintf(v.out, format+"\n", args...) // the last flush tells of a failed write
}

// note tells a person something beside the data. A program that asked for JSON
// is not told: what it needs is in the data.
func (v *voice) note(format string, args ...any) {
	if !v.json {
		v.catchUp()
		v.tell(v.errStyle.dim(plain(v.veil.text(fmt.Sprintf(format, args...)))) + "\n")
	}
}

// catchUp prints what was said on stdout before something is said on stderr. A
// write that fails stays failed, so the last flush tells of it.
func (v *voice) catchUp() { _ = v.flush() }

// progress shows how far a long job is, on a terminal only; an empty text
// removes the line. Whatever else is said removes it first.
func (v *voice) progress(text string) {
	if !v.errTTY || v.json || text == "" && !v.shown {
		return
	}
	v.shown = text != ""
	v.tell("\r\x1b[K" + cut(oneLine(text), max(v.errWidth-1, 1)))
}

// tell writes to stderr. When that fails there is nobody left to tell.
func (v *voice) tell(text string) { _, _ = io.WriteString(v.err, text) }

// plain makes text harmless for a terminal.
func plain(s string) string { return render.Plain(s) }

// oneLine makes text harmless and fit for one cell of a table.
func oneLine(s string) string { return strings.Join(strings.Fields(plain(s)), " ") }

// style colours text, or leaves it alone when false. Only the sixteen colours a
// person's own theme defines are used, so light and dark both work.
type style bool

func (s style) sgr(code, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(t string) string   { return s.sgr("1", t) }
func (s style) dim(t string) string    { return s.sgr("2", t) }
func (s style) red(t string) string    { return s.sgr("31", t) }
func (s style) green(t string) string  { return s.sgr("32", t) }
func (s style) yellow(t string) string { return s.sgr("33", t) }
func (s style) cyan(t string) string   { return s.sgr("36", t) }
