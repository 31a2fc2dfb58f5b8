package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp"
)

// demoDay is the day after the last of the made-up history.
var demoDay = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// demoDir is the folder of the made-up history, the same for all tests.
var demoDir string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "cursor" { // see runCursor
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	dir, err := os.MkdirTemp("", "retold-mcp-test-*")
	if err != nil {
		panic(err)
	}
	demoDir = filepath.Join(dir, "demo")
	if _, err := demo.Make(context.Background(), demoDir); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// openDemo opens a library of its own over the made-up history.
func openDemo(t testing.TB, change ...func(*library.Options)) *library.Library {
	t.Helper()
	o := library.Options{
		CursorUser: []string{filepath.Join(demoDir, "config", "Cursor", "User")}, CursorHome: []string{filepath.Join(demoDir, "home", ".cursor")},
		Env: paths.Env{GOOS: "linux", Home: t.TempDir()}, Mask: mcp.Mask, Now: func() time.Time { return demoDay },
	}
	for _, c := range change {
		c(&o)
	}
	l, err := library.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// A client is a real client in this process.
type client struct {
	*sdk.ClientSession
	t testing.TB
}

// connect serves l to a client over an in-memory pipe.
func connect(t testing.TB, l *library.Library, o mcp.Options, co *sdk.ClientOptions, roots ...string) *client {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return demoDay }
	}
	return attach(t, mcp.New(l, o), co, roots...)
}

func attach(t testing.TB, server *mcp.Server, co *sdk.ClientOptions, roots ...string) *client {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	serving, err := server.SDK().Connect(context.WithoutCancel(t.Context()), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, co)
	for _, root := range roots {
		c.AddRoots(&sdk.Root{URI: "file://" + root})
	}
	session, err := c.Connect(context.WithoutCancel(t.Context()), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		_ = serving.Wait() // its end is what matters
	})
	return &client{session, t}
}

// result is what a tool answered.
type result struct {
	text    string
	body    json.RawMessage
	isError bool
}

// call calls a tool with arguments that are a JSON object.
func (c *client) call(tool, args string) result {
	c.t.Helper()
	return c.callIn(c.t.Context(), tool, args)
}

func (c *client) callIn(ctx context.Context, tool, args string) result {
	c.t.Helper()
	res, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		c.t.Fatalf("%s %s: %v", tool, args, err)
	}
	if len(res.Content) != 1 {
		c.t.Fatalf("%s %s: %d contents", tool, args, len(res.Content))
	}
	return result{text: res.Content[0].(*sdk.TextContent).Text, body: unescaped(c.t, res.StructuredContent), isError: res.IsError}
}

// unescaped is a value as JSON in which < > & stand as they are.
func unescaped(t testing.TB, v any) json.RawMessage {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// decode reads an answer.
func decode[T any](t testing.TB, r result) (v T) {
	t.Helper()
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
	return v
}

// neutral puts $DIR in the place of folders that differ from run to run.
func neutral(s string) string {
	return strings.ReplaceAll(s, filepath.Dir(demoDir), "$DIR")
}
