package cursorcli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
)

// A transcript is what a transcript file holds (formats D.6): text and the calls
// of tools, without ids, times, models or results.
type transcript struct {
	overview string
	mode     string
	messages []retold.Message
	problems []retold.Problem
	lines    map[string]int   // records by kind, "malformed" among them
	bytes    map[string]int64 // of the lines of a kind
	odd      int              // lines of unknown kinds that are shown all the same
}

// maxFile bounds a transcript in the encodings that have to be held whole, and a
// line of the one that has not.
const maxFile = 1 << 30

// readTranscript reads a file by its extension.
func readTranscript(ctx context.Context, path string) (*transcript, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	t := &transcript{lines: map[string]int{}, bytes: map[string]int64{}}
	switch filepath.Ext(path) {
	case ".jsonl":
		err = t.readLines(ctx, f)
	default:
		var b []byte
		if b, err = io.ReadAll(io.LimitReader(f, maxFile)); err == nil {
			if filepath.Ext(path) == ".json" {
				t.readJSON(b)
			} else {
				t.readText(string(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))))
			}
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read transcript %s: %w", path, err)
	}
	for i := range t.problems {
		t.problems[i].Path = path
	}
	agentstate.Number(t.messages)
	return t, nil
}

// readLines reads JSONL. The writer may be at work: a last line without its end
// is read if it is whole.
func (t *transcript) readLines(ctx context.Context, r io.Reader) error {
	br := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))); len(text) > 0 {
			t.bytes[t.line(n, text)] += int64(len(line))
		}
		if err != nil {
			return nil
		}
		if n%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// speaks is speaks for a view that may remember it.
func (c *catalog) speaks(ctx context.Context, path string) bool {
	stamp := c.view.stamp(path)
	if data, ok := c.view.recall(noteSpeaks, path, stamp); ok {
		return string(data) == "\x01"
	}
	says := speaks(ctx, path)
	if ctx.Err() == nil {
		c.view.keep(noteSpeaks, path, stamp, appendBool(nil, says))
	}
	return says
}

// speaks reports whether a transcript holds a message. Of lines it reads no more
// than the first messages; a file that cannot be read may hold some.
func speaks(ctx context.Context, path string) bool {
	if filepath.Ext(path) != ".jsonl" {
		if sizeOf(path) > 1<<20 {
			return true
		}
		t, err := readTranscript(ctx, path)
		return err != nil || len(t.messages) > 0
	}
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer func() { _ = f.Close() }() // opened for reading
	t := &transcript{lines: map[string]int{}, bytes: map[string]int64{}}
	for r := bufio.NewReader(f); err == nil; {
		var line []byte
		line, err = r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) { // nothing but what was said is that long
			return true
		}
		if text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))); len(text) > 0 {
			t.line(1, text)
		}
		if len(t.messages) > 0 {
			return true
		}
	}
	return !errors.Is(err, io.EOF)
}

// line reads one line and returns its kind.
func (t *transcript) line(n int, text []byte) (kind string) {
	v, err := jscan.Parse(text)
	kind, role := v.Get("type").Str(), v.Get("role").Str()
	id := fmt.Sprintf("L%d", n)
	defer func() { t.lines[kind]++ }()
	switch {
	case err != nil || v.Kind() != jscan.Object:
		t.problems = append(t.problems, retold.Problem{Key: fmt.Sprintf("line %d", n), Kind: retold.ProblemMalformed, Reason: "the line is not a JSON object"})
		return "malformed"
	case role == "user" || role == "assistant" || role == "system" || role == "tool":
		content := v.At("message", "content")
		if content.Kind() == jscan.None {
			content = v.Get("content")
		}
		if content.Kind() == jscan.None {
			content = v.Get("text")
		}
		t.content(n, role, content)
		return role
	case kind == "metadata":
		t.overview = v.At("metadata", "overview").Str()
	case kind == "turn_ended":
		t.ended(id, v.Get("status").Str(), v.Get("error"))
	case kind == "error":
		t.ended(id, kind, v.Get("error"))
	default:
		t.problems = append(t.problems, retold.Problem{
			Key: fmt.Sprintf("line %d", n), Kind: retold.ProblemUnknown,
			Reason: fmt.Sprintf("a line of the unknown kind %.60q", first(kind, role)),
		})
		before := len(t.messages)
		content := v.At("message", "content")
		if content.Kind() == jscan.None {
			content = v.First("content", "text")
		}
		t.content(n, "system", content)
		if len(t.messages) == before && role != "" {
			t.text(id, "system", string(text))
		}
		if len(t.messages) > before {
			t.odd++
		}
		return "unknown"
	}
	return kind
}

// text adds what was said. The writer puts thinking behind the text after an
// empty line, where it cannot be told from it, except when it was withheld.
func (t *transcript) text(id, role, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	m := retold.Message{ID: id, Role: retold.RoleAssistant, Content: text}
	switch role {
	case "user":
		var spoken bool
		m.Role = retold.RoleUser
		if m.Content, spoken, m.Attachments = agentstate.Unwrap(text); !spoken {
			m.Role, m.Content = retold.RoleSystem, text
		}
		if at := agentstate.TimeOf(m.Attachments); !at.IsZero() {
			m.Timestamp, m.TimestampSource = at, retold.TimeStored
		}
	case "system":
		m.Role = retold.RoleSystem
	default:
		said, withheld := strings.CutSuffix(text, agentstate.Redacted)
		if withheld && (said == "" || strings.HasSuffix(said, "\n\n")) {
			if said = strings.TrimSuffix(said, "\n\n"); said != "" {
				t.messages = append(t.messages, retold.Message{ID: id, Role: retold.RoleAssistant, Content: said})
			}
			t.thinking(id+"t", agentstate.Redacted)
			return
		}
	}
	t.messages = append(t.messages, m)
}

func (t *transcript) thinking(id, text string) {
	if strings.TrimSpace(text) != "" {
		t.messages = append(t.messages, retold.Message{ID: id, Role: retold.RoleThinking, Content: text})
	}
}

// call adds a tool call. How it ended is never written.
func (t *transcript) call(id, name, callID string, input jscan.Value) {
	part := agentstate.Part{Kind: agentstate.PartCall, Name: name, CallID: callID, Args: input.RawObject()}
	t.messages = append(t.messages, retold.Message{ID: id, Role: retold.RoleTool, Tool: part.Call()})
}

// ended notes how a turn ended, when that is not success.
func (t *transcript) ended(id, status string, err jscan.Value) {
	text := err.Text()
	if text == "" {
		text = err.First("message", "error").Text()
	}
	if text == "" && err.Kind() == jscan.Object {
		text = string(err.Raw())
	}
	switch {
	case text != "" || status == "error":
		t.messages = append(t.messages, retold.Message{ID: id, Role: retold.RoleError, Content: first(text, "the turn ended with an error")})
	case status != "" && status != "success":
		t.messages = append(t.messages, retold.Message{ID: id, Role: retold.RoleSystem, Content: "[turn " + status + "]"})
	}
}
