package agentstate

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold"
)

// turns reads the visible conversation: field 8, or field 2 as 2025 builds wrote
// it, where a blob is the agent turn itself.
func (d *decoder) turns(c *Conversation, m message, level int) error {
	refs, old := slices.Collect(m.all(stateTurns)), false
	if len(refs) == 0 {
		refs, old = slices.Collect(m.all(stateTurnsOld)), true
	}
	for _, ref := range refs {
		t, err := d.turn(c, ref, old)
		if err != nil {
			return err
		}
		c.Turns = append(c.Turns, t)
	}
	return nil
}

// DecodeTurn reads one turn that no state names any more: a rewound one. old says
// that the bytes are an agent turn without the oneof around it.
func DecodeTurn(b []byte, old bool, blobs Blobs, opt Options) (Turn, []retold.Problem, error) {
	d := newDecoder(blobs, opt)
	c := d.conversation()
	t := Turn{ID: idOf(b)}
	err := d.turnBody(c, &t, b, old)
	return t, c.Problems, err
}

func (d *decoder) turn(c *Conversation, ref []byte, old bool) (Turn, error) {
	id, content, err := d.load(ref)
	if err != nil {
		return Turn{}, err
	}
	t := Turn{ID: id}
	if content == nil {
		c.problem(retold.ProblemMissing, id, "a turn of the conversation is not stored here")
		t.Missing = true
		return t, nil
	}
	return t, d.turnBody(c, &t, content, old)
}

func (d *decoder) turnBody(c *Conversation, t *Turn, content []byte, old bool) error {
	m, err := parse(content)
	if err == nil && !old && !m.has(2) && isBareTurn(m) {
		old = true // an agent turn in the newer field, as other programs write it
	}
	turn := m
	if !old {
		turn = m.sub(1)
		if shell, ok := m.get(2); ok && !m.has(1) {
			return d.shell(c, t, shell.b)
		}
	}
	if err != nil || len(turn) == 0 {
		c.problem(retold.ProblemMalformed, t.ID, "a turn of the conversation is damaged")
		if len(turn) == 0 {
			t.Missing = true
			return nil
		}
	}
	t.RequestID, t.Model = turn.text(3), turn.text(7)
	if ref := turn.bytes(1); len(ref) > 0 {
		if t.User, err = d.user(c, ref); err != nil {
			return err
		}
	}
	for ref := range turn.all(2) {
		s, err := d.step(c, ref)
		if err != nil {
			return err
		}
		t.Steps = append(t.Steps, s)
	}
	return nil
}

// isBareTurn tells an AgentConversationTurnStructure, whose field 1 is an id,
// from a ConversationTurnStructure, whose field 1 holds it.
func isBareTurn(m message) bool {
	f, ok := m.get(1)
	if !ok || !isID(f.b) {
		return false
	}
	inner, err := parse(f.b)
	return err != nil || len(inner) == 0 || !inner.has(1)
}

func (d *decoder) shell(c *Conversation, t *Turn, b []byte) error {
	m, _ := parse(b)
	t.Shell = &Shell{ID: t.ID}
	for num := range 2 {
		ref := m.bytes(protowire.Number(num + 1))
		if ref == nil {
			continue
		}
		id, content, err := d.load(ref)
		switch {
		case err != nil:
			return err
		case content == nil:
			c.problem(retold.ProblemMissing, id, "a part of a shell command is not stored here")
		case num == 0:
			command, _ := parse(content)
			t.Shell.Command = command.text(1)
		default:
			t.Shell.Output = content
		}
	}
	return nil
}

func (d *decoder) step(c *Conversation, ref []byte) (Step, error) {
	id, content, err := d.load(ref)
	if err != nil {
		return Step{}, err
	}
	s := Step{ID: id, Kind: StepMissing}
	if content == nil {
		c.problem(retold.ProblemMissing, id, "a step of the conversation is not stored here")
		return s, nil
	}
	m, err := parse(content)
	if err != nil {
		c.problem(retold.ProblemMalformed, id, "a step of the conversation is damaged")
	}
	for _, f := range slices.Backward(m) {
		body, _ := parse(f.b)
		switch f.num {
		case 1:
			s.Kind, s.Text, s.Started, s.Completed = StepAssistant, body.text(1), body.millis(2), body.millis(3)
		case 2:
			return d.toolStep(c, s, f.b)
		case 3:
			s.Kind, s.Text, s.Started, s.Completed = StepThinking, body.text(1), body.millis(3), body.millis(4)
		default:
			s.Kind = StepUnknown
			continue
		}
		return s, nil
	}
	if s.Kind == StepUnknown {
		c.problem(retold.ProblemUnknown, id, "a step of a kind that this version does not know")
	}
	return s, nil
}

// toolStep reads a tool call, and the original of one that was truncated.
func (d *decoder) toolStep(c *Conversation, s Step, b []byte) (Step, error) {
	t, err := DecodeToolCall(b)
	if t == nil {
		if len(b) > 0 {
			c.problem(retold.ProblemMalformed, s.ID, "a tool call is damaged")
		}
		s.Kind = StepMissing
		return s, nil
	}
	if err != nil {
		c.problem(retold.ProblemMalformed, s.ID, "a tool call is damaged in part")
	}
	s.Kind, s.Tool, s.Started, s.Completed = StepTool, t, t.Started, t.Completed
	if t.cut {
		return d.original(c, s)
	}
	return s, t.resolve(func(id []byte) ([]byte, error) {
		_, content, err := d.load(id)
		return content, err
	})
}

// original puts the step that a truncated call stands for in its place, keeping
// the call's id and times where the original has none.
func (d *decoder) original(c *Conversation, s Step) (Step, error) {
	ref := s.Tool.body.bytes(1)
	if !isID(ref) || d.open[s.ID] || len(d.open) >= d.depth {
		return s, nil
	}
	d.open[s.ID] = true
	defer delete(d.open, s.ID)
	full, err := d.step(c, ref)
	if err != nil || full.Tool == nil || full.Tool.cut {
		return s, err
	}
	if full.Tool.ID == "" {
		full.Tool.ID = s.Tool.ID
	}
	full.ID = s.ID
	if full.Started.IsZero() {
		full.Started, full.Completed = s.Started, s.Completed
	}
	return full, nil
}
