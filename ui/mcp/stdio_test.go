package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp"
)

const (
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	ping        = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
)

func emptyServer(t *testing.T) *mcp.Server {
	t.Helper()
	l, err := library.Open(t.Context(), library.Options{
		Sources: []retold.Source{}, Home: t.TempDir(), Env: paths.Env{GOOS: "linux", Home: t.TempDir()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return mcp.New(l, mcp.Options{})
}

// answers runs a server on these lines and returns what it wrote, by id.
func answers(t *testing.T, input string) map[string]string {
	t.Helper()
	var out bytes.Buffer
	if err := emptyServer(t).RunStdio(t.Context(), io.NopCloser(strings.NewReader(input)), &out); err != nil {
		t.Errorf("ended with %v", err)
	}
	got := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var m struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *struct{ Message string }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.Version != "2.0" {
			t.Fatalf("not a message: %q: %v", line, err)
		}
		got[string(m.ID)] += "answered"
		if m.Error != nil {
			got[string(m.ID)] += ": " + m.Error.Message + ";"
		}
	}
	return got
}

// Everything that was asked before the input ended is answered, the last line
// without an end among it.
func TestAnswersAtTheEndOfInput(t *testing.T) {
	got := answers(t, strings.Join([]string{initialize, initialized, ping, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`}, "\n"))
	for _, id := range []string{"1", `"p"`, "2"} {
		if got[id] != "answered" {
			t.Errorf("%s: %q", id, got[id])
		}
	}
}

// A line that is no message is answered with an error, and the session goes on.
func TestNoMessage(t *testing.T) {
	for line, want := range map[string]string{
		`nonsense`:                 "not JSON",
		`{"jsonrpc":"2.0","id":7,`: "not JSON",
		"\x00\x01":                 "not JSON",
		`[` + ping + `]`:           "batches",
		`[]`:                       "batches",
		`{"id":7,"method":"ping"}`: "not a message",
		`7`:                        "not a message",
		`null`:                     "not a message",
		strings.Repeat("x", 5<<20): "at most",
		`"` + strings.Repeat(`é`, 5<<19) + `" {}`: "at most",
	} {
		got := answers(t, initialize+"\r\n\n"+initialized+"\n"+line+"\n"+ping+"\n")
		if !strings.Contains(got["null"], want) {
			t.Errorf("%.40q: answered %q, want %q", line, got["null"], want)
		}
		if got[`"p"`] != "answered" {
			t.Errorf("%.40q: the session ended with it", line)
		}
	}
}

// An id that the answer could not repeat is refused by itself.
func TestNumbersAsIDs(t *testing.T) {
	for id, want := range map[string]string{
		"1.5": "whole number", "-0.1": "whole number", "9007199254740993.5": "whole number", "1e300": "whole number", "-7": "", "1e2": "", "12345678901": "",
	} {
		got := answers(t, initialize+"\n"+initialized+"\n"+`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`+"\n"+ping+"\n")
		if want == "" && got["1"] == "answered" && len(got) == 3 {
			continue
		}
		if want == "" || !strings.Contains(got[id], want) || got[`"p"`] != "answered" || got["1"] != "answered" {
			t.Errorf("%s: %q", id, got)
		}
	}
}

// A second request with an id under way is refused, and the first is answered.
func TestSameIDTwice(t *testing.T) {
	s := harbours()
	s.gate = make(chan struct{})
	in, write := io.Pipe()
	read, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- mcp.New(s.open(t), mcp.Options{}).RunStdio(t.Context(), in, out)
		_ = out.Close()
	}()
	go func() {
		call := `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"search_sessions","arguments":{"query":"harbour"}}}`
		_, _ = io.WriteString(write, strings.Join([]string{initialize, initialized, call, `{"jsonrpc":"2.0","id":5,"method":"ping"}`, ""}, "\n"))
	}()
	var got []string
	for lines := bufio.NewScanner(read); lines.Scan(); {
		var m struct {
			ID     any
			Error  *struct{ Code int }
			Result json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case m.ID != 5.0:
		case m.Error != nil:
			got = append(got, fmt.Sprint("refused ", m.Error.Code))
			close(s.gate)
		default:
			got = append(got, "answered")
			_ = write.Close()
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if want := "refused -32600 answered"; strings.Join(got, " ") != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// What can be kept is for the one who asked, and no error is without a code.
func TestPrivateAndCoded(t *testing.T) {
	c := connect(t, openDemo(t), mcp.Options{}, nil)
	res, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "retold://workspaces"})
	if err != nil || res.GetCacheScope() != "private" {
		t.Errorf("%v, %q", err, res.GetCacheScope())
	}
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || list.GetCacheScope() != "private" {
		t.Errorf("%v, %q", err, list.GetCacheScope())
	}
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil || tools.GetCacheScope() != "private" {
		t.Errorf("%v, %q", err, tools.GetCacheScope())
	}
	_, err = c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "no_such_prompt"})
	if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code == 0 {
		t.Errorf("%v", err)
	}
}

// The end of ctx ends the server though nothing comes from the client, and
// leaves no goroutine.
func TestInterrupted(t *testing.T) {
	before := runtime.NumGoroutine()
	s := emptyServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	in, write := io.Pipe()
	read, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.RunStdio(ctx, in, out) }()
	if _, err := io.WriteString(write, initialize+"\n"); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 1)
	if _, err := read.Read(answer); err != nil || answer[0] != '{' {
		t.Fatalf("%q, %v", answer, err)
	}
	go func() { _, _ = io.Copy(io.Discard, read) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if _, err := write.Write([]byte("\n")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("it still reads: %v", err)
	}
	_ = out.Close()
	for range 10_000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
}

// FuzzLines: whatever comes, every line written is a message, and the server
// ends with its input.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		initialize + "\n" + initialized + "\n" + ping, "nonsense\n" + ping, "[" + ping + "]", "{}\n\n\r\n", `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, ping + "\n" + ping,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		var out bytes.Buffer
		_ = emptyServer(t).RunStdio(t.Context(), io.NopCloser(strings.NewReader(input)), &out) // an answer nobody asked for may end it
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) || !strings.HasSuffix(line, "\n") {
				t.Errorf("wrote %q", line)
			}
		}
	})
}
