package library

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
)

// graft returns base followed by what other holds and base lacks altogether,
// marked Recovered. The unit is the turn (a user message and what follows it):
// stores split and join an answer's messages in their own ways, so that two
// tellings of one turn differ message by message, but a turn is only there or
// not there. A turn of which base has nothing but the question gets its answer.
// It takes one pass over each side.
func graft(base, other []retold.Message) []retold.Message {
	k := keeper{seed: maphash.MakeSeed(), texts: map[uint64]int{}, questions: map[uint64][]*turn{}, calls: map[string]bool{}}
	ids := make(map[string]bool, len(base))
	for i := range base {
		ids[base[i].ID] = true
	}
	for t := range turns(base) {
		k.learn(t)
	}
	out := slices.Clip(base)
	add := func(m retold.Message) {
		m.Recovered = true
		m.ID = unused(ids, m.ID)
		ids[m.ID] = true
		out = append(out, m)
	}
	for t := range turns(other) {
		for _, m := range k.lacking(t) {
			add(m)
		}
	}
	return out
}

// turn is a run of messages of one telling, starting with a user message
// unless it stands first.
type turn struct {
	messages []retold.Message
	answered bool // an assistant spoke
	acted    bool // something besides the question is there
}

// turns splits a conversation at its user messages.
func turns(ms []retold.Message) func(yield func(*turn) bool) {
	return func(yield func(*turn) bool) {
		for start := 0; start < len(ms); {
			end := start + 1
			for end < len(ms) && ms[end].Role != retold.RoleUser {
				end++
			}
			t := &turn{messages: ms[start:end]}
			for i := range t.messages {
				switch t.messages[i].Role {
				case retold.RoleAssistant:
					t.answered = t.answered || strings.TrimSpace(t.messages[i].Content) != ""
				case retold.RoleTool, retold.RoleThinking, retold.RoleError:
					t.acted = true
				}
			}
			if !yield(t) {
				return
			}
			start = end
		}
	}
}

// A keeper knows what the backbone has said.
type keeper struct {
	seed      maphash.Seed
	texts     map[uint64]int     // how often each text was said
	questions map[uint64][]*turn // turns by their user message, in order
	calls     map[string]bool    // ids of tool calls
}

func (k *keeper) learn(t *turn) {
	for i := range t.messages {
		m := &t.messages[i]
		for _, key := range k.keys(m) {
			k.texts[key.sum]++
			if m.Role == retold.RoleUser {
				k.questions[key.sum] = append(k.questions[key.sum], t)
			}
		}
		if m.Tool != nil && m.Tool.CallID != "" {
			k.calls[m.Tool.CallID] = true
		}
	}
}

// lacking returns the messages of another telling's turn that the backbone has
// in no form, and takes what it has off the books, so that the fourth
// "continue" is not mistaken for the third. A turn is known by its question, by
// a long answer or by the id of a tool call; only a turn that has none of these
// is known by what any turn might hold ("Done.", ls).
func (k *keeper) lacking(t *turn) []retold.Message {
	var says, telling, known, seen bool // anything at all; a mark of its own; met by one; met by anything
	var twin *turn
	for i := range t.messages {
		m := &t.messages[i]
		for _, key := range k.keys(m) {
			says = true
			telling = telling || key.telling
			if k.texts[key.sum] == 0 {
				continue
			}
			k.texts[key.sum]--
			seen = true
			known = known || key.telling
			if q := k.questions[key.sum]; m.Role == retold.RoleUser && len(q) > 0 {
				twin, k.questions[key.sum] = q[0], q[1:]
			}
		}
		if m.Tool != nil && m.Tool.CallID != "" {
			telling = true
			known = known || k.calls[m.Tool.CallID]
		}
	}
	known = known || seen && !telling || !says && !telling
	switch {
	case !known:
		return t.messages
	case twin == nil || twin.answered:
		return nil
	}
	var out []retold.Message
	for _, m := range t.messages[1:] { // the question is there
		blank := m.Role == retold.RoleAssistant && strings.TrimSpace(m.Content) == ""
		if !blank && (!twin.acted || m.Role == retold.RoleAssistant) {
			out = append(out, m)
		}
	}
	return out
}

// minTelling is the fewest bytes of an answer, or of its first paragraph, that
// tell it from others.
const minTelling = 24

// A key is one way in which a message may be met again.
type key struct {
	sum     uint64
	telling bool // hardly any other message has it
}

// keys are the ways in which a message may be met again: its whole text, and
// for an answer its first paragraph, because transcripts append the thinking to
// the text; for a tool call its name and parameters. A message that says
// nothing has none.
func (k *keeper) keys(m *retold.Message) []key {
	text := m.Content
	switch {
	case m.Role == retold.RoleUser:
		text = strings.ReplaceAll(text, "[Image]", "") // how a transcript says that there was one
	case m.Tool != nil:
		text += " " + m.Tool.Name + " " + string(m.Tool.Params)
	}
	whole := k.hash(m.Role, text)
	if whole == 0 {
		return nil
	}
	if m.Role != retold.RoleAssistant {
		return []key{{whole, m.Role == retold.RoleUser}}
	}
	keys := []key{{whole, len(text) >= minTelling}}
	opening, _, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	if len(opening) >= minTelling {
		keys = append(keys, key{k.hash("opening", opening), true})
	}
	return keys
}

// hash is a hash of a text that ignores white space; 0 when there is nothing
// else in it.
func (k *keeper) hash(kind retold.Role, text string) uint64 {
	var h maphash.Hash
	h.SetSeed(k.seed)
	h.WriteString(string(kind))
	start := h.Sum64()
	for word := range strings.FieldsSeq(text) {
		h.WriteByte(' ')
		h.WriteString(word)
	}
	if sum := h.Sum64(); sum != start {
		return sum
	}
	return 0
}

// unused returns id, or id with a number after it when it is taken.
func unused(ids map[string]bool, id string) string {
	for n, candidate := 2, id; ; n++ {
		if !ids[candidate] && candidate != "" {
			return candidate
		}
		candidate = id + "~" + strconv.Itoa(n)
	}
}
