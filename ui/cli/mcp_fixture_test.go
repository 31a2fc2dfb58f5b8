package cli_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp"
)

// serveFixtures serves, on our transport and behind our guards, the tools,
// resources and prompts that the conformance suite asks a server for.
func serveFixtures(t *testing.T) (url string) {
	t.Helper()
	home, err := demo.Make(t.Context(), filepath.Join(t.TempDir(), "demo"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := library.Open(t.Context(), library.Options{CursorUser: []string{home.CursorUser}, CursorHome: []string{home.CursorHome}, Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := mcp.New(l, mcp.Options{})
	fixtureTools(s.SDK())
	askingTools(s.SDK())
	fixtureResources(s.SDK())
	fixturePrompts(s.SDK())
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.RunHTTP(ctx, listener, mcp.HTTPOptions{}) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, l.Close()); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String() + mcp.HTTPPath
}

// pixel is a PNG of one.
var pixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

// silence is a WAV with no sample.
var silence = []byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00")

func words(s string) *sdk.TextContent { return &sdk.TextContent{Text: s} }

func embedded(uri, mime, text string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: mime, Text: text}}
}

func fixtureTools(s *sdk.Server) {
	image := &sdk.ImageContent{Data: pixel, MIMEType: "image/png"}
	for name, content := range map[string][]sdk.Content{
		"test_simple_text":       {words("This is a simple text response for testing.")},
		"test_image_content":     {image},
		"test_audio_content":     {&sdk.AudioContent{Data: silence, MIMEType: "audio/wav"}},
		"test_embedded_resource": {embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")},
		"test_multiple_content_types": {
			words("Multiple content types test:"), image,
			embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
		},
	} {
		tool(s, name, func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) { return content, nil })
	}
	tool(s, "test_error_handling", func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
		return nil, errors.New("This tool intentionally returns an error for testing") //nolint:staticcheck // the suite's words
	})
	tool(s, "test_tool_with_logging", func(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
		for _, data := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: data}); err != nil { //nolint:staticcheck // the suite asks for it as long as clients do
				return nil, err
			}
		}
		return []sdk.Content{words("done")}, nil
	})
	tool(s, "test_tool_with_progress", func(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
		for _, at := range []float64{0, 50, 100} {
			err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: at, Total: 100})
			if err != nil {
				return nil, err
			}
		}
		return []sdk.Content{words("done")}, nil
	})
	tool(s, "test_logging_tool", func(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
		return []sdk.Content{words("done")}, r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: "for who asked for it"}) //nolint:staticcheck // the suite asks for it as long as clients do
	})
	tool(s, "test_streaming_elicitation", func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error) {
		return []sdk.Content{words("done")}, nil
	})
	s.AddTool(&sdk.Tool{Name: "test_header", Description: "takes a header", InputSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
		"region": {Type: "string", Extra: map[string]any{"x-mcp-header": "Region"}},
	}}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{words("done")}}, nil
	})
}

// askingTools are those that ask the client something.
func askingTools(s *sdk.Server) {
	s.AddTool(&sdk.Tool{Name: "test_missing_capability", Description: "wants sampling", InputSchema: &jsonschema.Schema{Type: "object"}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "wants sampling", Data: []byte(`{"requiredCapabilities":{"sampling":{}}}`)}
		})
	tool(s, "test_sampling", func(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
		said, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{ //nolint:staticcheck // the suite asks for it as long as clients do
			Messages: []*sdk.SamplingMessage{{Role: "user", Content: words("Test prompt for sampling")}}, MaxTokens: 100, //nolint:staticcheck // the suite asks for it as long as clients do
		})
		if err != nil {
			return nil, err
		}
		text, ok := said.Content.(*sdk.TextContent)
		if !ok {
			return nil, fmt.Errorf("the answer is %T", said.Content)
		}
		return []sdk.Content{words("LLM response: " + text.Text)}, nil
	})
	tool(s, "test_elicitation", func(ctx context.Context, r *sdk.CallToolRequest) ([]sdk.Content, error) {
		got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Please provide your information", RequestedSchema: &jsonschema.Schema{
			Type:       "object",
			Properties: map[string]*jsonschema.Schema{"username": {Type: "string"}, "email": {Type: "string"}},
			Required:   []string{"username", "email"},
		}})
		if err != nil {
			return nil, err
		}
		return []sdk.Content{words(fmt.Sprintf("User response: action: %s, content: %v", got.Action, got.Content))}, nil
	})
}

// tool adds a tool that takes anything.
func tool(s *sdk.Server, name string, run func(context.Context, *sdk.CallToolRequest) ([]sdk.Content, error)) {
	s.AddTool(&sdk.Tool{Name: name, Description: name, InputSchema: &jsonschema.Schema{Type: "object"}},
		func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			content, err := run(ctx, r)
			if err != nil {
				return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{words(err.Error())}}, nil
			}
			return &sdk.CallToolResult{Content: content}, nil
		})
}

func fixtureResources(s *sdk.Server) {
	give := func(c sdk.ResourceContents) sdk.ResourceHandler {
		return func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			c := c
			c.URI = r.Params.URI
			id := strings.TrimSuffix(strings.TrimPrefix(c.URI, "test://template/"), "/data")
			c.Text = strings.ReplaceAll(c.Text, "ID", id)
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
		}
	}
	s.AddResource(&sdk.Resource{URI: "test://static-text", Name: "text", MIMEType: "text/plain"},
		give(sdk.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."}))
	s.AddResource(&sdk.Resource{URI: "test://static-binary", Name: "binary", MIMEType: "image/png"},
		give(sdk.ResourceContents{MIMEType: "image/png", Blob: pixel}))
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"},
		give(sdk.ResourceContents{MIMEType: "application/json", Text: `{"id":"ID","templateTest":true,"data":"Data for the one named ID"}`}))
}

func fixturePrompts(s *sdk.Server) {
	prompt := func(name string, say func(args map[string]string) []sdk.Content, args ...string) {
		p := &sdk.Prompt{Name: name, Description: name}
		for _, a := range args {
			p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a, Required: true})
		}
		s.AddPrompt(p, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			out := &sdk.GetPromptResult{}
			for _, c := range say(r.Params.Arguments) {
				out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: c})
			}
			return out, nil
		})
	}
	prompt("test_simple_prompt", func(map[string]string) []sdk.Content {
		return []sdk.Content{words("This is a simple prompt for testing.")}
	})
	prompt("test_prompt_with_arguments", func(args map[string]string) []sdk.Content {
		return []sdk.Content{words(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"]))}
	}, "arg1", "arg2")
	prompt("test_prompt_with_embedded_resource", func(args map[string]string) []sdk.Content {
		return []sdk.Content{
			embedded(args["resourceUri"], "text/plain", "Embedded resource content for testing."),
			words("Please process the embedded resource above."),
		}
	}, "resourceUri")
	prompt("test_prompt_with_image", func(map[string]string) []sdk.Content {
		return []sdk.Content{&sdk.ImageContent{Data: pixel, MIMEType: "image/png"}, words("Please analyze the image above.")}
	})
}
