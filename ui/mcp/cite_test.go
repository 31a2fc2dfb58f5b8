package mcp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/retold-history/retold"
)

// harbour is a session of ten messages, the number in each.
func harbour(s *tales) string {
	const id = "5eaf00d5-aaaa-4bbb-8ccc-0123456789ab"
	var messages []retold.Message
	for i := range 10 {
		messages = append(messages, said(retold.RoleUser, fmt.Sprintf("harbour number %d", i)))
	}
	s.tell(retold.Session{ID: id, Title: "harbour"}, messages...)
	return id
}

// What an answer cites is accepted back as it stands there, and so are places
// counted from the end.
func TestCitationsAreAccepted(t *testing.T) {
	s := &tales{}
	id := harbour(s)
	c := serveTales(t, s)
	for args, want := range map[string]string{
		`{"session": "5eaf00d5-aaaa#3"}`:                             "harbour number 3",
		`{"session": "[5eaf00d5-aaaa#3]"}`:                           "harbour number 3",
		`{"message": "5eaf00d5-aaaa#3"}`:                             "harbour number 3",
		`{"message": "[5eaf00d5-aaaa#3]", "session": "5eaf00d5"}`:    "harbour number 3",
		`{"message": "5eaf00d5-aaaa#3", "session": "1"}`:             "harbour number 3",
		`{"message": "5eaf00d5-aaaa#3", "session": "` + id + `"}`:    "harbour number 3",
		`{"message": "#3", "session": "5eaf00d5"}`:                   "harbour number 3",
		`{"message": -1, "session": "5eaf00d5"}`:                     "harbour number 9",
		`{"message": "-10", "session": "5eaf00d5"}`:                  "harbour number 0",
		`{"message": "#-2", "session": "5eaf00d5"}`:                  "harbour number 8",
		`{"message": -11, "session": "5eaf00d5"}`:                    "there is no message -11",
		`{"message": "aaaaaaaa-bbbb#3", "session": "5eaf00d5-aaaa"}`: "give one of the two",
		`{"session": "5eaf00d5-aaaa"}`:                               "needs message",
	} {
		if r := c.call("get_message", args); !strings.Contains(r.text, want) {
			t.Errorf("%s: %s", args, r.text)
		}
	}
	for args, want := range map[string]string{
		`{"session": "5eaf00d5-aaaa#6", "limit": 3}`:                  "Messages 6 to 8 of 10",
		`{"around": "5eaf00d5-aaaa#6", "limit": 3}`:                   "Messages 6 to 8 of 10",
		`{"session": "5eaf00d5", "around": "#6", "limit": 3}`:         "Messages 6 to 8 of 10",
		`{"session": "5eaf00d5", "around": -1, "limit": 3}`:           "Messages 8 to 10 of 10",
		`{"session": "5eaf00d5", "around": -4, "limit": 3}`:           "Messages 6 to 8 of 10",
		`{"session": "5eaf00d5", "around": 6, "from": 2, "limit": 3}`: "around or from, not both",
	} {
		if r := c.call("get_session", args); !strings.Contains(r.text, want) {
			t.Errorf("%s: %s", args, r.text)
		}
	}
	if text := c.answer(`prompt summarise_session {"session": "[5eaf00d5-aaaa#3]"}`); !strings.Contains(text, "harbour number 9") {
		t.Error(text)
	}
	if text := c.answer("resource retold://session/5eaf00d5/message/-1"); !strings.Contains(text, "harbour number 9") {
		t.Error(text)
	}
}

// An offset belongs to a part, and one beyond its end is said to be.
func TestOffsets(t *testing.T) {
	s := &tales{}
	s.tell(retold.Session{ID: "one-session", Title: "harbour"}, said(retold.RoleUser, strings.Repeat("x", 100)),
		ran(retold.ToolShell, "sh", `{"command":"ls"}`, "out"))
	c := serveTales(t, s)
	for args, want := range map[string]string{
		`"message": 0, "offset": 90`:                      "characters 91 to 100 of 100",
		`"message": 0, "offset": 100`:                     "it has 100 characters",
		`"message": 0, "offset": 5000, "part": "content"`: "at most 99",
		`"message": 1, "offset": 1`:                       "this message has params, result",
		`"message": 1, "offset": 1, "part": "result"`:     "characters 2 to 3 of 3",
		`"message": 1, "part": "diff"`:                    "it has params, result",
		`"message": 0, "offset": 0`:                       "xxxx",
		`"message": 0, "part": "attachments"`:             "it has content",
	} {
		if r := c.call("get_message", `{"session": "one-session", `+args+`}`); !strings.Contains(r.text, want) {
			t.Errorf("%s: %s", args, r.text)
		}
	}
}

// A question in a whole sentence is answered with what its telling words find,
// and says that it is a looser match.
func TestLooserSearch(t *testing.T) {
	s := &tales{}
	s.tell(retold.Session{ID: "one-session", Title: "boats"}, said(retold.RoleUser, "The harbour office wants a list of berths."),
		said(retold.RoleAssistant, "Berths are counted from the lighthouse."), said(retold.RoleUser, "What did we do about the pier?"))
	c := serveTales(t, s)
	type found struct {
		Looser *struct {
			Query string
			Words []retold.Count
		}
		Pagination retold.Pagination
	}
	for query, want := range map[string]struct {
		looser string
		hits   int
	}{
		"what did we decide about harbour berths":     {"harbour berths", 1},
		"what did we decide about harbour lighthouse": {"harbour OR lighthouse", 2},
		"harbour berths":    {"-", 1},
		"harbour zzz":       {"harbour", 1},
		"qqq zzz":           {"", 0},
		"harbour role:tool": {"-", 0},
	} {
		r := c.call("search_sessions", fmt.Sprintf(`{"query": %q}`, query))
		d := decode[found](t, r)
		got := "-"
		if d.Looser != nil {
			got = d.Looser.Query
		}
		if got != want.looser || d.Pagination.Total != want.hits {
			t.Errorf("%s: looser %q, %d hits; want %q, %d", query, got, d.Pagination.Total, want.looser, want.hits)
		}
		if told := strings.Contains(r.text, "have to meet in one message"); told != (got != "-") {
			t.Errorf("%s: %s", query, r.text)
		}
	}
	if text := c.answer(`prompt explain_decision {"query": "why was harbour lighthouse chosen"}`); !strings.Contains(text, "looser match") || !strings.Contains(text, "counted from the lighthouse") {
		t.Error(text)
	}
}

// Prompts bring back the conversation that asks, as tools do.
func TestPromptsIncludeCurrent(t *testing.T) {
	c := serveTales(t, harbours())
	for _, name := range []string{"explain_decision", "resume_work"} {
		for _, value := range []string{"true", "false", "maybe"} {
			args := fmt.Sprintf(`{"include_current": %q, "query": "harbour"}`, value)
			if name == "resume_work" {
				args = fmt.Sprintf(`{"include_current": %q, "workspace": "/home/ada/harbour"}`, value)
			}
			text := c.answer("prompt " + name + " " + args)
			if refused := strings.HasPrefix(text, "protocol error"); refused != (value == "maybe") {
				t.Errorf("%s %s: %s", name, args, text)
			}
		}
	}
}

// A session that is not found may be in a file that could not be read.
func TestNotFoundOrUnread(t *testing.T) {
	for _, broken := range []error{nil, errors.New("the file is damaged")} {
		s := harbours()
		s.broken = broken
		r := serveTales(t, s).call("get_session", `{"session": "no-such-one"}`)
		if told := strings.Contains(r.text, "not every file could be read") && strings.Contains(r.text, "call doctor"); told != (broken != nil) {
			t.Errorf("with %v: %s", broken, r.text)
		}
	}
}
