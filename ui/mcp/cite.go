package mcp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// cite is how a message is cited.
func cite(s *retold.Session, m *retold.Message) string {
	return fmt.Sprintf("[%s#%d]", shortID(s.ID), m.Index)
}

// citation takes a citation apart: "[1a2b3c4d-5e6f#14]", "1a2b3c4d-5e6f#14", "#14".
func citation(s string) (session, message string, ok bool) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		s = s[1 : len(s)-1]
	}
	at := strings.LastIndexByte(s, '#')
	if at < 0 {
		return "", "", false
	}
	if _, err := strconv.Atoi(s[at+1:]); err != nil {
		return "", "", false
	}
	return s[:at], s[at+1:], true
}

// cited accepts citations, as answers have them, for sessions and messages.
func (in *input) cited(t *tool) error {
	named := "" // the session that a message was cited with
	for _, field := range []*string{&in.message, &in.around} {
		session, message, ok := citation(*field)
		if !ok {
			continue
		}
		*field = message
		if session != "" {
			named = session
		}
	}
	for i, given := range in.picked {
		if session, _, ok := citation(given); ok && session != "" {
			in.picked[i] = session
		}
	}
	if session, message, ok := citation(in.session); ok && session != "" {
		in.session = session
		switch {
		case slices.Contains(t.params, "message") && in.message == "":
			in.message = message
		case slices.Contains(t.params, "around") && in.around == "" && in.from == nil:
			in.around = message
		}
	}
	switch {
	case named == "":
	case in.session == "":
		in.session = named
	case !strings.HasPrefix(strings.ToLower(in.session), strings.ToLower(named)) && !strings.HasPrefix(strings.ToLower(named), strings.ToLower(in.session)):
		if _, err := strconv.Atoi(in.session); err != nil { // a number may mean any session
			return usage("give one of the two", "the citation is of session %s, and session is %s", named, in.session)
		}
		in.session = named
	}
	return nil
}

// has reports whether a parameter that a citation may give is there.
func (in *input) has(name string) bool {
	return name == "session" && in.session != "" || name == "message" && in.message != "" || name == "sessions" && len(in.picked) > 0
}

// fromEnd makes of the number of a message that counts from the end, -1 for the
// last, its index. Anything else it returns as it is.
func (c *call) fromEnd(ctx context.Context, message string) (string, error) {
	n, err := strconv.Atoi(message)
	if err != nil || n >= 0 {
		return message, nil
	}
	x, err := c.lib.Read(ctx, c.session, library.Window{From: n, Limit: 1})
	if err != nil {
		return "", err
	}
	if n < -x.Pagination.Total || len(x.Messages) == 0 {
		return "", usage("count from -1, the last", "there is no message %d: session %s has %s", n, shortID(x.ID), counted(x.Pagination.Total, "message"))
	}
	return fmt.Sprint(x.Messages[0].Index), nil
}
