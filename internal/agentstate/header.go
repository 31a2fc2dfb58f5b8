package agentstate

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Header is what a root state says by itself, without any other blob.
type Header struct {
	Turns, Prompts int
	HasPending     bool
	PromptIDs      []string // the first few prompt messages
	Mode           string
	Branch         string
	AgentType      string
	TimeZone       string
	StartedAt      time.Time
	Timings        []Timing
	Workspaces     []string
	UsedTokens     int64
	MaxTokens      int64
	Subagents      []SubagentRef
}

// A SubagentRef says where a sub-agent's state is.
type SubagentRef struct {
	ID     string
	BlobID string // of the SubagentPersistedState; "" when Inline holds it
	Inline []byte
}

// DecodeHeader reads the fields of a root state that need no other blob. ok is
// false when the bytes are no state at all.
func DecodeHeader(root []byte) (h Header, ok bool) {
	m, err := parse(root)
	h.fill(m)
	return h, err == nil || len(m) > 0
}

func (h *Header) fill(m message) {
	for _, f := range m {
		switch f.num {
		case stateTurns, stateTurnsOld:
			h.Turns++
		case statePrompts:
			h.Prompts++
			if isID(f.b) && len(h.PromptIDs) < 4 {
				h.PromptIDs = append(h.PromptIDs, hex.EncodeToString(f.b))
			}
		case statePending:
			h.HasPending = true
		}
	}
	h.Mode = ModeName(m.uint(stateMode))
	h.Branch = branch(m)
	h.AgentType, h.TimeZone = m.text(stateAgentType), m.text(stateZone)
	h.StartedAt, h.Timings, h.Workspaces = m.millis(stateStarted), timings(m), m.texts(stateWorkspaces)
	tokens := m.sub(stateTokens)
	h.UsedTokens, h.MaxTokens = int64(uint32(tokens.uint(1))), int64(uint32(tokens.uint(2)))
	h.Subagents = subagentRefs(m)
}

// branch is the active branch, else the branch of the only tracked repository.
func branch(m message) string {
	if b := m.text(stateBranch); b != "" {
		return b
	}
	repos := slices.Collect(m.all(stateRepos))
	if len(repos) != 1 {
		return ""
	}
	r, _ := parse(repos[0])
	return r.text(2)
}

// ModeName spells an agent.v1.AgentMode as people do: "agent", "ask", "plan".
func ModeName(n uint64) string {
	if n == 0 {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(fields().enums["#AgentMode"][n], "AGENT_MODE_"))
}

// subagentRefs lists fields 16 and 31; of one id in both the inline state counts.
func subagentRefs(m message) []SubagentRef {
	var out []SubagentRef
	seen := map[string]bool{}
	for id, b := range m.entries(stateSubagents) {
		if !seen[id] && id != "" {
			seen[id] = true
			out = append(out, SubagentRef{ID: id, Inline: b})
		}
	}
	for id, ref := range m.entries(stateSubagentRef) {
		if seen[id] || id == "" {
			continue
		}
		seen[id] = true
		if isID(ref) {
			out = append(out, SubagentRef{ID: id, BlobID: hex.EncodeToString(ref)})
		} else {
			out = append(out, SubagentRef{ID: id, Inline: ref})
		}
	}
	return out
}

// DecodeSubagent reads a SubagentPersistedState without following its blobs. The
// state inside it is returned as bytes for [Decode] or [DecodeHeader].
func DecodeSubagent(b []byte) (s Subagent, state []byte) {
	m, _ := parse(b)
	s = Subagent{Created: m.millis(2), Used: m.millis(3), Model: m.text(5), Type: subagentType(m.sub(4))}
	return s, m.bytes(1)
}

// subagentType names a SubagentType: its oneof's member, or a custom one's name.
func subagentType(m message) string {
	for _, f := range slices.Backward(m) {
		ft, ok := fields().messages["SubagentType"][f.num]
		if !ok || ft.name == "unspecified" {
			continue
		}
		if ft.name == "custom" {
			custom, _ := parse(f.b)
			return custom.text(1)
		}
		return ft.name
	}
	return ""
}

// LooksLikeState reports whether a blob reads as a root state: nothing marks one
// as such, so every field that it has must fit.
func LooksLikeState(b []byte) (Header, bool) {
	m, err := parse(b)
	if err != nil || len(m) == 0 {
		return Header{}, false
	}
	for _, f := range m {
		bytes := f.typ == protowire.BytesType
		switch f.num {
		case statePrompts, stateTurnsOld, stateTurns, stateTodos, stateArchives, stateArchive, stateSummary, statePlan:
			if !bytes || !isID(f.b) {
				return Header{}, false
			}
		case stateMode, stateStarted, 17, 33, 37, 39:
			if f.typ != protowire.VarintType {
				return Header{}, false
			}
		case statePending, stateTokens, stateWorkspaces, stateFiles, stateTimings, stateFilesV2, stateSubagents, stateReadPaths,
			stateBranch, statePlans, stateRepos, stateAgentType, stateZone, stateSubagentRef:
			if !bytes {
				return Header{}, false
			}
		}
		if f.num > 100 {
			return Header{}, false
		}
	}
	var h Header
	h.fill(m)
	return h, true
}
