package retold

import (
	"encoding/json"
	"time"
)

// A Message is one thing said or done in a session. One record of an agent may
// hold several (thinking, text, a tool call): each becomes a Message, in that
// order.
type Message struct {
	ID      string // stable and unique in its session
	Index   int    // 0-based position in SessionDetail.Messages
	Role    Role
	Content string // what was said, byte-exact; for a tool a line that names it is left to the reader

	Timestamp       time.Time // UTC; zero when unknown
	TimestampSource TimeSource

	Model       string
	Tokens      *Tokens // nil when not recorded
	RequestID   string  // shared by all messages of one user request
	Attachments []Attachment

	Tool *ToolCall // set exactly when Role is RoleTool

	Orphan    bool // stored, but no longer part of the conversation (edited prompts, rewinds)
	Recovered bool // rebuilt from another store
	Gone      bool // kept by the library, no longer in its source

	// Stub marks a message that stands for a record that is missing, deleted or
	// damaged: a library that still has the message itself keeps that.
	Stub bool
}

// Role says who or what a message comes from.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleThinking  Role = "thinking"
	RoleTool      Role = "tool"
	RoleError     Role = "error"
	RoleSystem    Role = "system" // notices of the agent's harness, context blocks, placeholders
)

// Roles lists every role, in the order of a record that holds all of them.
var Roles = []Role{RoleSystem, RoleUser, RoleThinking, RoleAssistant, RoleTool, RoleError}

// A ToolCall is what an agent did, with what came of it.
type ToolCall struct {
	Name   string // the agent's name for the tool
	Kind   ToolKind
	CallID string

	// Params is a JSON object and Result any JSON value (plain text is a JSON
	// string); nil when not stored. Both are valid JSON whatever the store held.
	Params json.RawMessage
	Result json.RawMessage

	Status   ToolStatus
	Files    []string // paths touched, as the agent wrote them
	Diff     string   // unified diff of an edit, "" when it cannot be known
	ExitCode *int     // nil unless stored: a timeout or a refusal has none
}

// ToolKind groups the tools of all agents.
type ToolKind string

// The kinds.
const (
	ToolRead   ToolKind = "read"
	ToolEdit   ToolKind = "edit"
	ToolShell  ToolKind = "shell"
	ToolSearch ToolKind = "search"
	ToolList   ToolKind = "list"
	ToolWeb    ToolKind = "web"
	ToolMCP    ToolKind = "mcp"
	ToolTask   ToolKind = "task"
	ToolTodo   ToolKind = "todo"
	ToolPlan   ToolKind = "plan"
	ToolOther  ToolKind = "other"
)

// ToolStatus is how a call ended.
type ToolStatus string

// The statuses. A call that a crash left running is pending.
const (
	StatusCompleted ToolStatus = "completed"
	StatusPending   ToolStatus = "pending"
	StatusFailed    ToolStatus = "failed"
	StatusCancelled ToolStatus = "cancelled"
)

// An Attachment is something a message carried besides its text. Bytes of
// images are never copied; they are named.
type Attachment struct {
	Kind      string `json:"kind"`                // "file", "folder", "selection", "image", "doc", "link", "commit", "pr", "terminal", "rule", "command", "chat", "note", "context"
	Name      string `json:"name"`                // what a person would call it
	Path      string `json:"path,omitempty"`      // path or URI
	StartLine int    `json:"startLine,omitempty"` // 1-based; 0 when not a range
	EndLine   int    `json:"endLine,omitempty"`   // inclusive
	Text      string `json:"text,omitempty"`      // the selected code, the context block, …
}
