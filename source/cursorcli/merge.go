package cursorcli

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// backbone is the conversation that others are compared with. Everything is
// looked up by hash, so that long sessions cost no more per message than short.
type backbone struct {
	seed  maphash.Seed
	turns map[uint64][]int          // hash of what the user said → turns that begin so
	open  map[uint64][]int          // the same, without turns already found
	used  []bool                    // turns that another copy's turn was found to be
	kinds []map[retold.ToolKind]int // tools of each turn
	sizes []int                     // messages of each turn besides the user's
	said  map[uint64]int            // hash of an answer, thought or error → a turn it is in
	calls map[string]bool           // tool call ids
	extra []map[retold.ToolKind]int // tools matched so far
}

func newBackbone(messages []retold.Message) *backbone {
	b := &backbone{seed: maphash.MakeSeed(), turns: map[uint64][]int{}, said: map[uint64]int{}, calls: map[string]bool{}}
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

// say notes a text and, because a transcript writes thinking behind the text,
// also what it would be without the part behind each empty line, and that part.
func (b *backbone) say(text string) {
	whole, seams := b.digest(text)
	turn := len(b.used) - 1
	b.said[whole] = turn
	for _, s := range seams {
		b.said[s.before], b.said[s.after] = turn, turn
	}
}

func (b *backbone) hash(text string) uint64 {
	h, _ := b.digest(text)
	return h
}

// lacking returns the messages of another copy of the session that the backbone
// does not have, in order, and takes them in.
func (b *backbone) lacking(copy []retold.Message) []retold.Message {
	var out []retold.Message
	clear(b.used) // each copy is compared afresh
	b.open = maps.Clone(b.turns)
	for i := range b.extra {
		clear(b.extra[i])
	}
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
	h := b.hash(turn[0].Content)
	for len(b.open[h]) > 0 && b.used[b.open[h][0]] {
		b.open[h] = b.open[h][1:]
	}
	places := b.open[h]
	next, _ := slices.BinarySearch(places, last+1)
	for _, at := range slices.Concat(places[next:min(next+1, len(places))], places[:min(1, len(places))]) {
		if !b.used[at] {
			b.used[at] = true
			return at
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
	whole, seams := b.digest(text)
	if at, ok := b.said[whole]; ok {
		return at, true
	}
	for _, s := range seams { // the answer, then the thinking that the writer put behind it
		before, ok := b.said[s.before]
		if _, both := b.said[s.after]; ok && both {
			return before, true
		}
	}
	return 0, false
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
	_, ok := b.where(m.Content)
	return ok
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
