package agentstate_test

import (
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// oneBlob answers every id with the same bytes, so that whatever a state names
// is decoded too, and every cycle is closed.
type oneBlob []byte

func (b oneBlob) Blob(string) ([]byte, error) { return b, nil }

func checkMessages(t *testing.T, messages []retold.Message) {
	t.Helper()
	ids := map[string]bool{}
	for i, m := range messages {
		if m.Index != i || m.ID == "" || ids[m.ID] {
			t.Fatalf("message %d: index %d, id %q", i, m.Index, m.ID)
		}
		ids[m.ID] = true
		if (m.Role == retold.RoleTool) != (m.Tool != nil) {
			t.Fatalf("message %d: role %s, tool %v", i, m.Role, m.Tool)
		}
		if m.Tool != nil {
			checkTool(t, m.Tool)
		}
	}
}

func checkTool(t *testing.T, c *retold.ToolCall) {
	t.Helper()
	if c.Params != nil && (!json.Valid(c.Params) || c.Params[0] != '{') {
		t.Fatalf("params are no object: %q", c.Params)
	}
	if c.Result != nil && !json.Valid(c.Result) {
		t.Fatalf("result is not JSON: %q", c.Result)
	}
}

func FuzzState(f *testing.F) {
	for id, b := range fixture(f, fixtureB) {
		f.Add(b, []byte(id))
		f.Add(b, b)
	}
	blobs := fixture(f, fixtureB)
	f.Add(blobs[rootB], blobs["58ae3a9a6b7fbb185744a26b0e61cba57c647f9cbd10100f92d4d6c0717edfba"])
	f.Fuzz(func(t *testing.T, root, blob []byte) {
		c, err := agentstate.Decode(root, oneBlob(blob), agentstate.Options{MaxNodes: 2000})
		if err != nil {
			return
		}
		full := c.Messages(agentstate.View{})
		checkMessages(t, full)
		if light := c.Messages(agentstate.View{Light: true}); len(light) != len(full) {
			t.Fatalf("%d messages, %d in the light view", len(full), len(light))
		}
		agentstate.Date(full, c.StartedAt)
		agentstate.LooksLikeState(root)
		agentstate.DecodeHeader(root)
	})
}

func FuzzToolCall(f *testing.F) {
	for _, step := range toolSteps(f) {
		f.Add(step)
	}
	deep := []byte{}
	for range 2000 {
		deep = protowire.AppendBytes(protowire.AppendTag(nil, 19, protowire.BytesType), deep)
	}
	f.Add(deep)
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := agentstate.DecodeToolCall(b)
		if c == nil {
			if err == nil {
				t.Fatal("neither a call nor an error")
			}
			return
		}
		checkTool(t, c.Retold())
	})
}

func FuzzPrompt(f *testing.F) {
	for _, b := range fixture(f, fixtureB) {
		if len(b) > 0 && b[0] == '{' {
			f.Add(b)
		}
	}
	f.Add([]byte(`{"role":"user","content":"<user_info>\nx\n</user_info><user_query>\ny\n</user_query>"}`))
	f.Add([]byte(`{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","result":[{"type":"image","image":{"__type":"Uint8Array","hex":"00"}}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := agentstate.ParsePrompt(b)
		if !ok {
			return
		}
		for _, part := range p.Parts {
			if part.Args != nil && (!json.Valid(part.Args) || part.Args[0] != '{') || part.Result != nil && !json.Valid(part.Result) {
				t.Fatalf("args %q, result %q", part.Args, part.Result)
			}
			agentstate.Unwrap(part.Text)
		}
		c := agentstate.Conversation{Prompts: []agentstate.Prompt{p, p}, Pending: []agentstate.Prompt{p}}
		checkMessages(t, c.Messages(agentstate.View{}))
	})
}
