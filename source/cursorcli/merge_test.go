package cursorcli_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/cursorcli"
)

// talk makes messages of lines: "u text", "a text", "t text" (thinking), "e text",
// "s text" (system), "$ tool" with an optional call id behind a space.
func talk(lines ...string) []retold.Message {
	roles := map[string]retold.Role{"u": retold.RoleUser, "a": retold.RoleAssistant, "t": retold.RoleThinking, "e": retold.RoleError, "s": retold.RoleSystem}
	kinds := map[string]retold.ToolKind{"Shell": retold.ToolShell, "Read": retold.ToolRead}
	var out []retold.Message
	for _, l := range lines {
		kind, text, _ := strings.Cut(l, " ")
		m := retold.Message{Role: roles[kind], Content: text}
		if kind == "$" {
			name, id, _ := strings.Cut(text, " ")
			m = retold.Message{Role: retold.RoleTool, Tool: &retold.ToolCall{Name: name, Kind: kinds[name], CallID: id}}
		}
		out = append(out, m)
	}
	return out
}

func TestWhatACopyHasBeyondTheBackbone(t *testing.T) {
	for name, c := range map[string]struct{ base, copy, want []string }{
		"nothing":                       {[]string{"u a?", "a b."}, []string{"u a?", "a b."}, nil},
		"white space is no difference":  {[]string{"u a  b?", "a c\n\nd."}, []string{"u a b?", "a c d."}, nil},
		"a later turn":                  {[]string{"u a?", "a b."}, []string{"u a?", "a b.", "u c?", "a d."}, []string{"u c?", "a d."}},
		"the same question twice":       {[]string{"u go", "a one"}, []string{"u go", "a one", "u go", "a two"}, []string{"u go", "a two"}},
		"an answer the store lost":      {[]string{"u a?"}, []string{"u a?", "a b."}, []string{"a b."}},
		"an error":                      {[]string{"u a?", "a b."}, []string{"u a?", "a b.", "e down"}, []string{"e down"}},
		"thinking behind the text":      {[]string{"u a?", "t why", "a b."}, []string{"u a?", "a b.\n\nwhy"}, nil},
		"thinking apart from the text":  {[]string{"u a?", "a b.\n\nwhy"}, []string{"u a?", "t why", "a b."}, nil},
		"withheld thinking":             {[]string{"u a?", "a b."}, []string{"u a?", "t [REDACTED]", "a b."}, nil},
		"think tags stripped":           {[]string{"u a?", "a b. <think>x</think>c."}, []string{"u a?", "a b. c."}, nil},
		"tools by count":                {[]string{"u a?", "$ Shell 1", "$ Read 2"}, []string{"u a?", "$ Shell", "$ Read", "$ Shell"}, []string{"$ Shell"}},
		"tools by id":                   {[]string{"u a?", "$ Shell 1"}, []string{"u a?", "$ Shell 1", "$ Shell 1"}, nil},
		"notices stay where they are":   {[]string{"u a?", "a b."}, []string{"s env", "u a?", "a b.", "s [turn aborted]"}, nil},
		"a question in other words":     {[]string{"u see @x", "a b."}, []string{"u see x", "a b."}, nil},
		"a question without an answer":  {[]string{"u a?", "a b."}, []string{"u other?"}, []string{"u other?"}},
		"turns in another order":        {[]string{"u a?", "a 1", "u b?", "a 2"}, []string{"u b?", "a 2", "u a?", "a 1"}, nil},
		"an oversize message":           {[]string{"u a?", "a very long"}, []string{"u a?", "a [Oversize transcript blob omitted: 7 MB]"}, nil},
		"words that come apart by luck": {[]string{"u a?", "a b. c."}, []string{"u a?", "a b.\n\nd."}, []string{"a b.\n\nd."}},
	} {
		got := cursorcli.Lacking(talk(c.base...), talk(c.copy...))
		if diff := cmp.Diff(talk(c.want...), got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// Forty thousand turns that begin with the same word are compared in no time, in
// either length.
func TestCopyOfRepetitions(t *testing.T) {
	var long []string
	for i := range 40_000 {
		long = append(long, "u go", fmt.Sprintf("a %d", i))
	}
	short := long[:20_000]
	if got := cursorcli.Lacking(talk(long...), talk(long...)); got != nil {
		t.Errorf("%d messages too many", len(got))
	}
	if got := cursorcli.Lacking(talk(long...), talk(short...)); got != nil {
		t.Errorf("%d messages too many", len(got))
	}
	if got := cursorcli.Lacking(talk(short...), talk(long...)); len(got) != len(long)-len(short) {
		t.Errorf("%d messages, want %d", len(got), len(long)-len(short))
	}
}
