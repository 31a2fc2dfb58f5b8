package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/ui/cli"
)

// A message that is written while retold watches is told, and an interrupt ends
// the watching with its own status.
func TestWatch(t *testing.T) {
	home, err := demo.Make(t.Context(), filepath.Join(t.TempDir(), "demo"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("RETOLD_HOME", filepath.Join(t.TempDir(), "retold"))
	t.Setenv("RETOLD_CURSOR_USER", home.CursorUser)
	t.Setenv("RETOLD_CURSOR_HOME", home.CursorHome)
	const id = "5a1f3c58-7a4e-4c9b-9d58-3c1f0a6e2b77"
	transcript := filepath.Join(home.CursorHome, "projects", "home-ada-projects-tidepool", "agent-transcripts", id, id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(transcript), 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	r, w := io.Pipe()
	var errs strings.Builder
	status := make(chan int, 1)
	go func() {
		status <- cli.Run(ctx, []string{"watch", "--json", "--tail", "2", "--role", "user"}, cli.Streams{In: strings.NewReader(""), Out: w, Err: &errs})
		_ = w.Close()
	}()
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scan := bufio.NewScanner(r); scan.Scan(); {
			lines <- scan.Text()
		}
	}()
	// Nothing tells when it has started, so something is said until it is heard.
	again := time.NewTicker(200 * time.Millisecond)
	defer again.Stop()
	heard, said := 0, 0
	for heard < 3 {
		select {
		case line, ok := <-lines:
			if !ok {
				t.Fatalf("it ended with %d: %s", <-status, errs.String())
			}
			if event(t, line, heard < 2) {
				heard++
			}
		case <-again.C:
			said++
			say(t, transcript, fmt.Sprintf("is anybody there? %d", said))
		case <-t.Context().Done():
			t.Fatal("nothing was told")
		}
	}
	interrupt()
	for range lines {
	}
	if got := <-status; got != 130 || strings.Contains(errs.String(), "error") {
		t.Errorf("it ended with %d: %s", got, errs.String())
	}
}

// event checks a line of watch --json and reports whether it was awaited: the
// tail first, then what this test says.
func event(t *testing.T, line string, tail bool) bool {
	t.Helper()
	var e struct {
		Kind    string
		Session struct{ ID string }
		Message *struct{ Role, Content string }
	}
	if err := json.Unmarshal([]byte(line), &e); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if e.Kind == "session" {
		return false
	}
	if e.Session.ID == "" || e.Message == nil || e.Message.Role != "user" {
		t.Fatalf("an event without what it is about: %s", line)
	}
	if tail {
		return !strings.Contains(e.Message.Content, "anybody")
	}
	if !strings.Contains(e.Message.Content, "is anybody there?") {
		t.Fatalf("told, but never said: %s", line)
	}
	return true
}

// say appends a prompt to a transcript.
func say(t *testing.T, transcript, text string) {
	t.Helper()
	f, err := os.OpenFile(transcript, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(f, `{"message":{"content":[{"text":%q,"type":"text"}]},"role":"user"}`+"\n", text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
