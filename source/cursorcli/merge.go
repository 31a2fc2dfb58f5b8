package cursorcli

import (
	"hash/maphash"
	"strings"
	"unicode"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// backbone is the conversation that others are compared with. Everything is
// looked up by hash, so that long sessions cost no more per message than short.
type backbone struct {
	seed  maphash.Seed
	turns map[uint64][]int          // hash of what the user said → turns that begin so
	used  []bool                    // turns that another copy's turn was found to be
	kinds []map[retold.ToolKind]int // tools of each turn
	sizes []int                     // messages of each turn besides the user's
	said  map[uint64]map[int]bool   // hash of an answer, thought or error → turns it is in
	calls map[string]bool           // tool call ids
	extra []map[retold.ToolKind]int // tools matched so far
}

func newBackbone(messages []retold.Message) *backbone {
	b := &backbone{seed: maphash.MakeSeed(), turns: map[uint64][]int{}, said: map[uint64]map[int]bool{}, calls: map[string]bool{}}
	b.grow()
	for i := range messages {
		b.add(&messages[i])
	}
	return b
}

// grow opens a turn; turn 0 is what stands before the first user message.
func (b *backbone) grow() {
	b.used = append(b.used, false)
	b.kinds = append(b.kinds, map[retold.ToolKind]int{})
	b.extra = append(b.extra, map[retold.ToolKind]int{})
	b.sizes = append(b.sizes, 0)
}

func (b *backbone) add(m *retold.Message) {
	switch {
	case m.Role == retold.RoleUser:
		b.grow()
		h := b.hash(m.Content)
		b.turns[h] = append(b.turns[h], len(b.used)-1)
		return
	case m.Tool != nil:
		b.kinds[len(b.used)-1][m.Tool.Kind]++
		if m.Tool.CallID != "" {
			b.calls[m.Tool.CallID] = true
		}
	case m.Role != retold.RoleSystem:
		b.say(m.Content)
		if bare := withoutThink(m.Content); bare != m.Content {
			b.say(bare)
		}
	}
	b.sizes[len(b.used)-1]++
}

func (b *backbone) say(text string) {
	h := b.hash(text)
	if b.said[h] == nil {
		b.said[h] = map[int]bool{}
	}
	b.said[h][len(b.used)-1] = true
}

// hash folds white space.
func (b *backbone) hash(text string) uint64 {
	var h maphash.Hash
	h.SetSeed(b.seed)
	for word := range strings.FieldsFuncSeq(text, unicode.IsSpace) {
		_, _ = h.WriteString(word) // a Hash never fails
		_ = h.WriteByte(' ')
	}
	return h.Sum64()
}

// withoutThink removes <think>…</think>, as the transcript writer does.
func withoutThink(s string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "<think>")
		_, rest, closed := strings.Cut(after, "</think>")
		if !ok || !closed {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(before)
		s = rest
	}
}

// lacking returns the messages of another copy of the session that the backbone
// does not have, in order, and takes them in.
func (b *backbone) lacking(copy []retold.Message) []retold.Message {
	var out []retold.Message
	last := 0
	for start := 0; start < len(copy); {
		end := start + 1
		for end < len(copy) && copy[end].Role != retold.RoleUser {
			end++
		}
		turn := copy[start:end]
		at := 0
		if turn[0].Role == retold.RoleUser {
			at = b.find(turn, last)
		}
		switch {
		case at < 0:
			out = append(out, withoutNotices(turn)...)
		default:
			last = max(last, at)
			for i := range turn {
				if !b.has(&turn[i], at) {
					out = append(out, turn[i])
				}
			}
		}
		start = end
	}
	for i := range out {
		b.add(&out[i])
	}
	return out
}

// find says which turn of the backbone this turn is: the next one that begins
// with the same words, else any, else -1. A turn whose answers are all known is
// known, whatever became of the question.
func (b *backbone) find(turn []retold.Message, last int) int {
	places := b.turns[b.hash(turn[0].Content)]
	for _, after := range []int{last, 0} {
		for _, at := range places {
			if at > after && !b.used[at] {
				b.used[at] = true
				return at
			}
		}
	}
	answers, at := 0, 0
	for i := range turn {
		if turn[i].Role != retold.RoleAssistant {
			continue
		}
		where, ok := b.where(turn[i].Content)
		if !ok {
			return -1
		}
		answers, at = answers+1, where
	}
	if answers == 0 {
		return -1
	}
	return at
}

// where finds a turn in which something was said.
func (b *backbone) where(text string) (int, bool) {
	for at := range b.said[b.hash(text)] {
		return at, true
	}
	return 0, b.saidInTwo(text)
}

// has reports whether the backbone's turn holds the message.
func (b *backbone) has(m *retold.Message, at int) bool {
	switch m.Role {
	case retold.RoleUser, retold.RoleSystem:
		return true
	case retold.RoleTool:
		if m.Tool.CallID != "" && b.calls[m.Tool.CallID] {
			return true
		}
		b.extra[at][m.Tool.Kind]++
		return b.extra[at][m.Tool.Kind] <= b.kinds[at][m.Tool.Kind]
	}
	if strings.HasPrefix(m.Content, "[Oversize transcript blob omitted") || m.Content == agentstate.Redacted {
		return b.sizes[at] > 0
	}
	return len(b.said[b.hash(m.Content)]) > 0 || b.saidInTwo(m.Content)
}

// maxCuts bounds where saidInTwo looks for the seam.
const maxCuts = 64

// saidInTwo recognises an answer with the thinking that the transcript writer put
// behind it after an empty line.
func (b *backbone) saidInTwo(text string) bool {
	for at, n := 0, 0; n < maxCuts; n++ {
		next := strings.Index(text[at:], "\n\n")
		if next < 0 {
			return false
		}
		at += next + 2
		if len(b.said[b.hash(text[:at])]) > 0 && len(b.said[b.hash(text[at:])]) > 0 {
			return true
		}
	}
	return false
}

// withoutNotices leaves out how a turn ended when it was no error.
func withoutNotices(turn []retold.Message) []retold.Message {
	var out []retold.Message
	for i := range turn {
		if turn[i].Role != retold.RoleSystem {
			out = append(out, turn[i])
		}
	}
	return out
}
