package library_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// What somebody wrote by hand is refused by the message and the member.
func TestReadExportNamesTheMember(t *testing.T) {
	const fine = `{"role":"user","content":"x"}`
	for _, c := range []struct{ messages, want string }{
		{`[` + fine + `,{"role":"wizard","content":"x"}]`, `session a: message 1: "role" is "wizard", and is to be one of user, assistant, thinking, tool, error, system`},
		{`[{"content":"x"}]`, `message 0: "role" is "", and`},
		{`[{"role":"user","content":null}]`, `message 0: "content" is null, and is to be a text`},
		{`[{"role":"assistant"}]`, `message 0: "content" is missing, and is to be a text`},
		{`[{"role":"user","content":7}]`, `message 0: "content" is or holds a JSON number where a text is to be`},
		{`[` + fine + `,` + fine + `,{"role":"tool","content":"","files":"x"}]`, `message 2: "files" is or holds a JSON string where a list is to be`},
		{`[{"role":"tool","toolParams":[]}]`, `message 0: "toolParams" is a list, and is to be an object`},
		{`[{"role":"user","content":"x","timestamp":"yesterday"}]`, `message 0: "timestamp" is "yesterday", and is to be a time`},
		{`[{"role":"user","content":"x","exitCode":"1"}]`, `"exitCode" is or holds a JSON string where a whole number`},
		{`[null]`, `message 0: it is null, and is to be an object`},
		{`["x"]`, `message 0: it is a text`},
		{`{}`, `"messages" is an object, and is to be a list`},
		{`[]`, `session a: it has no messages`},
		{`null`, `session a: it has no messages`},
	} {
		for _, doc := range []string{`{"id":"a","agent":"b","messages":` + c.messages + `}`, `[{"id":"z","agent":"b","messages":[` + fine + `]},{"id":"a","agent":"b","messages":` + c.messages + `}]`} {
			all, _, err := library.ReadExport(strings.NewReader(doc))
			if len(all) > 0 || !errors.Is(err, retold.ErrInvalidExport) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", doc, err, c.want)
			}
			if doc[0] == '[' && !strings.Contains(err.Error(), "session 1: ") {
				t.Errorf("%v: which one?", err)
			}
		}
	}
	if _, _, err := library.ReadExport(strings.NewReader(`{"id":"a","agent":"b","title":5,"messages":[]}`)); err == nil || !strings.Contains(err.Error(), `"title" is or holds a JSON number`) {
		t.Error(err)
	}
}

// What nobody knows is named and left out.
func TestReadExportUnknown(t *testing.T) {
	all, unknown, err := library.ReadExport(strings.NewReader(
		`{"id":"a","agent":"b","colour":1,"messages":[{"role":"user","content":"x","mood":1},{"role":"tool","mood":2}]}`))
	if err != nil || len(all) != 1 || len(all[0].Messages) != 2 {
		t.Fatalf("%v, %v", all, err)
	}
	if diff := cmp.Diff([]string{`"colour"`, `"messages[].mood" (2 times)`}, unknown); diff != "" {
		t.Error(diff)
	}
}
