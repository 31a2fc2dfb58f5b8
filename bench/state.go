package bench

import (
	"crypto/sha256"
	"encoding/hex"

	"google.golang.org/protobuf/encoding/protowire"
)

func field(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

func number(b []byte, n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
}

// remember writes the agent's own record of the text in w.raw: a prompt message
// as JSON, and a user message or step as protobuf.
func (w *writer) remember(s *session, k kind) error {
	if !s.agentic() || len(w.raw) > 1<<20 {
		return nil
	}
	var message, proto []byte
	switch k {
	case kindUser:
		text := append(append([]byte("<user_query>\n"), w.raw...), "\n</user_query>"...)
		message = append(quote([]byte(`{"role":"user","content":[{"type":"text","text":`), text), `}]}`...)
		proto = number(field(field(nil, 1, w.raw), 2, []byte(w.uuid())), 4, 1)
	case kindThinking:
		message = append(quote([]byte(`{"id":"1","role":"assistant","content":[{"type":"reasoning","text":`), w.raw), `}]}`...)
		proto = field(nil, 3, number(field(nil, 1, w.raw), 3, uint64(s.at)))
	default:
		message = append(quote([]byte(`{"id":"1","role":"assistant","content":[{"type":"text","text":`), w.raw), `}]}`...)
		proto = field(nil, 1, number(field(nil, 1, w.raw), 2, uint64(s.at)))
	}
	id, err := w.state(message)
	if err != nil {
		return err
	}
	s.prompts = append(s.prompts, id)
	if id, err = w.state(proto); err != nil {
		return err
	}
	if k == kindUser {
		s.userBlob = id
	} else {
		s.steps = append(s.steps, id)
	}
	return nil
}

// step is the protobuf ToolCall of a call.
func (w *writer) step(s *session, c *call) []byte {
	var args, done []byte
	var variant protowire.Number
	switch c.tool {
	case 15:
		variant = 1
		args = field(nil, 1, c.arg)
		done = field(number(field(nil, 1, c.arg), 3, 0), 5, c.out)
	case 40:
		variant = 8
		args = field(nil, 1, c.path)
		done = number(field(field(nil, 1, c.out), 7, c.path), 4, 412)
	case 41:
		variant = 5
		args = field(nil, 1, c.arg)
		match := field(field(nil, 1, c.path), 2, field(number(nil, 1, 17), 2, c.out))
		union := field(nil, 3, field(nil, 1, match))
		done = field(field(nil, 1, c.arg), 4, field(field(nil, 1, []byte("/home/ada")), 2, union))
	default:
		variant = 12
		args = field(nil, 1, c.path)
		done = number(number(field(nil, 1, c.path), 3, 5), 4, 4)
		done = field(done, 5, append([]byte("-"), c.arg...))
	}
	b := field(nil, variant, field(field(nil, 1, args), 2, field(nil, 1, done)))
	return number(field(b, 57, []byte(c.id)), 59, uint64(s.at))
}

// rememberCall is remember for a tool call: two prompt messages and a step.
func (w *writer) rememberCall(s *session, c *call, step []byte) error {
	if !s.agentic() {
		return nil
	}
	ask := append([]byte(`{"id":"1","role":"assistant","content":[{"type":"tool-call","toolCallId":"`), c.id...)
	ask = append(append(append(ask, `","toolName":"`...), c.name...), `","args":`...)
	ask = append(append(ask, c.args...), `}]}`...)
	answer := append([]byte(`{"role":"tool","id":"`), c.id...)
	answer = append(append(append(answer, `","content":[{"type":"tool-result","toolCallId":"`...), c.id...), `","toolName":"`...)
	answer = append(quote(append(append(answer, c.name...), `","result":`...), c.out), `}]}`...)
	for _, message := range [][]byte{ask, answer} {
		id, err := w.state(message)
		if err != nil {
			return err
		}
		s.prompts = append(s.prompts, id)
	}
	id, err := w.state(field(nil, 2, step))
	s.steps = append(s.steps, id)
	return err
}

// window is how many prompt messages fit before the agent summarises them away.
const window = 200

// endTurn writes the turn, compacts when the window is full, and points the
// composer's checkpoint at the new root.
func (w *writer) endTurn(s *session) error {
	if !s.agentic() {
		return nil
	}
	turn := field(nil, 1, s.userBlob[:])
	for _, id := range s.steps {
		turn = field(turn, 2, id[:])
	}
	turn = field(nil, 1, field(turn, 3, []byte(s.request)))
	s.steps = s.steps[:0]
	id, err := w.state(turn)
	if err != nil {
		return err
	}
	s.turnIDs = append(s.turnIDs, id)
	if len(s.prompts) > window {
		if err := w.compact(s); err != nil {
			return err
		}
	}
	if s.turns%(1+s.planned/2500) != 0 {
		return nil // a root lists every turn: writing each would be quadratic
	}
	if _, err := w.saveRoot(s); err != nil {
		return err
	}
	return w.put("agentKv:bubbleCheckpoint:"+s.id+":"+s.request, []byte(hex.EncodeToString(s.rootID[:])))
}

func (w *writer) compact(s *session) error {
	var b []byte
	for _, id := range s.prompts {
		b = field(b, 1, id[:])
	}
	summary := w.text.prose(nil, 3000)
	id, err := w.state(field(b, 2, summary))
	if err != nil {
		return err
	}
	s.past = append(s.past, id)
	message := append(quote([]byte(`{"role":"user","content":`), summary), `,"providerOptions":{"cursor":{"isSummary":true}}}`...)
	if id, err = w.state(message); err != nil {
		return err
	}
	s.prompts = append(s.prompts[:0], id)
	return nil
}

// saveRoot writes the root state unless the same one was written last.
func (w *writer) saveRoot(s *session) ([]byte, error) {
	root := s.root()
	if sha256.Sum256(root) == s.rootID {
		return root, nil
	}
	id, err := w.state(root)
	s.rootID = id
	return root, err
}

// root is the ConversationStateStructure.
func (s *session) root() []byte {
	var b []byte
	for _, id := range s.prompts {
		b = field(b, 1, id[:])
	}
	b = field(b, 5, number(number(nil, 1, 91234), 2, 200000))
	for _, id := range s.turnIDs {
		b = field(b, 8, id[:])
	}
	b = field(b, 9, []byte("file://"+workspaces[s.workspace].path))
	b = number(b, 10, 1)
	for _, id := range s.past {
		b = field(b, 13, id[:])
	}
	return number(b, 26, uint64(s.created))
}
