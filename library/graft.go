package library

import (
	"cmp"
	"container/list"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
)

// graft returns base followed by what the others hold and base lacks altogether,
// marked Recovered and in the order of the conversation, whichever of the others
// it comes from. The unit is the turn (a user message and what follows it):
// stores split and join an answer's messages in their own ways, so that two
// tellings of one turn differ message by message, but a turn is only there or
// not there. A turn of which base has nothing but the question gets its answer.
// It takes one pass over each side for each of the others.
func graft(base []retold.Message, others ...[]retold.Message) []retold.Message {
	all := list.New() // of *turn, in the order of the conversation
	for t := range turns(base) {
		t.here = all.PushBack(t)
	}
	for _, other := range others {
		weave(all, other)
	}
	ids := make(map[string]bool, len(base))
	for i := range base {
		ids[base[i].ID] = true
	}
	out := slices.Clip(base)
	for e := all.Front(); e != nil; e = e.Next() {
		for _, m := range e.Value.(*turn).recovered {
			m.Recovered = true
			m.ID = unused(ids, m.ID)
			ids[m.ID] = true
			out = append(out, m)
		}
	}
	return out
}

// weave adds to the turns of a conversation what another telling has beyond
// them: an answer to its question, a whole turn behind the one that it follows
// there. What stands before anything in common goes before that.
func weave(all *list.List, other []retold.Message) {
	k := keeper{seed: maphash.MakeSeed(), texts: map[uint64]int{}, questions: map[uint64][]*turn{}, homes: map[uint64]*turn{}, calls: map[string]*turn{}}
	for e := all.Front(); e != nil; e = e.Next() {
		k.learn(e.Value.(*turn))
	}
	var last *list.Element
	var early []*turn
	for t := range turns(other) {
		home, lacking := k.lacking(t)
		if home == nil && len(lacking) == 0 { // known, but not from where
			continue
		}
		if home == nil {
			t.recovered, t.messages = slices.Clip(t.messages), nil
			if last == nil {
				early = append(early, t)
				continue
			}
			t.here = all.InsertAfter(t, last)
			last = t.here
			continue
		}
		home.recovered = append(home.recovered, lacking...)
		last = home.here
		for _, e := range early {
			e.here = all.InsertBefore(e, home.here)
		}
		early = nil
	}
	for _, e := range early { // nothing in common at all
		e.here = all.PushBack(e)
	}
}

// turn is a run of messages of one telling, starting with a user message
// unless it stands first, or first of what its store recovered elsewhere.
type turn struct {
	messages  []retold.Message // of the backbone
	recovered []retold.Message // what others add
	here      *list.Element
}

// answered reports whether an assistant spoke, acted whether something besides
// the question is there.
func (t *turn) answered() bool {
	return t.any(func(m *retold.Message) bool {
		return m.Role == retold.RoleAssistant && strings.TrimSpace(m.Content) != ""
	})
}

func (t *turn) acted() bool {
	return t.any(func(m *retold.Message) bool {
		return m.Role == retold.RoleTool || m.Role == retold.RoleThinking || m.Role == retold.RoleError
	})
}

func (t *turn) any(is func(*retold.Message) bool) bool {
	for _, part := range [][]retold.Message{t.messages, t.recovered} {
		for i := range part {
			if is(&part[i]) {
				return true
			}
		}
	}
	return false
}

// turns splits a conversation at its user messages, and where its store's own
// messages end and recovered ones begin: what is recovered belongs to an earlier
// turn than the last.
func turns(ms []retold.Message) func(yield func(*turn) bool) {
	return func(yield func(*turn) bool) {
		for start := 0; start < len(ms); {
			end := start + 1
			for end < len(ms) && ms[end].Role != retold.RoleUser && ms[end].Recovered == ms[end-1].Recovered {
				end++
			}
			if !yield(&turn{messages: ms[start:end]}) {
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
	homes     map[uint64]*turn   // where each text that tells was said
	calls     map[string]*turn   // ids of tool calls
}

func (k *keeper) learn(t *turn) {
	t.any(func(m *retold.Message) bool {
		for _, key := range k.keys(m) {
			k.texts[key.sum]++
			k.homes[key.sum] = t
			if m.Role == retold.RoleUser {
				k.questions[key.sum] = append(k.questions[key.sum], t)
			}
		}
		if m.Tool != nil && m.Tool.CallID != "" {
			k.calls[m.Tool.CallID] = t
		}
		return false
	})
}

// lacking returns the turn of the backbone that another telling's turn is, nil
// when there is none or nothing tells which, with the messages that the backbone
// has in no form, and takes what it has off the books, so that the fourth
// "continue" is not mistaken for the third. A turn is known by its question, by
// a long answer or by the id of a tool call; only a turn that has none of these
// is known by what any turn might hold ("Done.", ls).
func (k *keeper) lacking(t *turn) (home *turn, out []retold.Message) {
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
			if key.telling && home == nil {
				home = k.homes[key.sum]
			}
			if q := k.questions[key.sum]; m.Role == retold.RoleUser && len(q) > 0 {
				twin, k.questions[key.sum] = q[0], q[1:]
			}
		}
		if m.Tool != nil && m.Tool.CallID != "" {
			telling = true
			if at := k.calls[m.Tool.CallID]; at != nil {
				known = true
				home = cmp.Or(home, at)
			}
		}
	}
	known = known || seen && !telling || !says && !telling
	switch {
	case !known:
		return nil, t.messages
	case twin == nil || twin.answered():
		return cmp.Or(twin, home), nil
	}
	acted := twin.acted()
	for _, m := range t.messages[1:] { // the question is there
		blank := m.Role == retold.RoleAssistant && strings.TrimSpace(m.Content) == ""
		if !blank && (!acted || m.Role == retold.RoleAssistant) {
			out = append(out, m)
		}
	}
	return twin, out
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
