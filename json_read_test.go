package retold_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
)

func fullMessage() retold.Message {
	code := 1
	return retold.Message{
		ID: "m-1", Index: 3, Role: retold.RoleTool, Content: "said \u2028 and \"quoted\"", Timestamp: time.UnixMilli(1_750_000_000_123).UTC(),
		TimestampSource: retold.TimeStored, Model: "gpt-5", Tokens: &retold.Tokens{Input: 5, Output: 7}, RequestID: "r",
		Attachments: []retold.Attachment{{Kind: "file", Name: "a.go", Path: "/home/ada/a.go", StartLine: 1, EndLine: 2, Text: "x"}},
		Orphan:      true, Recovered: true, Gone: true,
		Tool: &retold.ToolCall{
			Name: "run_terminal_cmd", Kind: retold.ToolShell, CallID: "call_1", Params: json.RawMessage(`{"command":"ls","n":1e3}`),
			Result: json.RawMessage(`"out\ud83d"`), Status: retold.StatusFailed, Files: []string{"/home/ada/a.go"}, Diff: "--- a\n", ExitCode: &code,
		},
	}
}

func fullSession() retold.Session {
	added := 0
	return retold.Session{
		ID: "s", Index: 2, Agent: "cursor", Sources: []string{"composer"}, Title: "t", WorkspacePath: "/home/ada/p", WorkspaceName: "p",
		MessageCount: 1, CreatedAt: time.UnixMilli(1_750_000_000_001).UTC(), UpdatedAt: time.UnixMilli(1_750_000_000_002).UTC(),
		TimeSource: retold.TimeStored, FirstMessagePreview: "hello", Model: "gpt-5", Mode: "agent", Branch: "main", LinesAdded: &added,
		Tokens: &retold.Tokens{Input: 1}, ParentID: "p", Archived: true, Gone: true, Problems: 1,
	}
}

// What is written as JSON is read back as it was, whole and with nothing known.
func TestJSONIsReadBack(t *testing.T) {
	same := func(name string, from, into any) {
		t.Helper()
		b, err := json.Marshal(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(from, into); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		again, err := json.Marshal(into)
		if err != nil || string(again) != string(b) {
			t.Errorf("%s: %v\n%s\n%s", name, err, b, again)
		}
	}
	unknown := retold.Session{ID: "s", Agent: "cursor", MessageCount: -1, Sources: []string{}}
	full := fullSession()
	said := retold.Message{ID: "m", Role: retold.RoleUser, Content: "hi", Attachments: []retold.Attachment{}}
	called := fullMessage()
	bare := retold.Message{ID: "m", Role: retold.RoleTool, Attachments: []retold.Attachment{}, Tool: &retold.ToolCall{Kind: retold.ToolOther, Files: []string{}}}
	same("a session of which nothing is known", &unknown, &retold.Session{})
	same("a session of which all is known", &full, &retold.Session{})
	same("what was said", &said, &retold.Message{})
	same("a tool call", &called, &retold.Message{})
	same("a tool call of which nothing is known", &bare, &retold.Message{})
	same("a conversation", &retold.SessionDetail{
		Session: full, Messages: []retold.Message{said, called, bare}, ProblemList: []retold.Problem{{Kind: "malformed", Reason: "cut"}},
	}, &retold.SessionDetail{})
	same("an empty conversation", &retold.SessionDetail{Session: unknown}, &retold.SessionDetail{})
	same("a hit", &retold.Hit{
		Key: retold.KeyOf("cursor-cli", "s"), SessionID: "s", SessionIndex: 1, Agent: "cursor-cli", MessageID: "m", MessageIndex: 0,
		Role: retold.RoleUser, Timestamp: time.UnixMilli(1).UTC(), Match: "hi", Highlights: [][2]int{{0, 2}}, Score: 0.5,
	}, &retold.Hit{})
	same("the hit of a title", &retold.Hit{
		Key: retold.KeyOf("cursor", "s"), SessionID: "s", Agent: "cursor", MessageIndex: -1, Title: "t", Highlights: [][2]int{},
	}, &retold.Hit{})
}

func TestJSONThatIsNone(t *testing.T) {
	for _, text := range []string{`[]`, `"x"`, `{"messageCount":"many"}`, `{"createdAt":"yesterday"}`, `{"messages":[1]}`, `{`} {
		var d retold.SessionDetail
		if err := json.Unmarshal([]byte(text), &d); err == nil {
			t.Errorf("%s is read as %+v", text, d)
		}
	}
}
