package cursor

import (
	"strconv"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// A part is one of the things a bubble may hold, in the order in which they
// happened.
type part byte

const (
	partThinking part = iota
	partText
	partTool
	partError
	partMarker
)

var partNames = [...]string{partThinking: "thinking", partText: "text", partTool: "tool", partError: "error", partMarker: "marker"}

// capabilitySummary marks the place where Cursor summarised what came before
// (capabilityType 22).
const capabilitySummary = 22

// parts tells what a bubble holds without unescaping it. Nothing for a bubble in
// which nothing was said or done.
func (b *bubble) parts() []part {
	parts := make([]part, 0, 4)
	if b.hasThinking() {
		parts = append(parts, partThinking)
	}
	tool := isTool(b.tool)
	if b.hasText(tool) {
		parts = append(parts, partText)
	}
	if tool {
		parts = append(parts, partTool)
	}
	if !b.failure.Empty() {
		parts = append(parts, partError)
	}
	if len(parts) == 0 && b.marker == capabilitySummary {
		parts = append(parts, partMarker)
	}
	return parts
}

func (b *bubble) hasThinking() bool {
	if !b.thinking.Empty() && (b.thinking.Kind() == jscan.String || !b.thinking.Get("text").Empty() || !b.thinking.Get("redactedThinking").Empty()) {
		return true
	}
	for block := range b.thoughts.Items() {
		if !block.First("text", "thinking").Empty() {
			return true
		}
	}
	return false
}

// hasText also counts a text kept only as rich text, code without text, and a
// message of a person that is nothing but attachments.
func (b *bubble) hasText(tool bool) bool {
	if k := b.text.Kind(); !b.text.Empty() && (k == jscan.String || k == jscan.Number) {
		return true
	}
	if !b.richText.Empty() && lexicalText(b.richText) != "" {
		return true
	}
	if tool {
		return false
	}
	return b.marker == 0 && !b.hasThinking() && b.codeText() != "" || b.kind == 1 && len(b.attachments()) > 0
}

// A mapper turns the bubbles of one conversation into messages. It is pure
// apart from read, which looks up other records of the same database, and
// recover, which looks into the agent's state.
type mapper struct {
	composer *composer
	read     rows
	recover  func(callID string) *retold.ToolCall // nil when there is no state
	around   func(bubbleID string) [2]string      // the checkpoints before and after its turn
	index    *blockIndex                          // of composer
	counting bool                                 // only the parts are wanted, not what they hold
	telling  bool                                 // when counting: and what tells two messages apart
}

// messages maps one bubble. The first message has the bubble's id, the others
// that id and what they hold, so that ids stay as they are while an answer
// grows.
func (m *mapper) messages(b *bubble, header time.Time) []retold.Message {
	at, source := b.moment(header)
	parts := b.parts()
	out := make([]retold.Message, 0, len(parts))
	for i, p := range parts {
		msg := retold.Message{
			ID: b.id, Timestamp: at, TimestampSource: source, RequestID: b.requestID,
		}
		if i > 0 {
			msg.ID += ":" + partNames[p]
		}
		m.fill(&msg, b, p)
		if i == len(parts)-1 {
			msg.Tokens = b.counts()
		}
		out = append(out, msg)
	}
	return out
}

func (m *mapper) fill(msg *retold.Message, b *bubble, p part) {
	if m.counting {
		m.outline(msg, b, p)
		return
	}
	switch p {
	case partThinking:
		msg.Role, msg.Content = retold.RoleThinking, b.thought()
	case partText:
		msg.Role, msg.Content = b.said()
		msg.Attachments = b.attachments()
	case partTool:
		msg.Role = retold.RoleTool
		msg.Tool = m.tool(b)
	case partError:
		msg.Role, msg.Content = retold.RoleError, failureText(b.failure)
	case partMarker:
		msg.Role, msg.Content = retold.RoleSystem, "The conversation so far was summarised here."
	}
}

// outline fills in what counting needs: what the user said, for the preview, and
// on demand what two messages are told apart by.
func (m *mapper) outline(msg *retold.Message, b *bubble, p part) {
	switch p {
	case partThinking:
		if msg.Role = retold.RoleThinking; m.telling {
			msg.Content = b.thought()
		}
	case partText:
		if b.kind == 1 || m.telling {
			msg.Role, msg.Content = b.said()
		}
	case partTool:
		if msg.Role = retold.RoleTool; m.telling {
			msg.Tool = &retold.ToolCall{CallID: b.tool.Get("toolCallId").Str()}
		}
	}
}

// thought is the reasoning of a bubble. Blocks repeat the text in some versions,
// replace it in others, and may say more.
func (b *bubble) thought() string {
	text := b.thinking.Get("text").Str()
	if b.thinking.Kind() == jscan.String {
		text = b.thinking.Str()
	}
	var said []string
	if text != "" {
		said = append(said, text)
	}
	for block := range b.thoughts.Items() {
		if t := block.First("text", "thinking").Text(); t != "" && !strings.Contains(text, t) {
			said = append(said, t)
		}
	}
	if len(said) == 0 {
		return "[redacted]"
	}
	return strings.Join(said, "\n\n")
}

// said is the text of a bubble and whose it is. Not everything of type 1 was
// typed: notices of the harness are stored as if a person had said them.
func (b *bubble) said() (retold.Role, string) {
	text := b.text.Text()
	if text == "" {
		text = lexicalText(b.richText)
	}
	if text == "" {
		text = b.codeText()
	}
	switch {
	case b.kind == 1 && (b.simulated || isNotice(text)):
		return retold.RoleSystem, text
	case b.kind == 1:
		return retold.RoleUser, unwrapQuery(text)
	}
	return retold.RoleAssistant, text
}

// isNotice recognises what Cursor itself wrote in a person's place.
func isNotice(text string) bool {
	text = strings.TrimSpace(text)
	if rest, dated := cutTimestamp(text); dated {
		return !strings.HasPrefix(rest, "<user_query>")
	}
	return strings.HasPrefix(text, "<system_notification>")
}

// cutTimestamp takes off the tag that some builds put before a message.
func cutTimestamp(text string) (rest string, dated bool) {
	if !strings.HasPrefix(text, "<timestamp>") {
		return text, false
	}
	_, rest, dated = strings.Cut(text, "</timestamp>")
	return strings.TrimSpace(rest), dated
}

// unwrapQuery takes off the wrapper that some builds leave around what a person
// typed, when it is around all of it.
func unwrapQuery(text string) string {
	inner, _ := cutTimestamp(strings.TrimSpace(text))
	inner, opened := strings.CutPrefix(inner, "<user_query>")
	inner, closed := strings.CutSuffix(inner, "</user_query>")
	if !opened || !closed || strings.Contains(inner, "<user_query>") {
		return text
	}
	return strings.TrimSuffix(strings.TrimPrefix(inner, "\n"), "\n")
}

// codeText are the code blocks of a bubble as fences. They repeat the fences of
// the text, so they only count where there is no text.
func (b *bubble) codeText() string {
	var out []string
	for block := range b.code.Items() {
		if code := block.Get("content").Str(); code != "" {
			fence := "```"
			for strings.Contains(code, fence) {
				fence += "`"
			}
			out = append(out, fence+block.Get("languageId").Str()+"\n"+strings.TrimSuffix(code, "\n")+"\n"+fence)
		}
	}
	return strings.Join(out, "\n\n")
}

// failureText is what an error record says, whatever its version.
func failureText(v jscan.Value) string {
	if v.Kind() == jscan.String {
		return v.Str()
	}
	var said []string
	for _, key := range []string{"title", "message", "error", "detail"} {
		m := v.Get(key)
		text := m.Text()
		if m.Kind() == jscan.Object {
			text = failureText(m)
		}
		if text != "" && (len(said) == 0 || said[len(said)-1] != text) {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		return string(v.Raw())
	}
	return strings.Join(said, ": ")
}

// counts are the tokens of a bubble; zeroes mean that nothing was recorded.
func (b *bubble) counts() *retold.Tokens {
	in, _ := b.tokens.Get("inputTokens").Int()
	out, _ := b.tokens.Get("outputTokens").Int()
	if in <= 0 && out <= 0 {
		return nil
	}
	return &retold.Tokens{Input: max(in, 0), Output: max(out, 0)}
}

// tool maps a bubble's call, and completes it from other records.
func (m *mapper) tool(b *bubble) *retold.ToolCall {
	data := decodeTool(b.tool)
	call := data.call()
	if call.Kind == retold.ToolEdit {
		m.edit(call, &data, b)
	} else {
		m.complete(call, &data)
	}
	data.imported(call)
	return call
}

// placeholder stands for a message that is named but cannot be shown.
func placeholder(id string, kind int64, why string) retold.Message {
	who := "A message"
	switch kind {
	case 1:
		who = "A message of the user"
	case 2:
		who = "A message of the assistant"
	}
	return retold.Message{ID: id, Role: retold.RoleSystem, Content: who + " " + why, Stub: true}
}

// unique makes an id that this session has not used: stores may name one twice.
type unique map[string]int

func (u unique) id(id string) string {
	if id == "" {
		id = "message"
	}
	n := u[id]
	u[id] = n + 1
	if n == 0 {
		return id
	}
	return u.id(id + "~" + strconv.Itoa(n+1))
}
