package cursor

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// An agentView is what the agent's state says of a chat, decoded once.
type agentView struct {
	messages []retold.Message
	calls    map[string]*retold.ToolCall // by call id
	problems []retold.Problem
}

// blobs reads the blobs of an agent's state for its decoder, all in one
// transaction: a state can name thousands.
type blobs struct{ conn *sqlite.Conn }

// Blob returns the bytes of a blob; nil when it is not stored.
func (b blobs) Blob(id string) ([]byte, error) {
	key := "agentKv:blob:" + id
	found, err := get(b.conn, "cursorDiskKV", key)
	if r, ok := found[key]; ok && !r.null {
		return plainBlob(id, r.value), err
	}
	return nil, err
}

// checkpointID is the blob that an agentKv:checkpoint record names.
func checkpointID(value []byte) string { return strings.ToLower(strings.Trim(string(value), "\" \n")) }

// inlineState opens the inline form of conversationState: "~" and base64. A bare
// "~" is the empty state. The forms of early builds (JSON) and of a short-lived
// one have not been described (formats D.3): an error.
func inlineState(v jscan.Value) ([]byte, error) {
	text := v.Str()
	encoded, ok := strings.CutPrefix(text, "~")
	switch {
	case v.Empty() || text == "~":
		return nil, nil
	case v.Kind() == jscan.Object || strings.HasPrefix(text, "{"):
		return nil, errors.New("conversationState is in the JSON form of early builds, which nobody has described")
	case !ok:
		return nil, errors.New("conversationState is in an unknown encoding")
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding} {
		if root, err := encoding.DecodeString(encoded); err == nil {
			return root, nil
		}
	}
	return nil, errors.New("conversationState is damaged: not base64")
}

// outlineStates looks at the root states of chats that have nothing else: one
// without turns is an empty chat.
func (g *catalog) outlineStates(ctx context.Context) error {
	for _, c := range g.chats {
		if !c.state || c.headers > 0 || c.inline > 0 || c.bubbles || g.only != "" && c.id != g.only {
			continue
		}
		root, _, err := g.rootState(ctx, c.id, c.root, c.cloud)
		if err != nil {
			return err
		}
		c.root, c.sum = nil, checksum(root)
		h, ok := agentstate.DecodeHeader(root)
		c.state = ok && (h.Turns > 0 || h.Prompts > 1 || h.HasPending)
		if c.state {
			c.fromStateHeader(h)
		}
	}
	return nil
}

// rootState is the newest state of a chat: the inline one, else the blob that
// agentKv:checkpoint names, else the one that a cloud agent's record leads to.
// Where a record names a blob that is not stored, missing is its key.
func (g *catalog) rootState(ctx context.Context, id string, inline []byte, cloud bool) (root []byte, missing string, err error) {
	if len(inline) > 0 {
		return inline, "", nil
	}
	if !g.tables.disk {
		return nil, "", nil
	}
	checkpoint, err := kvRead(ctx, g.db, checkpointPrefix+id)
	if err != nil {
		return nil, "", err
	}
	if len(checkpoint) > 0 {
		root, err = g.blob(ctx, checkpointID(checkpoint))
		if root == nil {
			missing = checkpointPrefix + id
		}
	}
	if root == nil && err == nil && cloud {
		root, err = g.cloudState(ctx, id)
		if missing = ""; root == nil {
			missing = id + cloudSuffix
		}
	}
	return root, missing, err
}

// cloudState follows a cloud agent's record (formats D.7): base64 of
// CloudAgentStatePersistedMetadata, whose field 1 is the id of the blob of a
// CloudAgentState, whose field 1 is the conversation's state. Nil where any of
// them is not stored.
func (g *catalog) cloudState(ctx context.Context, id string) ([]byte, error) {
	record, err := kvRead(ctx, g.db, id+cloudSuffix)
	if err != nil {
		return nil, err
	}
	metadata, err := base64.StdEncoding.DecodeString(strings.Trim(string(record), "\" \n"))
	if err != nil { // then it leads nowhere, which the caller tells
		return nil, nil //nolint:nilerr // as above
	}
	state, err := g.blob(ctx, hex.EncodeToString(firstField(metadata)))
	return firstField(state), err
}

// firstField is the content of field 1 of a protobuf message.
func firstField(b []byte) []byte {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil
		}
		b = b[n:]
		if num == 1 && typ == protowire.BytesType {
			content, _ := protowire.ConsumeBytes(b)
			return content
		}
		if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
			return nil
		}
		b = b[n:]
	}
	return nil
}

// blob reads a blob of the agents' states; nil when it is not stored.
func (g *catalog) blob(ctx context.Context, id string) ([]byte, error) {
	value, err := kvRead(ctx, g.db, "agentKv:blob:"+id)
	return plainBlob(id, value), err
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
// older rows as their hex in text; an empty one as a single zero byte. A blob of
// bytes that happen to be hex digits is told by its id, their sha256.
func plainBlob(id string, b []byte) []byte {
	if len(b) == 1 && b[0] == 0 {
		return []byte{}
	}
	raw := make([]byte, len(b)/2)
	if _, err := hex.Decode(raw, b); err != nil || len(b) == 0 {
		return b
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) == id {
		return b
	}
	return raw
}

// conversation decodes the chat's agent state; nil when it has none that can be
// read.
func (r *reader) conversation(opt agentstate.Options) (*agentstate.Conversation, error) {
	inline, _ := inlineState(r.g.full.state) // its error is a problem of the record, told with it
	root, missing, err := r.g.rootState(r.ctx, r.chat.id, inline, r.chat.cloud)
	if missing != "" {
		r.stateTrouble(missing, retold.ProblemMissing, "the agent state it names is not stored")
	}
	if err != nil || len(root) == 0 {
		return nil, err
	}
	var state *agentstate.Conversation
	err = r.g.db.Read(r.ctx, func(conn *sqlite.Conn) (err error) {
		state, err = agentstate.Decode(root, blobs{conn}, opt)
		return err
	})
	if errors.Is(err, agentstate.ErrNotState) {
		r.stateTrouble(checkpointPrefix+r.chat.id, retold.ProblemUnknown, "the agent state is in an unknown encoding")
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read agent state of %s: %w", r.chat.id, err)
	}
	return state, nil
}

// stateTrouble tells once what is wrong with a state that may be decoded twice.
func (r *reader) stateTrouble(key, kind, why string) {
	for _, p := range r.detail.ProblemList {
		if p.Key == key && p.Reason == why {
			return
		}
	}
	if r.memo != nil {
		r.memo.odd = true
	}
	r.trouble(key, kind, "%s", why)
}

// agent decodes the chat's agent state when something first asks for it.
func (r *reader) agent() *agentView {
	if r.state != nil {
		return r.state
	}
	r.state = &agentView{calls: map[string]*retold.ToolCall{}}
	state, err := r.conversation(agentstate.Options{SkipSubagents: true})
	if err != nil {
		if r.memo != nil {
			r.memo.odd = true
		}
		r.trouble(checkpointPrefix+r.chat.id, retold.ProblemUnreadable, "%v", err)
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
// That of a deleted chat is what was left behind.
func (r *reader) fromState() error {
	view := r.agent()
	r.detail.ProblemList = append(r.detail.ProblemList, view.problems...)
	if len(view.messages) == 0 {
		return nil
	}
	r.detail.Sources = []string{"agentkv"}
	for _, m := range view.messages {
		m.Orphan = r.chat.tombstone
		if err := r.dater.add(m); err != nil {
			return err
		}
	}
	return r.dater.finish()
}

// remember keeps what is said, for recoverLost to tell what the agent's state has
// beyond it: only where bubbles are missing and there is a state.
func (r *reader) remember(missing bool) {
	if missing && r.chat.state {
		r.said = map[uint64]bool{}
		r.mapper.telling = true
	}
}

// sayKey is the same for two messages that say the same: a call's id, else role
// and text with white space folded.
func sayKey(m *retold.Message) uint64 {
	h := fnv.New64a()
	if m.Tool != nil && m.Tool.CallID != "" {
		_, _ = io.WriteString(h, "call "+m.Tool.CallID) // a hash never fails
		return h.Sum64()
	}
	_, _ = io.WriteString(h, string(m.Role))
	for word := range strings.FieldsSeq(m.Content) {
		_, _ = io.WriteString(h, " "+word)
	}
	return h.Sum64()
}

// recoverLost yields, after the conversation, what the agent's state kept and the
// bubbles do not have: the reasoning of a chat whose bubbles have none, and what
// stood in bubbles that are missing.
func (r *reader) recoverLost() error {
	if r.thought && r.said == nil || !r.chat.state {
		return nil
	}
	// What a bubble showed is in the turns; the model's context need not be read.
	state, err := r.conversation(agentstate.Options{TurnsOnly: true, SkipSubagents: true})
	if err != nil || state == nil {
		return err
	}
	thought := r.thought
	lost := func(m *retold.Message) bool {
		return r.said != nil && m.Role != retold.RoleSystem && !r.said[sayKey(m)] || !thought && m.Role == retold.RoleThinking
	}
	for _, m := range state.Messages(agentstate.View{Light: r.mapper.counting, Wanted: lost}) {
		if !lost(&m) {
			continue
		}
		r.knowIDs()
		m.Recovered = true
		if err := r.dater.add(m); err != nil {
			return err
		}
	}
	return r.dater.finish()
}
