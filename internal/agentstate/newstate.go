package agentstate

import (
	"crypto/sha256"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold"
)

// A Maker writes a conversation as blobs: [Decode] reads it. What a part is made
// of is handed on before the part itself.
type Maker struct {
	// Put keeps a blob under its id, lower-case hex. The same blob may come again.
	Put func(id string, content []byte) error
}

// A NewTurn is what a person said, and what followed.
type NewTurn struct {
	User      User // MessageID, Text, Mode, Simulated, Attachments and Started are written
	RequestID string
	Steps     []NewStep
}

// A NewStep is one thing that the agent said, thought or did.
type NewStep struct {
	Kind    StepKind // StepAssistant, StepThinking or StepTool
	Text    string
	Call    []byte // of StepTool: see NewCall
	Started time.Time
}

// A NewState is a conversation.
type NewState struct {
	Prompts   [][]byte // JSON messages, as the model is to see them
	Turns     [][]byte // references, see Maker.Turn
	Workspace string   // URI
	Mode      string
	Branch    string
	Started   time.Time
}

func (k *Maker) put(content []byte) (ref []byte, err error) {
	sum := sha256.Sum256(content)
	return sum[:], k.Put(idOf(content), content)
}

// Step writes a step and returns its reference.
func (k *Maker) Step(s *NewStep) ([]byte, error) {
	var body []byte
	num := protowire.Number(2)
	switch s.Kind {
	case StepAssistant:
		num, body = 1, appendMillis(appendText(nil, 1, s.Text), 2, s.Started)
	case StepThinking:
		num, body = 3, appendMillis(appendText(nil, 1, s.Text), 3, s.Started)
	default:
		body = s.Call
	}
	return k.put(appendBytes(nil, num, body))
}

// Turn writes a turn with all that it holds. It returns its reference and those
// of its steps.
func (k *Maker) Turn(t *NewTurn) (ref []byte, steps [][]byte, err error) {
	user, err := k.put(encodeUser(&t.User))
	if err != nil {
		return nil, nil, err
	}
	turn := appendBytes(nil, 1, user)
	for i := range t.Steps {
		step, err := k.Step(&t.Steps[i])
		if err != nil {
			return nil, nil, err
		}
		steps = append(steps, step)
		turn = appendBytes(turn, 2, step)
	}
	if t.RequestID != "" {
		turn = appendText(turn, 3, t.RequestID)
	}
	ref, err = k.put(appendBytes(nil, 1, turn))
	return ref, steps, err
}

// State writes the root and returns it.
func (k *Maker) State(s *NewState) (root []byte, err error) {
	for _, doc := range s.Prompts {
		ref, err := k.put(doc)
		if err != nil {
			return nil, err
		}
		root = appendBytes(root, statePrompts, ref)
	}
	for _, ref := range s.Turns {
		root = appendBytes(root, stateTurns, ref)
	}
	if s.Workspace != "" {
		root = appendText(root, stateWorkspaces, s.Workspace)
	}
	if n := modeNumber(s.Mode); n != 0 {
		root = appendNumber(root, stateMode, n)
	}
	if s.Branch != "" {
		root = appendText(root, stateBranch, s.Branch)
	}
	root = appendMillis(root, stateStarted, s.Started)
	_, err = k.put(root)
	return root, err
}

// modeNumber is the inverse of ModeName; 0 for a mode that Cursor has not.
func modeNumber(name string) uint64 {
	for n, value := range fields().enums["#AgentMode"] {
		if n != 0 && value == "AGENT_MODE_"+strings.ToUpper(name) {
			return n
		}
	}
	return 0
}

func encodeUser(u *User) []byte {
	b := appendText(nil, 1, u.Text)
	b = appendText(b, 2, u.MessageID)
	if c := encodeContext(u.Attachments); len(c) > 0 {
		b = appendBytes(b, 3, c)
	}
	if n := modeNumber(u.Mode); n != 0 {
		b = appendNumber(b, 4, n)
	}
	if u.Simulated {
		b = appendNumber(b, 5, 1)
	}
	return appendMillis(b, 25, u.Started)
}

// encodeContext writes a SelectedContext of what is known by more than its name.
// Pictures are left out: their bytes are not known, and Cursor looks for them.
func encodeContext(all []retold.Attachment) (out []byte) {
	for _, num := range []protowire.Number{4, 5, 6, 8, 9, 10, 12, 13, 19} {
		s := contextShapes[num]
		for _, a := range all {
			switch {
			case num == 10 && a.Kind == "rule" && a.Path != "":
				out = appendBytes(out, num, appendBytes(nil, 1, appendText(appendText(nil, 1, a.Path), 2, a.Text)))
			case a.Kind == s.kind && num != 10 && (num != 5 || a.StartLine > 0):
				out = appendBytes(out, num, encodeAttachment(a, s))
			}
		}
	}
	return out
}

func encodeAttachment(a retold.Attachment, s shape) (b []byte) {
	values := map[protowire.Number]string{}
	for _, f := range []struct {
		num   protowire.Number
		value string
	}{{s.name, a.Name}, {s.path, a.Path}, {s.text, a.Text}} { // a path counts more than a name
		if f.num != 0 && f.value != "" {
			values[f.num] = f.value
		}
	}
	for num := range protowire.Number(6) {
		if v, ok := values[num]; ok && num > 0 {
			b = appendText(b, num, v)
		}
		if num == s.rng && num > 0 {
			line := func(n int) []byte { return appendNumber(nil, 1, uint64(max(n, 0))) }
			b = appendBytes(b, num, appendBytes(appendBytes(nil, 1, line(a.StartLine)), 2, line(a.EndLine)))
		}
	}
	return b
}
