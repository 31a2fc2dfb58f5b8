package agentstate_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// What the turns of fixture B do not show, against Cursor's own decoding.
func TestStateOfFixtureB(t *testing.T) {
	c := decodeB(t)
	b, err := os.ReadFile(filepath.Join(fixtures, "expected/B.full-conversation.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		ConversationState struct {
			Todos []struct {
				ID, Content, Status string
				Dependencies        []string
			}
			Summary struct{ Summary string }
			Turns   []json.RawMessage
		}
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if c.Summary != want.ConversationState.Summary.Summary || len(c.Turns) != len(want.ConversationState.Turns) {
		t.Errorf("summary %q, %d turns", c.Summary, len(c.Turns))
	}
	if len(c.Todos) != len(want.ConversationState.Todos) {
		t.Fatalf("to-dos: %+v", c.Todos)
	}
	for i, w := range want.ConversationState.Todos {
		got := c.Todos[i]
		status := strings.ToLower(strings.TrimPrefix(w.Status, "TODO_STATUS_"))
		if got.ID != w.ID || got.Content != w.Content || got.Status != status || cmp.Diff(got.Dependencies, w.Dependencies) != "" {
			t.Errorf("to-do %+v, want %+v", got, w)
		}
	}
	if c.Mode != "agent" || c.Branch != "main" || len(c.Timings) != 2 || c.Timings[0].Duration != 21*time.Second {
		t.Errorf("mode %q, branch %q, timings %v", c.Mode, c.Branch, c.Timings)
	}
	if diff := cmp.Diff([]string{"file:///home/dev/projects/shop.api"}, c.Workspaces); diff != "" {
		t.Error(diff)
	}
	if len(c.Plans) != 1 || !strings.HasSuffix(c.Plans[0].Path, "release-a1b2c3d4.plan.md") || len(c.Files) != 1 {
		t.Errorf("plans %+v, files %+v", c.Plans, c.Files)
	}
	if len(c.Subagents) != 1 || c.Subagents[0].Type != "explore" || c.Subagents[0].State == nil || len(c.Subagents[0].State.Turns) != 1 {
		t.Errorf("sub-agents %+v", c.Subagents)
	}
	if len(c.Problems) != 0 {
		t.Errorf("problems %+v", c.Problems)
	}
}

// A state that contains itself as its own sub-agent comes to an end.
func TestStateOfItself(t *testing.T) {
	id := strings.Repeat("\x01", 32)
	entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "me")
	entry = protowire.AppendString(protowire.AppendTag(entry, 2, protowire.BytesType), id)
	root := protowire.AppendBytes(protowire.AppendTag(nil, 31, protowire.BytesType), entry)
	sub := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), root)
	c, err := agentstate.Decode(root, oneBlob(sub), agentstate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	for c.Subagents != nil {
		c, depth = c.Subagents[0].State, depth+1
		if c == nil {
			break
		}
	}
	if depth == 0 || depth > 12 {
		t.Errorf("%d levels", depth)
	}
}

// A state that names more than the limit is read as far as the limit goes.
func TestStateBeyondLimit(t *testing.T) {
	var root []byte
	for range 100 {
		root = protowire.AppendBytes(protowire.AppendTag(root, 8, protowire.BytesType), make([]byte, 32))
	}
	c, err := agentstate.Decode(root, oneBlob(nil), agentstate.Options{MaxNodes: 10})
	if err != nil || len(c.Turns) != 10 || c.Problems[len(c.Problems)-1].Kind != retold.ProblemMalformed {
		t.Errorf("%d turns, %v, %v", len(c.Turns), c.Problems, err)
	}
}

func TestToolCallOfBinary(t *testing.T) {
	for _, raw := range toolSteps(t) {
		c, err := agentstate.DecodeToolCall(raw)
		if err != nil {
			t.Fatal(err)
		}
		got := c.Retold()
		if c.ID == "toolu_B1" {
			if got.Kind != retold.ToolShell || got.ExitCode == nil || *got.ExitCode != 1 || got.Status != retold.StatusFailed {
				t.Errorf("%+v", got)
			}
			return
		}
	}
	t.Error("the shell call of fixture B was not found")
}

func TestKindOf(t *testing.T) {
	for name, want := range map[string]retold.ToolKind{
		"web_search": retold.ToolWeb, "StrReplace": retold.ToolEdit, "Shell": retold.ToolShell, "LS": retold.ToolList,
		"TodoWrite": retold.ToolTodo, "mcp_github_create_issue": retold.ToolMCP, "mcp-github-x": retold.ToolMCP, "tool_99": retold.ToolOther,
		"SemanticSearch": retold.ToolSearch, "Task": retold.ToolTask, "CreatePlan": retold.ToolPlan, "read_file": retold.ToolRead, "": retold.ToolOther,
	} {
		if got := agentstate.KindOf(name); got != want {
			t.Errorf("KindOf(%q) = %s, want %s", name, got, want)
		}
	}
}
