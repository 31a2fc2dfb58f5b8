package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"

// A server that is told to end while a client is connected ends at once, says
// nothing but the protocol on stdout, and leaves the library to the next.
func TestMCPSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	onDemo(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "retold", "mcp")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			if _, err := io.WriteString(in, hello); err != nil {
				t.Fatal(err)
			}
			first, err := lines.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(lines)
			if err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the status is looked at
			if code := cmd.ProcessState.ExitCode(); code != 130 || errs.Len() > 0 {
				t.Errorf("exited %d: %s", code, errs.String())
			}
			for line := range bytes.Lines(append(first, rest...)) {
				if !json.Valid(line) {
					t.Errorf("on stdout: %q", line)
				}
			}
			locks, err := filepath.Glob(filepath.Join(os.Getenv("RETOLD_HOME"), "apart", "*.lock"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range locks {
				lock := flock.New(path)
				if got, err := lock.TryLock(); err != nil || !got {
					t.Errorf("%s is held: %v", path, err)
				}
				_ = lock.Close()
			}
		})
	}
}

// Over HTTP with a token: the address is told, the token asked for and told to
// nobody, and an interrupt ends it.
func TestMCPOverHTTP(t *testing.T) {
	onDemo(t)
	const token = "invented-token-of-ada-0123456789"
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o644); err != nil { // readable for others, which is told
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "retold", "mcp", "--http", ":0", "--token-file", file)
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(errs)
	var said, url string
	for url == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %v", said, err)
		}
		said += line
		if _, rest, ok := strings.Cut(line, "answering at "); ok {
			url, _, _ = strings.Cut(rest, ",")
		}
	}
	if runtime.GOOS != "windows" && !strings.Contains(said, "chmod 600") {
		t.Errorf("it does not warn: %s", said)
	}
	for header, want := range map[string]string{"": "401", "Bearer " + token: "200"} {
		if got := posted(t, url, header); got != want {
			t.Errorf("%q: status %s, want %s", header, got, want)
		}
	}
	if runtime.GOOS == "windows" {
		_ = cmd.Process.Kill()
	} else if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is looked at
	if code := cmd.ProcessState.ExitCode(); code != 130 && runtime.GOOS != "windows" {
		t.Errorf("exited %d", code)
	}
	if all := said + string(rest) + out.String(); strings.Contains(all, token) || out.Len() > 0 {
		t.Errorf("it said: %s", all)
	}
}

// posted begins a session and returns the status of the answer.
func posted(t *testing.T, url, authorization string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(hello))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return strconv.Itoa(answer.StatusCode)
}
