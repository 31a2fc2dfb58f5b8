package mcp

import (
	"context"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A prompt is a question that a person can choose in their client, with what
// history has to say to it.
type prompt struct {
	name, title, description string
	arguments                []*sdk.PromptArgument
	write                    func(*call, context.Context, *page) error
}

func prompts() []*prompt {
	current := &sdk.PromptArgument{Name: "include_current", Description: "true: also the conversation this comes from, which is left out when it is recognised"}
	return []*prompt{
		{
			name: "resume_work", title: "Resume work", description: "Where work in a folder stopped: open to-dos, the last failing command, unfinished edits, the last words, each cited.",
			arguments: []*sdk.PromptArgument{
				{Name: "workspace", Description: "the folder: an absolute path, the end of one, or its name; the folder you work in when left out"}, current,
			},
			write: (*call).resume,
		},
		{
			name: "explain_decision", title: "Explain a decision", description: "What was said about something, by both sides, in the order of time, each cited.",
			arguments: []*sdk.PromptArgument{
				{Name: "query", Description: "what it was about, as in search_sessions", Required: true},
				{Name: "workspace", Description: "only conversations about this folder"},
				current,
			},
			write: (*call).explain,
		},
		{
			name: "summarise_session", title: "Summarise a conversation", description: "What was asked, decided, changed and run in a conversation, and what was left open, each cited.",
			arguments: []*sdk.PromptArgument{{Name: "session", Description: "id, a unique beginning of one, or number of the conversation", Required: true}},
			write:     (*call).summarise,
		},
	}
}

func (s *Server) addPrompts() {
	for _, p := range prompts() {
		s.sdk.AddPrompt(&sdk.Prompt{Name: p.name, Title: p.title, Description: p.description, Arguments: p.arguments},
			func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				text, err := s.prompted(ctx, p, req)
				if ask := asks(err); ask != nil {
					return &sdk.GetPromptResult{InputRequests: ask}, nil
				}
				if err != nil {
					return nil, protocolError(err)
				}
				return &sdk.GetPromptResult{Description: p.description, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
			})
	}
}

func (s *Server) prompted(ctx context.Context, p *prompt, req *sdk.GetPromptRequest) (string, error) {
	in := &input{}
	for name, value := range req.Params.Arguments {
		known := false
		for _, a := range p.arguments {
			known = known || a.Name == name
		}
		if !known {
			return "", usage("see the arguments that prompts/list gives", "%s has no argument %q", p.name, name)
		}
		if value == "" {
			continue
		}
		switch name {
		case "workspace":
			in.workspaces = []string{value}
		case "query":
			in.query = value
		case "session":
			if in.session = value; strings.Contains(value, "#") {
				in.session, _, _ = citation(value)
			}
		case "include_current":
			b, err := strconv.ParseBool(strings.ToLower(value))
			if err != nil {
				return "", usage("give true or false", "include_current is %q", value)
			}
			in.current = b
		}
	}
	for _, a := range p.arguments {
		if a.Required && req.Params.Arguments[a.Name] == "" {
			return "", usage(a.Description, "%s needs %s", p.name, a.Name)
		}
	}
	c := &call{Server: s, input: in, who: askerOf(req, req.Params.InputResponses), at: s.now(), max: defaultChars}
	out := &page{}
	if err := p.write(c, ctx, out); err != nil {
		return "", err
	}
	out.within(c.max - 200)
	return out.String(), nil
}
