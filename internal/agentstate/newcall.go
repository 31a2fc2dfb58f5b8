package agentstate

import (
	"encoding/json"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold/internal/jscan"
)

// A NewCall is a tool call that is to be written.
type NewCall struct {
	Variant string // as ToolCall.Name has it: "shell", "edit", "web_search", …
	ID      string
	Args    json.RawMessage // in the members of the variant's arguments
	Result  json.RawMessage // in those of its result; nil for none
	Started time.Time
}

// Encode writes an agent.v1.ToolCall. fits is false when a part of the arguments
// or of the result has no field there, or the variant is not known; then what has
// one is written.
func (n *NewCall) Encode() (b []byte, fits bool) {
	num, kind := variant(n.Variant)
	if num == 0 {
		return nil, false
	}
	body, fits := n.member(nil, 1, n.Args, kind)
	if n.Result != nil {
		var ok bool
		body, ok = n.member(body, 2, n.Result, kind)
		fits = fits && ok
	}
	b = appendBytes(nil, num, body)
	if n.ID != "" {
		b = appendText(b, toolCallID, n.ID)
	}
	return appendMillis(b, toolStartedAt, n.Started), fits
}

func (n *NewCall) member(out []byte, num protowire.Number, doc json.RawMessage, kind string) ([]byte, bool) {
	v, err := jscan.Parse(doc)
	if err != nil {
		return out, false
	}
	b, ok := encodeMessage(v, fields().messages[kind][num].kind, 0)
	return appendBytes(out, num, b), ok
}

// variant finds the number and message of a tool by its name.
func variant(name string) (protowire.Number, string) {
	for num, ft := range fields().messages["ToolCall"] {
		if ft.oneof == "tool" && num != toolTruncated && snake(strings.TrimSuffix(ft.name, "ToolCall")) == name {
			return num, ft.kind
		}
	}
	return 0, ""
}

// Variants are the names of all tools that a NewCall can have.
func Variants() map[string]bool {
	all := map[string]bool{}
	for num, ft := range fields().messages["ToolCall"] {
		if ft.oneof == "tool" && num != toolTruncated {
			all[snake(strings.TrimSuffix(ft.name, "ToolCall"))] = true
		}
	}
	return all
}

// NamesItself reports whether the arguments of a tool hold the id of the call.
func NamesItself(name string) bool {
	_, kind := variant(name)
	for _, ft := range fields().messages[fields().messages[kind][1].kind] {
		if ft.name == "toolCallId" {
			return true
		}
	}
	return false
}

// Outcomes are the ways in which a call of a tool can end ("success", "error",
// "rejected", …), each with the names of what it says.
func Outcomes(name string) map[string][]string {
	all := map[string][]string{}
	_, kind := variant(name)
	t := fields()
	for _, ft := range t.messages[t.messages[kind][2].kind] {
		if ft.oneof == "" {
			continue
		}
		all[ft.name] = []string{}
		for _, inner := range t.messages[ft.kind] {
			all[ft.name] = append(all[ft.name], inner.name)
		}
	}
	return all
}

// appendMillis writes a time in ms since 1970, where it is one that reading
// takes for a time.
func appendMillis(out []byte, num protowire.Number, t time.Time) []byte {
	if t.IsZero() || t.UnixMilli() <= 0 || fromMillis(uint64(t.UnixMilli())).IsZero() {
		return out
	}
	return appendNumber(out, num, uint64(t.UnixMilli()))
}
