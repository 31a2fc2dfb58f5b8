package agentstate

import (
	"strings"

	"github.com/retold-history/retold"
)

// kinds maps the names of tools, in lower case and without separators, both the
// variants of agent.v1.ToolCall and the names that the models are given.
var kinds = map[string]retold.ToolKind{
	"read": retold.ToolRead, "readfile": retold.ToolRead, "piread": retold.ToolRead,
	"readlints": retold.ToolRead, "readcanvas": retold.ToolRead,

	"edit": retold.ToolEdit, "write": retold.ToolEdit, "strreplace": retold.ToolEdit, "searchreplace": retold.ToolEdit,
	"multiedit": retold.ToolEdit, "editnotebook": retold.ToolEdit, "applypatch": retold.ToolEdit, "editfile": retold.ToolEdit,
	"delete": retold.ToolEdit, "deletefile": retold.ToolEdit, "applyagentdiff": retold.ToolEdit,
	"piedit": retold.ToolEdit, "piwrite": retold.ToolEdit, "writecanvas": retold.ToolEdit,

	"shell": retold.ToolShell, "bash": retold.ToolShell, "pibash": retold.ToolShell, "writeshellstdin": retold.ToolShell,
	"runterminalcmd": retold.ToolShell, "runterminalcommand": retold.ToolShell, "runterminalcommandv2": retold.ToolShell,

	"grep": retold.ToolSearch, "glob": retold.ToolSearch, "semsearch": retold.ToolSearch, "semanticsearch": retold.ToolSearch,
	"codebasesearch": retold.ToolSearch, "globfilesearch": retold.ToolSearch, "rg": retold.ToolSearch,
	"pigrep": retold.ToolSearch, "pifind": retold.ToolSearch, "searchconversations": retold.ToolSearch,

	"ls": retold.ToolList, "listdir": retold.ToolList, "pils": retold.ToolList,

	"websearch": retold.ToolWeb, "webfetch": retold.ToolWeb, "fetch": retold.ToolWeb,

	"mcp": retold.ToolMCP, "callmcptool": retold.ToolMCP, "listmcpresources": retold.ToolMCP, "readmcpresource": retold.ToolMCP,
	"fetchmcpresource": retold.ToolMCP, "getmcptools": retold.ToolMCP, "mcpauth": retold.ToolMCP,

	"task": retold.ToolTask, "createagent": retold.ToolTask, "sendtoagent": retold.ToolTask, "stopagent": retold.ToolTask,
	"getagentstatus": retold.ToolTask, "readagenttranscript": retold.ToolTask, "adopt": retold.ToolTask,

	"updatetodos": retold.ToolTodo, "readtodos": retold.ToolTodo, "todowrite": retold.ToolTodo, "todoread": retold.ToolTodo,

	"createplan": retold.ToolPlan, "startgrindplanning": retold.ToolPlan, "switchmode": retold.ToolPlan,
}

// KindOf groups a tool by its name: a ToolCall variant ("web_search") or the
// name a model used ("StrReplace", "mcp_github_create_issue").
func KindOf(name string) retold.ToolKind {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
	if k, ok := kinds[plain]; ok {
		return k
	}
	if lower := strings.ToLower(name); strings.HasPrefix(lower, "mcp_") || strings.HasPrefix(lower, "mcp-") {
		return retold.ToolMCP
	}
	return retold.ToolOther
}
