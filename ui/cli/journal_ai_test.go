package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"
)

// serveModel FILE serves a model on this machine whose answers are what stands in
// FILE, spoken as Ollama or OpenAI. Its address goes into MODEL_URL, each body it is
// sent into the file sent-N, and how often it was connected to into connections.
func serveModel(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: servemodel FILE")
	}
	answer, dir := ts.MkAbs(args[0]), ts.MkAbs(".")
	var asked, connections atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, fmt.Sprintf("sent-%d", asked.Add(1))), body, 0o600)
		}
		text, readErr := os.ReadFile(answer)
		if err != nil || readErr != nil {
			http.Error(w, "broken", http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		said := map[string]any{"role": "assistant", "content": string(text)}
		var out any = map[string]any{"message": said, "done_reason": "stop"}
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			out = map[string]any{"choices": []any{map[string]any{"message": said, "finish_reason": "stop"}}}
		}
		_ = json.NewEncoder(w).Encode(out)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
		_ = os.WriteFile(filepath.Join(dir, "connections"), fmt.Appendf(nil, "%d\n", connections.Load()), 0o600)
	}
	s.Start()
	ts.Check(os.WriteFile(filepath.Join(dir, "connections"), []byte("0\n"), 0o600))
	ts.Setenv("MODEL_URL", s.URL)
	ts.Defer(s.Close)
}
