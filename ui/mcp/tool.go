package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// A tool is what clients are told of a tool, and what it does.
type tool struct {
	name, title, description string

	params   []string // names in the table of parameters
	required []string
	describe map[string]string // what a parameter means here, where it is more than the table says
	output   object
	writes   bool // it may write, and never twice the same
	kind     kind

	run func(*call, context.Context) (*answer, error)
}

// A kind says which servers offer a tool; the zero value is for every one.
type kind int

const (
	onDisk   kind = 1 + iota // it reads files that the client names
	making                   // it makes new ones of them, or changes retold's own
	changing                 // it changes what agents keep
)

// offers reports whether this server has the tool.
func (s *Server) offers(t *tool) bool {
	return t.kind == 0 || !s.o.NoFiles && (t.kind == onDisk || !s.o.ReadOnly)
}

// A call is one use of a tool.
type call struct {
	*Server
	*input
	who asker
	at  time.Time
	max int // characters of the answer
}

// filters are the parameters that choose sessions.
var filters = []string{"workspace", "agent", "since", "until", "title", "model", "branch", "role", "tool", "file", "has_error", "has_edit"}

// tools are all tools, in the order in which an agent will want them. What backs
// up, moves or links history takes its place at the end, with its kind.
func tools() []*tool {
	return []*tool{
		searchTool(), sessionTool(), messageTool(), sessionsTool(), workspacesTool(), statsTool(), exportTool(), doctorTool(),
		backupTool(), backupsTool(), validateTool(), restoreTool(), migrateSessionTool(), migrateWorkspaceTool(), undoTool(),
		whyTool(), contextTool(), entryTool(), journalSearchTool(), reflectionTool(),
	}
}

func (s *Server) addTools() {
	no := false
	for _, t := range tools() {
		if !s.offers(t) {
			continue
		}
		destroys := t.kind == changing
		s.sdk.AddTool(&sdk.Tool{
			Name: t.name, Title: t.title, Description: t.description,
			InputSchema: encoded(t.schema(s.lib.Agents())), OutputSchema: encoded(t.output),
			Annotations: &sdk.ToolAnnotations{
				Title: t.title, ReadOnlyHint: !t.writes, DestructiveHint: &destroys, IdempotentHint: !t.writes, OpenWorldHint: &no,
			},
		}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return s.call(ctx, t, req)
		})
	}
}

// schema is the schema of what the tool takes, where these are the agents there
// are.
func (t *tool) schema(agents []string) object {
	members := object{}
	for _, name := range t.params {
		schema := maps.Clone(params[name].schema)
		if d, ok := t.describe[name]; ok {
			schema["description"] = d
		}
		if name == "agent" {
			schema["description"] = fmt.Sprint(schema["description"], ": ", strings.Join(agents, ", "))
		}
		members[name] = schema
	}
	s := object{"type": "object", "properties": members, "additionalProperties": false}
	if len(t.required) > 0 {
		s["required"] = t.required
	}
	return s
}

// encoded is a schema as JSON. It panics where a table of this package is wrong.
func encoded(schema object) json.RawMessage {
	raw, err := json.Marshal(schema)
	if err != nil {
		panic(err)
	}
	return raw
}

func (s *Server) call(ctx context.Context, t *tool, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	raw := strings.TrimSpace(string(req.Params.Arguments))
	if raw != "" && raw != "null" && raw[0] != '{' {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the arguments of a tool are one JSON object"}
	}
	if raw == "null" {
		raw = ""
	}
	in, err := t.read(json.RawMessage(raw))
	if err != nil {
		return failed(err), nil
	}
	c := &call{Server: s, input: in, who: askerOf(req, req.Params.InputResponses), at: s.now(), max: or(in.maxChars, defaultChars)}
	a, err := t.run(c, ctx)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case asks(err) != nil:
		return &sdk.CallToolResult{InputRequests: asks(err)}, nil
	case err != nil:
		return failed(err), nil
	}
	return &sdk.CallToolResult{StructuredContent: json.RawMessage(a.body), Content: []sdk.Content{&sdk.TextContent{Text: a.text + s.waiting(ctx)}}}, nil
}

// waiting says that a change was interrupted and waits to be settled: what was found
// in agents' files is partly old and partly new.
func (s *Server) waiting(ctx context.Context) string {
	list, err := s.lib.Interrupted(ctx)
	if err != nil {
		return "\nWhether a change was interrupted could not be told: " + quote.Line(failureOf(err).Message)
	}
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "\nA change was interrupted, and files of agents are partly old and partly new: %s. The next change that is confirmed ends it; a person can take it back, with retold in a shell.", ident(c.ID))
	}
	return b.String()
}

// filter is what the parameters ask of sessions. A word that nobody knows is an
// error and no empty answer.
func (c *call) filter(ctx context.Context) (f retold.Filter, err error) {
	f = retold.Filter{
		Agents: c.agents, Models: c.models, Branches: c.branches, Titles: c.titles,
		Tools: c.toolNames, Files: c.files, HasError: c.hasError, HasEdit: c.hasEdit, Empty: c.empty,
	}
	for _, agent := range c.agents {
		if known := c.lib.Agents(); !slices.Contains(known, strings.ToLower(agent)) {
			return f, usage("choose from "+strings.Join(known, ", "), "agent %q is not known", agent)
		}
	}
	for _, role := range c.roles {
		f.Roles = append(f.Roles, retold.Role(role))
	}
	if c.since != "" {
		span, err := retold.ParseWhen(c.since, c.at)
		if err != nil {
			return f, err
		}
		f.Since = span.From
	}
	if c.until != "" {
		span, err := retold.ParseWhen(c.until, c.at)
		if err != nil {
			return f, err
		}
		f.Until = span.To
	}
	f.Workspaces, err = c.here(ctx, c.workspaces)
	if err != nil {
		return f, err
	}
	for _, w := range f.Workspaces {
		if err := c.lib.CheckWorkspace(ctx, w); err != nil {
			return f, err
		}
	}
	return f, nil
}

// here puts the folder of the client in the place of ".".
func (c *call) here(ctx context.Context, workspaces []string) (out []string, err error) {
	for _, w := range workspaces {
		switch w {
		case ".", "./", "$PWD":
			dirs, err := c.folders(ctx, c.who)
			if err != nil {
				return nil, err
			}
			if len(dirs) == 0 {
				return nil, usage("give the absolute path of the folder, or call list_workspaces", "workspace %q means nothing here: the client names no folder it works in", w)
			}
			out = append(out, dirs...)
		default:
			out = append(out, w)
		}
	}
	return out, nil
}

// except leaves the asking session out of a filter, unless the call wants it.
func (c *call) except(ctx context.Context, f *retold.Filter) (*leftOut, error) {
	if c.current {
		return nil, nil
	}
	s, err := c.asking(ctx, c.who)
	if s == nil || err != nil {
		return nil, err
	}
	f.Except = append(f.Except, s.ID)
	return &leftOut{SessionID: s.ID, Reason: "it looks like the conversation this call comes from: same folder, written to in the last minutes", Hint: "include_current: true"}, nil
}

// A leftOut is a session that an answer does not hold though it would fit.
type leftOut struct {
	SessionID string `json:"sessionId"`
	Reason    string `json:"reason"`
	Hint      string `json:"hint"`
}

// A footing is what any answer may have to add.
type footing struct {
	Notice    string           `json:"notice"`
	Behind    bool             `json:"behind,omitempty"`
	Pending   int              `json:"pending,omitempty"`
	Problems  []retold.Problem `json:"problems,omitempty"`
	LeftOut   *leftOut         `json:"leftOut,omitempty"`
	Shortened string           `json:"shortened,omitempty"`
	Looser    *looser          `json:"looser,omitempty"` // of searches alone
}

// tell adds what the footing says to a page.
func (f *footing) tell(p *page) {
	if f.Shortened != "" {
		p.say("Shortened: %s.", f.Shortened)
	}
	if f.LeftOut != nil {
		p.say("Left out: session %s; %s. To have it too: %s.", shortID(f.LeftOut.SessionID), f.LeftOut.Reason, f.LeftOut.Hint)
	}
	if f.Pending > 0 {
		p.say("The messages of %s are still being read and not searched yet: ask again in a moment.", counted(f.Pending, "session"))
	} else if f.Behind {
		p.say("The library is still being brought up to date: what was said in the last minutes may be missing.")
	}
	if len(f.Problems) > 0 {
		p.say("Not everything could be read; call doctor for what and why.")
	}
}
