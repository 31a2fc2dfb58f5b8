package cursor

import (
	"strings"

	"github.com/retold-history/retold"
)

// tools are Cursor's client side tools by their number (enum ClientSideToolV2,
// formats C.5). Retired numbers are absent.
var tools = map[int64]struct {
	name string
	kind retold.ToolKind
}{
	1:  {"read_semsearch_files", retold.ToolSearch},
	3:  {"ripgrep_search", retold.ToolSearch},
	5:  {"read_file", retold.ToolRead},
	6:  {"list_dir", retold.ToolList},
	7:  {"edit_file", retold.ToolEdit},
	8:  {"file_search", retold.ToolSearch},
	9:  {"codebase_search", retold.ToolSearch},
	11: {"delete_file", retold.ToolEdit},
	12: {"reapply", retold.ToolEdit},
	15: {"run_terminal_command_v2", retold.ToolShell},
	16: {"fetch_rules", retold.ToolRead},
	18: {"web_search", retold.ToolWeb},
	19: {"mcp", retold.ToolMCP},
	23: {"search_symbols", retold.ToolSearch},
	24: {"background_composer_followup", retold.ToolTask},
	25: {"update_memory", retold.ToolOther},
	26: {"fetch_pull_request", retold.ToolWeb},
	27: {"deep_search", retold.ToolSearch},
	28: {"create_diagram", retold.ToolOther},
	29: {"fix_lints", retold.ToolEdit},
	30: {"read_lints", retold.ToolRead},
	31: {"go_to_definition", retold.ToolSearch},
	32: {"task", retold.ToolTask},
	33: {"await_task", retold.ToolTask},
	34: {"todo_read", retold.ToolTodo},
	35: {"todo_write", retold.ToolTodo},
	38: {"edit_file_v2", retold.ToolEdit},
	39: {"list_dir_v2", retold.ToolList},
	40: {"read_file_v2", retold.ToolRead},
	41: {"grep", retold.ToolSearch},
	42: {"glob_file_search", retold.ToolSearch},
	43: {"create_plan", retold.ToolPlan},
	44: {"list_mcp_resources", retold.ToolMCP},
	45: {"fetch_mcp_resource", retold.ToolMCP},
	46: {"read_project", retold.ToolRead},
	47: {"update_project", retold.ToolEdit},
	48: {"task_v2", retold.ToolTask},
	49: {"call_mcp_tool", retold.ToolMCP},
	50: {"apply_agent_diff", retold.ToolEdit},
	51: {"ask_question", retold.ToolOther},
	52: {"switch_mode", retold.ToolOther},
	53: {"generate_image", retold.ToolOther},
	54: {"computer_use", retold.ToolOther},
	55: {"write_shell_stdin", retold.ToolShell},
	56: {"record_screen", retold.ToolOther},
	57: {"web_fetch", retold.ToolWeb},
	58: {"report_bugfix_results", retold.ToolOther},
	59: {"ai_attribution", retold.ToolOther},
	60: {"mcp_auth", retold.ToolMCP},
	61: {"reflect", retold.ToolOther},
	62: {"await", retold.ToolTask},
	63: {"get_mcp_tools", retold.ToolMCP},
	65: {"send_to_user", retold.ToolOther},
	66: {"connect_scm", retold.ToolOther},
}

// kindsByName are the names that models use for the tools, in lower case
// without separators. They decide where a record has no number.
var kindsByName = map[string]retold.ToolKind{
	"readfile": retold.ToolRead, "readfilev2": retold.ToolRead, "read": retold.ToolRead, "fetchrules": retold.ToolRead,
	"readlints": retold.ToolRead, "readproject": retold.ToolRead,
	"editfile": retold.ToolEdit, "editfilev2": retold.ToolEdit, "searchreplace": retold.ToolEdit, "write": retold.ToolEdit,
	"writefile": retold.ToolEdit, "createfile": retold.ToolEdit, "applypatch": retold.ToolEdit, "multiedit": retold.ToolEdit,
	"editnotebook": retold.ToolEdit, "deletefile": retold.ToolEdit, "delete": retold.ToolEdit, "reapply": retold.ToolEdit,
	"edit": retold.ToolEdit, "strreplace": retold.ToolEdit, "applyagentdiff": retold.ToolEdit,
	"runterminalcmd": retold.ToolShell, "runterminalcommand": retold.ToolShell, "runterminalcommandv2": retold.ToolShell,
	"shell": retold.ToolShell, "bash": retold.ToolShell, "writeshellstdin": retold.ToolShell,
	"grep": retold.ToolSearch, "rg": retold.ToolSearch, "ripgrep": retold.ToolSearch, "ripgrepsearch": retold.ToolSearch,
	"grepsearch": retold.ToolSearch, "ripgreprawsearch": retold.ToolSearch, "codebasesearch": retold.ToolSearch,
	"semanticsearchfull": retold.ToolSearch, "semanticsearch": retold.ToolSearch, "filesearch": retold.ToolSearch,
	"globfilesearch": retold.ToolSearch, "glob": retold.ToolSearch, "searchsymbols": retold.ToolSearch,
	"gotodefinition": retold.ToolSearch, "deepsearch": retold.ToolSearch, "readsemsearchfiles": retold.ToolSearch,
	"listdir": retold.ToolList, "listdirv2": retold.ToolList, "ls": retold.ToolList, "listdirectory": retold.ToolList,
	"websearch": retold.ToolWeb, "webfetch": retold.ToolWeb, "fetch": retold.ToolWeb, "fetchpullrequest": retold.ToolWeb,
	"task": retold.ToolTask, "taskv2": retold.ToolTask, "awaittask": retold.ToolTask, "await": retold.ToolTask,
	"todowrite": retold.ToolTodo, "todoread": retold.ToolTodo, "updatetodos": retold.ToolTodo,
	"createplan":  retold.ToolPlan,
	"callmcptool": retold.ToolMCP, "listmcpresources": retold.ToolMCP, "fetchmcpresource": retold.ToolMCP, "getmcptools": retold.ToolMCP,
}

var flatten = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// toolKind decides by number, then by name; a name with the prefix of an MCP
// server is MCP whatever follows.
func toolKind(id int64, name string) retold.ToolKind {
	if t, ok := tools[id]; ok {
		return t.kind
	}
	lower := strings.ToLower(name)
	if kind, ok := kindsByName[flatten.Replace(lower)]; ok {
		return kind
	}
	if strings.HasPrefix(lower, "mcp_") || strings.HasPrefix(lower, "mcp-") || lower == "mcp" {
		return retold.ToolMCP
	}
	return retold.ToolOther
}

// toolName is the stored name, else that of the number.
func toolName(id int64, stored string) string {
	if stored != "" {
		return stored
	}
	if t, ok := tools[id]; ok {
		return t.name
	}
	return "unknown tool"
}
