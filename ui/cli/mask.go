package cli

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/redact"
)

// A veil masks secrets in what is printed and counts them, unless a person asked
// to see them.
type veil struct {
	lifted bool
	masked int // secrets of which the mask is shown
	listed int // those in a listing, of which a table shows only some
}

// mayReveal reports whether somebody sits in front of this: both ends of a
// conversation are a terminal. An agent that runs retold in a pipe gets no secret
// however it asks; where stdout goes is the person's own business.
func (v *voice) mayReveal() error {
	in, ok := v.in.(*os.File)
	if ok && v.errTTY && term.IsTerminal(int(in.Fd())) {
		return nil
	}
	return &retold.Error{
		Code: retold.CodeUsage, Err: errors.New("--reveal is for a person at a terminal"),
		Hint: "run it in a terminal yourself; its output may go to a file or a pipe",
	}
}

// tellMasked says that something was masked, to a person.
func (v *voice) tellMasked() {
	if v.veil.masked > 0 && v.errTTY {
		v.note("%s masked; --reveal shows them", counted(v.veil.masked, "secret"))
	}
}

func (v *veil) text(s string) string {
	if v.lifted {
		return s
	}
	return redact.Text(s)
}

// failure is the text of an error with secrets masked. A path and what is said of it
// are masked each for itself: words of ours behind a file called passwd are no secret.
func (v *veil) failure(err error) string {
	text := err.Error()
	//nolint:errorlint // every level is looked at on its own
	switch e := err.(type) {
	case *retold.Error:
		if head, ok := cutCause(text, e.Err); ok && e.Path != "" {
			return v.text(head) + ": " + v.failure(e.Err)
		}
	case *fs.PathError:
		if head, ok := cutCause(text, e.Err); ok {
			return v.text(head) + ": " + v.failure(e.Err)
		}
	default:
		inner := errors.Unwrap(err)
		_, about := errors.AsType[*fs.PathError](inner)
		if e, ok := errors.AsType[*retold.Error](inner); about || ok && e.Path != "" {
			if head, ok := strings.CutSuffix(text, inner.Error()); ok {
				return v.text(head) + v.failure(inner)
			}
		}
	}
	return v.text(text)
}

// cutCause is the text of an error without its cause.
func cutCause(text string, cause error) (head string, ok bool) {
	if cause == nil {
		return "", false
	}
	return strings.CutSuffix(text, ": "+cause.Error())
}

// session masks a session whose preview is not shown, and so not counted.
func (v *veil) session(s *retold.Session) {
	if v.lifted {
		return
	}
	preview := retold.Session{FirstMessagePreview: s.FirstMessagePreview}
	redact.Session(&preview)
	s.FirstMessagePreview = preview.FirstMessagePreview
	v.masked += redact.Session(s)
}

func (v *veil) messages(list []retold.Message) {
	if !v.lifted {
		v.masked += redact.Messages(list)
	}
}

func (v *veil) problems(list []retold.Problem) {
	for i := range list {
		if !v.lifted {
			v.masked += redact.Problem(&list[i])
		}
	}
}

// listing masks what a table or JSON is made of; shown counts what the table shows.
func (v *veil) listing(l *library.Listing) {
	if v.lifted {
		return
	}
	for i := range l.Data {
		v.listed += redact.Session(&l.Data[i])
	}
	for i := range l.Problems {
		redact.Problem(&l.Problems[i])
	}
}

// shown counts the masks in a line of a listing.
func (v *veil) shown(line string) {
	n := min(strings.Count(line, "[masked "), v.listed)
	v.listed -= n
	v.masked += n
}

func (v *veil) found(p *library.SearchPage) {
	for i := range p.Data {
		if !v.lifted {
			redact.Hit(&p.Data[i]) // masked before it was cut (library.Options.Mask); this is a second look
			v.masked += strings.Count(p.Data[i].Match+p.Data[i].Title, "[masked ")
		}
	}
	for _, kind := range facetKinds(p.Facets) {
		v.counts(kind.counts)
	}
	v.problems(p.Problems)
}

func (v *veil) counts(list []retold.Count) {
	for i := range list {
		list[i].Name = v.text(list[i].Name)
	}
}

func (v *veil) stats(s *library.StatsReport) {
	for _, list := range [][]retold.UseCount{s.Agents, s.Workspaces, s.Models} {
		for i := range list {
			list[i].Name = v.text(list[i].Name)
		}
	}
	for i := range s.Tools {
		s.Tools[i].Name = v.text(s.Tools[i].Name)
	}
	v.problems(s.Problems)
}

func (v *veil) workspaces(list []library.Workspace) {
	for i := range list {
		list[i].Path, list[i].Name = v.text(list[i].Path), v.text(list[i].Name)
	}
}

// event masks an event, whose message others may hold too.
func (v *veil) event(e library.Event) library.Event {
	v.session(&e.Session)
	if e.Message != nil && !v.lifted {
		m := *e.Message
		v.masked += redact.Message(&m)
		e.Message = &m
	}
	return e
}

// blamed shows a line as it stands in its file to whom may see that.
func (v *veil) blamed(w *journal.LineWhy) {
	if v.lifted {
		w.Text = w.Raw
	} else if w.Text != w.Raw {
		v.masked += strings.Count(w.Text, "[masked ")
	}
}
