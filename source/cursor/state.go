package cursor

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
)

// An agentView is what the agent's state says of a chat, decoded once.
type agentView struct {
	messages []retold.Message
	calls    map[string]*retold.ToolCall // by call id
	problems []retold.Problem
}

// Blob reads a blob of the agent's state for its decoder.
func (r *reader) Blob(id string) ([]byte, error) {
	value, err := kvRead(r.ctx, r.db, "agentKv:blob:"+id)
	return plainBlob(value), err
}

// kvRead reads one record of the global database; nil when it is not stored.
func kvRead(ctx context.Context, db *livedb.DB, key string) (value []byte, err error) {
	err = db.Read(ctx, func(conn *sqlite.Conn) error {
		all, err := get(conn, "cursorDiskKV", key)
		value = all[key].value
		return err
	})
	return value, err
}

// checkpointID is the blob that an agentKv:checkpoint record names.
func checkpointID(value []byte) string { return strings.Trim(string(value), "\" \n") }

// stateBytes opens the inline form of conversationState: "~" and base64. Other
// forms, of early and of short-lived builds, have not been described.
func stateBytes(text string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, "~")
	if !ok {
		return nil, errors.New("conversationState is in an unknown encoding")
	}
	return base64.StdEncoding.DecodeString(encoded)
}

// outlineStates looks at the root states of chats that have nothing else: one
// without turns is an empty chat.
func (g *catalog) outlineStates(ctx context.Context, db *livedb.DB) error {
	for _, c := range g.chats {
		if !c.state || c.headers > 0 || c.inline > 0 || c.bubbles || g.only != "" && c.id != g.only {
			continue
		}
		root := c.root
		if len(root) == 0 {
			checkpoint, err := kvRead(ctx, db, "agentKv:checkpoint:"+c.id)
			if err != nil {
				return err
			}
			stored, err := kvRead(ctx, db, "agentKv:blob:"+checkpointID(checkpoint))
			if err != nil {
				return err
			}
			root = plainBlob(stored)
		}
		c.root = nil
		h, ok := agentstate.DecodeHeader(root)
		c.state = ok && (h.Turns > 0 || h.Prompts > 1 || h.HasPending)
		if !c.state {
			continue
		}
		c.fromStateHeader(h)
	}
	return nil
}

// fromStateHeader takes from a root state what no record says.
func (c *chat) fromStateHeader(h agentstate.Header) {
	if c.meta.created.IsZero() {
		c.meta.created = h.StartedAt
	}
	for _, t := range h.Timings {
		if t.At.After(c.lastAt) {
			c.lastAt = t.At
		}
	}
	c.meta.mode = cmp.Or(c.meta.mode, h.Mode)
	c.meta.branch = cmp.Or(c.meta.branch, h.Branch)
	if n := len(h.Workspaces); n > 0 {
		c.spoken = paths.ParseURI(h.Workspaces[n-1])
	}
}

// plainBlob undoes how the IDE stores a blob (formats D.3): as its bytes, in
// older rows as their hex in text; an empty one as a single zero byte.
func plainBlob(b []byte) []byte {
	if len(b) == 1 && b[0] == 0 {
		return []byte{}
	}
	if len(b) > 0 && len(b)%2 == 0 {
		raw := make([]byte, len(b)/2)
		if _, err := hex.Decode(raw, b); err == nil {
			return raw
		}
	}
	return b
}

// rootState is the newest state of the chat: inline in the record behind a "~",
// else the blob that agentKv:checkpoint names. Nil when there is none, or in an
// encoding that nobody has described (formats D.3).
func (r *reader) rootState() ([]byte, error) {
	if text := r.g.full.state.Str(); len(text) > 1 {
		root, err := stateBytes(text)
		if err == nil {
			return root, nil
		}
		r.trouble("composerData:"+r.chat.id, retold.ProblemUnknown, "%v", err)
	}
	if !r.disk {
		return nil, nil
	}
	key := "agentKv:checkpoint:" + r.chat.id
	checkpoint, err := kvRead(r.ctx, r.db, key)
	if err != nil || len(checkpoint) == 0 {
		return nil, err
	}
	root, err := r.Blob(checkpointID(checkpoint))
	if err == nil && root == nil {
		r.trouble(key, retold.ProblemMissing, "the agent state it names is not stored")
	}
	return root, err
}

// conversation decodes the chat's agent state; nil when it has none that can be
// read.
func (r *reader) conversation() (*agentstate.Conversation, error) {
	root, err := r.rootState()
	if err != nil || len(root) == 0 {
		return nil, err
	}
	state, err := agentstate.Decode(root, r, agentstate.Options{})
	if errors.Is(err, agentstate.ErrNotState) {
		r.trouble("agentKv:checkpoint:"+r.chat.id, retold.ProblemUnknown, "the agent state is in an unknown encoding")
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read agent state of %s: %w", r.chat.id, err)
	}
	return state, nil
}

// agent decodes the chat's agent state when something first asks for it.
func (r *reader) agent() *agentView {
	if r.state != nil {
		return r.state
	}
	r.state = &agentView{calls: map[string]*retold.ToolCall{}}
	state, err := r.conversation()
	if err != nil {
		r.trouble("agentKv:checkpoint:"+r.chat.id, retold.ProblemUnreadable, "%v", err)
	}
	if state == nil {
		return r.state
	}
	r.state.messages = state.Messages(agentstate.View{Light: r.mapper.counting})
	r.state.problems = state.Problems
	for i := range r.state.messages {
		if t := r.state.messages[i].Tool; t != nil && t.CallID != "" {
			r.state.calls[t.CallID] = t
		}
	}
	return r.state
}

// recovered finds a call in the agent's state.
func (r *reader) recovered(callID string) *retold.ToolCall {
	r.agentMu.Lock()
	defer r.agentMu.Unlock()
	return r.agent().calls[callID]
}

// complete adds what a bubble lacks and another record has: newer builds keep
// some results only in toolCallBinary, others only in the agent's state.
func (m *mapper) complete(call *retold.ToolCall, data *toolData) {
	if data.binary != "" && (call.Result == nil || call.Params == nil || call.Kind == retold.ToolEdit) {
		if raw, err := base64.StdEncoding.DecodeString(data.binary); err == nil {
			if t, err := agentstate.DecodeToolCall(raw); err == nil {
				fillCall(call, t.Retold())
			}
		}
	}
	if m.recover != nil && call.Result == nil && call.CallID != "" && call.Status != retold.StatusCancelled {
		if t := m.recover(call.CallID); t != nil {
			fillCall(call, t)
		}
	}
}

// fillCall takes from other what call lacks.
func fillCall(call, other *retold.ToolCall) {
	if call.Params == nil {
		call.Params = other.Params
	}
	if call.Result == nil {
		call.Result = other.Result
		if call.Status == retold.StatusPending && other.Result != nil {
			call.Status = other.Status
		}
	}
	if call.ExitCode == nil {
		call.ExitCode = other.ExitCode
	}
	if len(call.Files) == 0 {
		call.Files = other.Files
	}
	if call.Diff == "" {
		call.Diff = other.Diff
	}
	if call.Kind == retold.ToolOther {
		call.Kind = other.Kind
	}
}

// fromState yields a chat of which no bubble is stored from the agent's state.
func (r *reader) fromState() error {
	view := r.agent()
	r.detail.ProblemList = append(r.detail.ProblemList, view.problems...)
	if len(view.messages) == 0 {
		return nil
	}
	r.detail.Sources = []string{"agentkv"}
	for _, m := range view.messages {
		if err := r.dater.add(m); err != nil {
			return err
		}
	}
	return r.dater.flush(r.dater.end)
}

// lostThinking yields, after the conversation, the reasoning that the agent's
// state kept of a chat whose bubbles have none.
func (r *reader) lostThinking() error {
	if r.thought || !r.chat.state {
		return nil
	}
	for _, m := range r.agent().messages {
		if m.Role != retold.RoleThinking {
			continue
		}
		m.Recovered = true
		if err := r.dater.add(m); err != nil {
			return err
		}
	}
	return r.dater.flush(r.dater.end)
}
