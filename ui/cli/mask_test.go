package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/redact/redacttest"
)

// A person who asks sees secrets; anybody else is told how many were masked, at
// a terminal and not in JSON.
func TestVeil(t *testing.T) {
	token := redacttest.Tokens(2)[1]
	for name, c := range map[string]struct {
		lifted, tty, json bool
		seen              bool
		note              string
	}{
		"pipe":            {note: ""},
		"terminal":        {tty: true, note: "2 secrets masked; --reveal shows them\n"},
		"JSON":            {tty: true, json: true, note: ""},
		"lifted":          {lifted: true, tty: true, seen: true, note: ""},
		"lifted, in JSON": {lifted: true, tty: true, json: true, seen: true, note: ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			v := voice{out: bufio.NewWriter(&out), err: &errs, errTTY: c.tty, json: c.json, veil: veil{lifted: c.lifted}}
			message := &retold.Message{Role: retold.RoleUser, Content: "use " + token.Value}
			e := v.veil.event(library.Event{Session: retold.Session{Title: token.Value}, Message: message})
			if err := v.printJSON(e); err != nil {
				t.Fatal(err)
			}
			if err := v.printJSON(map[string]string{"nobody masked this": token.Value}); err != nil {
				t.Fatal(err)
			}
			if err := v.out.Flush(); err != nil {
				t.Fatal(err)
			}
			v.tellMasked()
			if seen := strings.Count(out.String(), token.Value); c.seen != (seen == 3) || !c.seen && seen > 0 {
				t.Errorf("seen %d times in %s", seen, out.String())
			}
			if errs.String() != c.note {
				t.Errorf("said %q, want %q", errs.String(), c.note)
			}
			if !strings.Contains(message.Content, token.Value) {
				t.Error("a message that others hold was changed")
			}
		})
	}
}

// A listing counts the secrets whose masks its table shows, not those in what
// only JSON has.
func TestListingCountsWhatIsShown(t *testing.T) {
	token := redacttest.Tokens(2)[1].Value
	for name, c := range map[string]struct {
		tty   bool
		width int
		title string
		want  int
	}{
		"title":            {true, 100, "use " + token, 1},
		"cut away":         {true, 40, strings.Repeat("word ", 12) + token, 0},
		"nothing in sight": {true, 100, "a title", 0},
		"pipe":             {false, 0, "use " + token, 2},
	} {
		t.Run(name, func(t *testing.T) {
			a, out := onTerminal(c.width)
			a.tty = c.tty
			l := new(library.Listing)
			l.Data = []retold.Session{{
				Index: 1, ID: "id-1", Agent: "cursor", WorkspaceName: "tides", Title: c.title,
				FirstMessagePreview: "see " + token, WorkspacePath: "/home/ada/" + token, Branch: token,
			}}
			l.Problems = []retold.Problem{{Reason: token}}
			a.veil.listing(l)
			a.sessions(l.Data)
			if err := a.out.Flush(); err != nil {
				t.Fatal(err)
			}
			if a.veil.masked != c.want {
				t.Errorf("%d counted, want %d, in:\n%s", a.veil.masked, c.want, out)
			}
			if strings.Contains(out.String(), token) || strings.Contains(l.Data[0].Branch+l.Problems[0].Reason, token) {
				t.Errorf("leaks: %s", out)
			}
		})
	}
}

// Our own words behind a file called passwd are no secret; one in a path, or in what
// is said of it, is.
func TestErrorsKeepTheirWords(t *testing.T) {
	token := redacttest.Tokens(2)[1].Value
	for _, c := range []struct {
		err  error
		want string // "" when the secret has to be gone
	}{
		{&retold.Error{Op: "read backup", Path: "/etc/passwd", Err: errors.New("damaged: it does not begin as a backup does")}, "read backup /etc/passwd: damaged: it does not begin as a backup does"},
		{fmt.Errorf("look around: %w", &fs.PathError{Op: "open", Path: "/home/ada/password", Err: errors.New("incorrect-mode")}), "look around: open /home/ada/password: incorrect-mode"},
		{&retold.Error{Op: "read backup", Path: "/x/" + token, Err: errors.New("damaged")}, ""},
		{&retold.Error{Op: "read backup", Path: "/x", Err: fmt.Errorf("it says %s", token)}, ""},
		{fmt.Errorf("password: %w", errors.New(token)), ""},
	} {
		got := (&veil{}).failure(c.err)
		if c.want != "" && got != c.want || strings.Contains(got, token) {
			t.Errorf("%q, want %q", got, c.want)
		}
		if got := (&veil{lifted: true}).failure(c.err); got != c.err.Error() {
			t.Errorf("lifted: %q, want %q", got, c.err)
		}
	}
}
