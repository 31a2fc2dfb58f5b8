// Package agentstate knows how Cursor's agent (package agent.v1, shared by the
// IDE and the command line) stores a conversation: a protobuf root state whose
// fields name other blobs by their sha256, JSON prompt messages, and the ToolCall
// message. It turns them into plain structs, and those into retold's Messages and
// ToolCalls, so that every store shows one and the same conversation. Field
// numbers and names come from the descriptors of @cursor/sdk 1.0.32 (fields.txt);
// a field that they do not name is kept under its number.
package agentstate

import (
	"time"

	"github.com/retold-history/retold"
)

// Blobs finds content by id.
type Blobs interface {
	// Blob returns the bytes with that id (lower-case hex), nil when they are not
	// stored. An error ends the decoding: it means that the store cannot be read.
	Blob(id string) ([]byte, error)
}

// Options limit what a hostile or broken state can cost.
type Options struct {
	MaxDepth int   // levels of sub-agents and of steps that stand for other steps; 0 means 10
	MaxNodes int   // blobs and inline records looked at; 0 means 2,000,000
	MaxBytes int64 // of all blobs together; 0 means 2 GiB

	SkipSubagents bool // name the sub-agents, but do not decode their states
	// TurnsOnly leaves everything but the turns aside (what the model saw, todos,
	// sub-agents) where there are any: they hold what was visible.
	TurnsOnly bool
}

// A Conversation is one state with everything it names.
type Conversation struct {
	Turns    []Turn    // the visible conversation (field 8, else 2)
	Prompts  []Prompt  // the messages now in the model's context (field 1)
	Archives []Archive // earlier contexts, oldest first (fields 13, 11)
	Pending  []Prompt  // assistant messages whose tool calls have no answer yet (field 4)

	Todos     []Todo
	Plan      string
	Summary   string
	Plans     []PlanRef
	Subagents []Subagent
	Files     []FileState

	Mode       string // "agent", "ask", "plan", …; "" when not stored
	Branch     string
	AgentType  string
	TimeZone   string // IANA name
	StartedAt  time.Time
	Timings    []Timing // parallel to Turns
	Workspaces []string // URIs, oldest first
	ReadPaths  []string
	UsedTokens int64 // size of the context window at one moment, not a sum
	MaxTokens  int64

	Reached  map[string]bool // ids of the blobs that belong to this state
	Problems []retold.Problem
}

// A Turn is a user message and what followed, or a command the user ran.
type Turn struct {
	ID        string // blob id, "" when inline
	RequestID string
	Model     string // display name of the routed model, seldom stored
	User      *User
	Steps     []Step
	Shell     *Shell
	Missing   bool // named by the state, but not stored
}

// A User is a user message.
type User struct {
	ID          string // blob id or digest
	MessageID   string // uuid
	Text        string
	RichText    string // Lexical JSON
	Mode        string
	Simulated   bool // written by Cursor in the user's name
	Reason      string
	StateID     string // the state before this message: what a rewind goes back to
	Attachments []retold.Attachment
	Started     time.Time
	Completed   time.Time
	Missing     bool
}

// StepKind says what a Step is.
type StepKind string

// The kinds of steps.
const (
	StepAssistant StepKind = "assistant"
	StepThinking  StepKind = "thinking"
	StepTool      StepKind = "tool"
	StepMissing   StepKind = "missing"
	StepUnknown   StepKind = "unknown"
)

// A Step is one thing the agent said, thought or did.
type Step struct {
	ID        string // blob id or digest
	Kind      StepKind
	Text      string
	Tool      *ToolCall
	Started   time.Time
	Completed time.Time
}

// A Shell is a command that the user ran in the agent's shell mode.
type Shell struct {
	ID      string
	Command string
	Output  []byte // ShellOutput; nil when not stored
}

// An Archive holds messages that were summarised away.
type Archive struct {
	ID       string
	Messages []Prompt
	Summary  string
}

// A Todo is an entry of the agent's list.
type Todo struct {
	ID, Content, Status string // Status as Cursor's JSON spells it: "pending", "in_progress", …
	Dependencies        []string
	Created, Updated    time.Time
}

// A PlanRef names a plan file.
type PlanRef struct{ Name, ID, Path string }

// A Subagent is a conversation that this one started.
type Subagent struct {
	ID      string
	Type    string // "explore", "bash", …
	Model   string
	Created time.Time
	Used    time.Time
	State   *Conversation
}

// A FileState names the blobs that hold a file's texts.
type FileState struct{ Path, ContentID, InitialID string }

// A Timing dates a turn.
type Timing struct {
	Duration time.Duration
	At       time.Time
}
