package agentstate

import (
	"encoding/hex"
	"errors"

	"github.com/retold-history/retold"
)

// subagents decodes the conversations that this one started: inline in field 16
// or by id in field 31.
func (d *decoder) subagents(c *Conversation, m message, level int) error {
	for _, ref := range subagentRefs(m) {
		content := ref.Inline
		if ref.BlobID != "" {
			raw, err := hex.DecodeString(ref.BlobID)
			if err != nil { // made by subagentRefs
				return err
			}
			if _, content, err = d.load(raw); err != nil {
				return err
			}
			if content == nil {
				c.problem(retold.ProblemMissing, ref.BlobID, "the state of sub-agent "+ref.ID+" is not stored here")
				continue
			}
		}
		s, state := DecodeSubagent(content)
		s.ID = ref.ID
		if err := d.descend(c, &s, state, level); err != nil {
			return err
		}
		c.Subagents = append(c.Subagents, s)
	}
	return nil
}

func (d *decoder) descend(c *Conversation, s *Subagent, state []byte, level int) error {
	if d.alone {
		return nil
	}
	key := "state " + idOf(state)
	if level >= d.depth || d.open[key] {
		c.problem(retold.ProblemMalformed, s.ID, "sub-agents are nested too deeply to follow")
		return nil
	}
	d.open[key] = true
	defer delete(d.open, key)
	s.State = d.conversation()
	m, err := parse(state)
	if err != nil {
		s.State.problem(retold.ProblemMalformed, s.ID, "the state of a sub-agent is damaged")
	}
	if err := d.state(s.State, m, level+1); err != nil {
		if !errors.Is(err, errBudget) {
			return err
		}
		s.State.problem(retold.ProblemMalformed, s.ID, err.Error()+"; the rest is left out")
	}
	return nil
}
