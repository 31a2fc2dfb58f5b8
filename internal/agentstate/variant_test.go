package agentstate

import (
	"encoding/json"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold"
)

// The variants of formats E.4.
var variants = map[protowire.Number]string{
	1: "shell", 3: "delete", 4: "glob", 5: "grep", 8: "read", 9: "update_todos", 10: "read_todos", 12: "edit", 13: "ls", 14: "read_lints",
	15: "mcp", 16: "sem_search", 17: "create_plan", 18: "web_search", 19: "task", 20: "list_mcp_resources", 21: "read_mcp_resource",
	22: "apply_agent_diff", 23: "ask_question", 24: "fetch", 25: "switch_mode", 28: "generate_image", 29: "record_screen", 30: "computer_use",
	31: "write_shell_stdin", 32: "reflect", 33: "setup_vm_environment", 34: "truncated", 35: "start_grind_execution", 36: "start_grind_planning",
	37: "web_fetch", 38: "report_bugfix_results", 39: "ai_attribution", 40: "pr_management", 41: "mcp_auth", 42: "await", 43: "blame_by_file_path",
	44: "get_mcp_tools", 45: "report_bug", 46: "set_active_branch", 48: "communicate_update", 49: "send_final_summary", 50: "update_pr_code_tour",
	51: "replace_env", 52: "edit_pr_labels", 53: "record_ci_investigation_findings", 55: "send_message", 56: "fetch_cloud_agent_data",
	58: "send_to_user", 61: "pi_read", 62: "pi_bash", 63: "pi_edit", 64: "pi_write", 65: "pi_grep", 66: "pi_find", 67: "pi_ls",
	68: "connect_scm", 69: "search_conversations", 70: "create_goal", 71: "update_goal", 72: "adopt", 73: "get_agent_status",
	74: "send_to_agent", 75: "read_agent_transcript", 76: "create_agent", 77: "stop_agent", 78: "get_pr_code_tour", 79: "write_canvas", 80: "read_canvas",
}

func nest(num protowire.Number, inner []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), inner)
}

// Every variant has its name, and each way in which it can end has a status.
func TestEveryVariantAndOutcome(t *testing.T) {
	for num, name := range variants {
		if num == toolTruncated { // names its original in place of arguments
			continue
		}
		kind := fields().messages["ToolCall"][num].kind
		result := fields().messages[kind][2].kind
		outcomes := 0
		for member, ft := range fields().messages[result] {
			if ft.oneof == "" {
				continue
			}
			outcomes++
			c, err := DecodeToolCall(nest(num, append(nest(1, nil), nest(2, nest(member, nil))...)))
			if err != nil {
				t.Fatal(err)
			}
			got := c.Retold()
			if num != 15 && got.Name != name || got.Status == "" || !json.Valid(got.Params) || !json.Valid(got.Result) {
				t.Errorf("%s, %s: %+v", name, ft.name, got)
			}
			if completed := got.Status == retold.StatusCompleted; ft.name == "success" && !completed || ft.name == "error" && completed {
				t.Errorf("%s, %s: status %s", name, ft.name, got.Status)
			}
		}
		if outcomes == 0 {
			t.Errorf("%s: the table knows no outcome", name)
		}
		c, err := DecodeToolCall(nest(num, nest(1, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Retold(); got.Status != retold.StatusPending {
			t.Errorf("%s without a result: %+v", name, got)
		}
	}
	for num, ft := range fields().messages["ToolCall"] {
		if _, ok := variants[num]; ft.oneof == "tool" && !ok {
			t.Errorf("the table has a variant %d %s that the test does not know", num, ft.name)
		}
	}
}

// A call that was cut off, and whose original is lost, still tells of its failure.
func TestTruncatedCall(t *testing.T) {
	for _, c := range []struct {
		result []byte
		want   retold.ToolStatus
	}{{nil, ""}, {nest(3, nest(1, nil)), retold.StatusCompleted}, {nest(3, nest(2, nest(1, []byte("gone")))), retold.StatusFailed}} {
		call, err := DecodeToolCall(nest(toolTruncated, append(nest(1, make([]byte, 32)), c.result...)))
		if err != nil {
			t.Fatal(err)
		}
		if got := call.Retold(); got.Status != c.want || got.Params != nil {
			t.Errorf("%+v, want status %q", got, c.want)
		}
	}
}

// Every message and enum that a field names is in the table.
func TestTableIsWhole(t *testing.T) {
	scalars := []string{"string", "bytes", "bool", "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64"}
	for name, message := range fields().messages {
		for num, ft := range message {
			_, isMessage := fields().messages[ft.kind]
			_, isEnum := fields().enums[ft.kind]
			if !isMessage && !isEnum && !slices.Contains(scalars, ft.kind) {
				t.Errorf("%s.%d %s: %q is not in the table", name, num, ft.name, ft.kind)
			}
		}
	}
}
