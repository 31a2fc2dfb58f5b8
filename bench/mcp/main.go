// Command mcp measures `retold mcp` as a client meets it, over a pair of pipes:
// how long until it has answered initialize, what each tool costs in a server that
// stays, and how much memory it keeps when nobody asks.
//
//	go build -o retold ./cmd/retold
//	go run ./bench/make -o DIR -size 1G > made.json
//	go run ./bench/mcp -retold ./retold -made made.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold/bench"
	"github.com/retold-history/retold/bench/cost"
)

func main() { bench.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("mcp", flag.ContinueOnError)
	file := flags.String("made", "made.json", "what bench/make printed")
	binary := flags.String("retold", "./retold", "the binary to measure")
	temp := flags.String("temp", "", "folder for the library, which is removed (default: the system's)")
	queries := flags.Int("queries", 40, "queries of each kind")
	rounds := flags.Int("n", 20, "rounds of everything else")
	settle := flags.Duration("settle", 3*time.Second, "how long a server is left alone before its memory is read")
	if err := flags.Parse(args); err != nil {
		return err
	}
	data, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	m := &meter{out: cost.NewReport(out), settle: *settle}
	if err := json.Unmarshal(data, &m.made); err != nil {
		return fmt.Errorf("read %s: %w", *file, err)
	}
	if m.retold, err = filepath.Abs(*binary); err != nil {
		return err
	}
	if m.home, err = os.MkdirTemp(*temp, "retold-mcp-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(m.home)) }()
	return errors.Join(m.run(ctx, *queries, *rounds), m.out.Err())
}

// A meter measures one binary on one history.
type meter struct {
	retold, home string
	made         bench.Made
	out          *cost.Report
	settle       time.Duration
}

// A server is one process and the client that talks to it.
type server struct {
	*sdk.ClientSession
	cmd   *exec.Cmd
	ready time.Duration // from the start of the process until initialize was answered
}

func (m *meter) start(ctx context.Context) (*server, error) {
	cmd := exec.CommandContext(ctx, m.retold, "--cursor-user", m.made.CursorUser, "--cursor-home", m.made.CursorHome, "mcp")
	cmd.Env = append(os.Environ(), "RETOLD_HOME="+m.home)
	cmd.Stderr = os.Stderr
	client := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}})
	start := time.Now()
	session, err := client.Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, err
	}
	return &server{session, cmd, time.Since(start)}, nil
}

func (m *meter) run(ctx context.Context, queries, rounds int) (err error) {
	first, err := m.start(ctx)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := first.upToDate(ctx); err != nil {
		return errors.Join(err, first.Close())
	}
	m.out.Say("started with no library: initialize answered after %.0f ms; everything read after %.1f s\n", ms(first.ready), time.Since(start).Seconds())
	m.resident("after the first sync", first)
	if err := first.Close(); err != nil {
		return err
	}
	var ready []time.Duration
	for range rounds {
		s, err := m.start(ctx)
		if err != nil {
			return err
		}
		ready = append(ready, s.ready)
		if err := s.Close(); err != nil {
			return err
		}
	}
	s, err := m.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.upToDate(ctx); err != nil {
		return err
	}
	m.resident("started on an up-to-date library", s)
	m.out.Say("\n| `retold mcp` over stdio, ms | runs | p50 | p95 | worst | CPU of the server, mean |\n|---|---:|---:|---:|---:|---:|\n")
	m.row("start until initialize is answered", ready, "")
	if err := m.tools(ctx, s, queries, rounds); err != nil {
		return err
	}
	m.resident("after all of this", s)
	return nil
}

// tools times every tool.
func (m *meter) tools(ctx context.Context, s *server, queries, rounds int) error {
	for _, c := range []struct {
		name, tool string
		args       map[string]any
	}{
		{"`list_sessions`", "list_sessions", map[string]any{}},
		{"`list_workspaces`", "list_workspaces", map[string]any{}},
		{"`get_stats`", "get_stats", map[string]any{}},
		{fmt.Sprintf("`get_session` of %d messages, first 50", m.made.Longest.Bubbles), "get_session", map[string]any{"session": m.made.Longest.ID, "limit": 50, "max_chars": 100_000}},
		{"… as a client asks by default", "get_session", map[string]any{"session": m.made.Longest.ID}},
		{"… around a message in the middle", "get_session", map[string]any{"session": m.made.Longest.ID, "around": fmt.Sprint(m.made.Longest.Bubbles / 2)}},
		{"… what people said in it, first 50", "get_session", map[string]any{"session": m.made.Longest.ID, "roles": []string{"user", "assistant"}, "limit": 50}},
		{"`get_message`", "get_message", map[string]any{"session": m.made.Longest.ID, "message": m.made.Longest.Bubbles / 2}},
		{fmt.Sprintf("`export_session` of %d messages, inline", m.made.Typical.Bubbles), "export_session", map[string]any{"session": m.made.Typical.ID}},
	} {
		err := m.time(s, c.name, rounds, func(int) error { return s.call(ctx, c.tool, c.args) })
		if err != nil {
			return err
		}
	}
	classes, err := bench.Classes(ctx, &m.made, queries)
	if err != nil {
		return err
	}
	for _, class := range classes {
		err := m.time(s, "`search_sessions`: "+class.Name, len(class.Queries), func(i int) error {
			return s.call(ctx, "search_sessions", map[string]any{"query": class.Queries[i]})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// time asks n times and prints what that took.
func (m *meter) time(s *server, name string, n int, ask func(i int) error) error {
	var took []time.Duration
	before, known := cpuTime(s.cmd.Process.Pid)
	for i := range n {
		start := time.Now()
		if err := ask(i); err != nil {
			return err
		}
		took = append(took, time.Since(start))
	}
	cpu := ""
	if after, ok := cpuTime(s.cmd.Process.Pid); known && ok && n > 0 {
		cpu = fmt.Sprintf("%.1f", ms(after-before)/float64(n))
	}
	m.row(name, took, cpu)
	return nil
}

func (s *server) call(ctx context.Context, tool string, args map[string]any) error {
	res, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err
	}
	if res.IsError {
		text := ""
		if t, ok := res.Content[0].(*sdk.TextContent); ok {
			text = t.Text
		}
		return fmt.Errorf("%s %v: %s", tool, args, text)
	}
	return nil
}

// upToDate asks until an answer says that nothing is missing any more.
func (s *server) upToDate(ctx context.Context) error {
	for {
		res, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "search_sessions", Arguments: map[string]any{"query": "title:nothing-like-it", "limit": 1}})
		if err != nil {
			return err
		}
		body, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return err
		}
		var a struct {
			Pending int  `json:"pending"`
			Behind  bool `json:"behind"`
		}
		if err := json.Unmarshal(body, &a); err != nil {
			return err
		}
		if a.Pending == 0 && !a.Behind && !res.IsError {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// resident prints what the server keeps in memory.
func (m *meter) resident(when string, s *server) {
	time.Sleep(m.settle)
	kept, file, ok := residentSet(s.cmd.Process.Pid)
	if !ok {
		m.out.Say("memory %s: this system does not tell\n", when)
		return
	}
	m.out.Say("memory %s: %d MB resident, of which %d MB are pages of files\n", when, kept>>20, file>>20)
}

// row prints one line of the table.
func (m *meter) row(name string, took []time.Duration, cpu string) {
	m.out.Say("| %s | %d | %.2f | %.2f | %.2f | %s |\n", name, len(took), ms(cost.Quantile(took, 50)), ms(cost.Quantile(took, 95)), ms(cost.Quantile(took, 100)), cpu)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
