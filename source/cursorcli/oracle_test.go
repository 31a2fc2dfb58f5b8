package cursorcli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

const idB = "ae4f281d-f5a5-40ff-acad-6371f76d5c29"

// oracle is fixture B as Cursor's own code decodes it (protobuf's JSON mapping).
type oracle struct {
	ConversationState struct {
		Turns []oracleTurn
	}
	Subagents map[string]struct{ Turns []oracleTurn }
}

type oracleTurn struct {
	AgentConversationTurn *struct {
		UserMessage struct {
			Text, MessageID, TextBlobID string
			SelectedContext             struct {
				Files          []struct{ Content, Path string }
				SelectedImages []struct{ Path string }
			}
			StartedAtMs string
		}
		Steps []struct {
			ThinkingMessage, AssistantMessage *struct{ Text, StartedAtMs string }
			ToolCall                          map[string]json.RawMessage
		}
	}
	ShellConversationTurn *struct {
		ShellCommand, ShellOutput json.RawMessage
	}
}

func readOracle(t *testing.T) (want oracle) {
	t.Helper()
	b, err := os.ReadFile("testdata/sdk/expected/B.full-conversation.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

// turnsOfB are the messages of B's turns, without what came from archives,
// prompts and the transcript.
func turnsOfB(t *testing.T) (got []retold.Message) {
	t.Helper()
	for _, m := range read(t, copyOf(t, sdkHome), idB).Messages {
		switch {
		case m.Recovered, m.Role == retold.RoleSystem, m.Content == agentstate.Redacted:
		case m.Content == "Old question before compaction", m.Content == "Old answer before compaction":
		default:
			got = append(got, m)
		}
	}
	return got
}

func TestFixtureBAgainstCursorsOwnDecoding(t *testing.T) {
	want, got := readOracle(t), turnsOfB(t)
	next := func(role retold.Role) retold.Message {
		t.Helper()
		if len(got) == 0 || got[0].Role != role {
			t.Fatalf("want a %s message, have %+v", role, got)
		}
		m := got[0]
		got = got[1:]
		return m
	}
	for _, turn := range want.ConversationState.Turns {
		if shell := turn.ShellConversationTurn; shell != nil {
			m := next(retold.RoleTool)
			sameJSON(t, "shell command", shell.ShellCommand, m.Tool.Params)
			sameJSON(t, "shell output", shell.ShellOutput, m.Tool.Result)
			continue
		}
		u := turn.AgentConversationTurn.UserMessage
		m := next(retold.RoleUser)
		if m.ID != u.MessageID || u.TextBlobID == "" && m.Content != u.Text || u.TextBlobID != "" && m.Content == "" {
			t.Errorf("user message %s %q, want %s %q", m.ID, m.Content, u.MessageID, u.Text)
		}
		sameTime(t, m, u.StartedAtMs)
		for _, f := range u.SelectedContext.Files {
			wantAttachment(t, m, retold.Attachment{Kind: "file", Name: filepath.Base(f.Path), Path: f.Path, Text: f.Content})
		}
		for _, f := range u.SelectedContext.SelectedImages {
			wantAttachment(t, m, retold.Attachment{Kind: "image", Name: filepath.Base(f.Path), Path: f.Path})
		}
		for _, step := range turn.AgentConversationTurn.Steps {
			switch {
			case step.ThinkingMessage != nil:
				m := next(retold.RoleThinking)
				if m.Content != step.ThinkingMessage.Text {
					t.Errorf("thinking %q, want %q", m.Content, step.ThinkingMessage.Text)
				}
				sameTime(t, m, step.ThinkingMessage.StartedAtMs)
			case step.AssistantMessage != nil:
				m := next(retold.RoleAssistant)
				if m.Content != step.AssistantMessage.Text {
					t.Errorf("answer %q, want %q", m.Content, step.AssistantMessage.Text)
				}
				sameTime(t, m, step.AssistantMessage.StartedAtMs)
			default:
				sameTool(t, next(retold.RoleTool), step.ToolCall)
			}
		}
	}
	if len(got) > 0 {
		t.Errorf("messages beyond the turns: %+v", got)
	}
}

func TestSubagentsOfBAgainstCursorsOwnDecoding(t *testing.T) {
	want := readOracle(t)
	if len(want.Subagents) == 0 {
		t.Fatal("no sub-agents")
	}
	for id, sub := range want.Subagents {
		s := read(t, copyOf(t, sdkHome), id)
		if len(s.Messages) != 2 || s.ParentID != idB || s.Messages[0].Content != sub.Turns[0].AgentConversationTurn.UserMessage.Text ||
			s.Messages[0].ID != sub.Turns[0].AgentConversationTurn.UserMessage.MessageID {
			t.Errorf("sub-agent %s: %+v", id, s)
		}
	}
}

// sameTool compares arguments, result, id and times of a call.
func sameTool(t *testing.T, m retold.Message, want map[string]json.RawMessage) {
	t.Helper()
	for name, raw := range want {
		switch name {
		case "toolCallId":
			sameJSON(t, name, raw, json.RawMessage(strconv.Quote(m.Tool.CallID)))
		case "startedAtMs":
			var ms string
			if err := json.Unmarshal(raw, &ms); err != nil {
				t.Fatal(err)
			}
			sameTime(t, m, ms)
		case "completedAtMs":
		case "truncatedToolCall": // shown as the call it stands for
			if m.Tool.Name != "read" || m.Tool.Result == nil {
				t.Errorf("truncated call is shown as %+v", m.Tool)
			}
		default:
			var call struct{ Args, Result map[string]any }
			if err := json.Unmarshal(raw, &call); err != nil {
				t.Fatal(err)
			}
			var params, result map[string]any
			if err := json.Unmarshal(m.Tool.Params, &params); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(m.Tool.Result, &result); err != nil {
				t.Fatal(err)
			}
			delete(result, agentstate.ModelOutput)
			if diff := cmp.Diff(call.Args, params); diff != "" {
				t.Errorf("%s args (-want +got)\n%s", name, diff)
			}
			if diff := cmp.Diff(call.Result, result); diff != "" {
				t.Errorf("%s result (-want +got)\n%s", name, diff)
			}
		}
	}
}

func sameJSON(t *testing.T, what string, want, got json.RawMessage) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(want, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &b); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

// sameTime wants a stored time to be the message's.
func sameTime(t *testing.T, m retold.Message, ms string) {
	t.Helper()
	if ms == "" {
		return
	}
	n, err := strconv.ParseInt(ms, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if want := time.UnixMilli(n).UTC(); !m.Timestamp.Equal(want) || m.TimestampSource != retold.TimeStored {
		t.Errorf("message %s: %v (%s), want %v", m.ID, m.Timestamp, m.TimestampSource, want)
	}
}

func wantAttachment(t *testing.T, m retold.Message, want retold.Attachment) {
	t.Helper()
	if slices.Contains(m.Attachments, want) {
		return
	}
	t.Errorf("message %s has no attachment %+v among %+v", m.ID, want, m.Attachments)
}
