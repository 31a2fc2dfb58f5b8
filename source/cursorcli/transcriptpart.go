package cursorcli

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
)

// content reads the parts of the message on line n: text, tool calls, images.
// What came with the message without being text hangs on what was said first.
func (t *transcript) content(n int, role string, content jscan.Value) {
	id := fmt.Sprintf("L%d", n)
	switch content.Kind() {
	case jscan.None, jscan.Null:
		return
	case jscan.String:
		t.text(id, role, content.Str())
		return
	case jscan.Array:
	default:
		t.part(n, id, role, content)
		return
	}
	start, i := len(t.messages), 0
	var pictures []retold.Attachment
	for p := range content.Items() {
		if isImage(p) {
			pictures = append(pictures, picture(p))
		} else {
			t.part(n, fmt.Sprintf("%s.%d", id, i), role, p)
		}
		i++
	}
	if len(pictures) > 0 {
		t.attach(start, id, role, pictures)
	}
}

// part reads one part that is no image. A kind that nobody has met is shown as it
// is stored.
func (t *transcript) part(n int, id, role string, p jscan.Value) {
	kind, text := p.Get("type").Str(), p.Get("text")
	switch {
	case isImage(p):
		t.attach(len(t.messages), id, role, []retold.Attachment{picture(p)})
	case kind == "tool_use" || kind == "tool-call":
		t.call(id, p.First("name", "toolName").Str(), p.First("id", "toolCallId").Str(), p.First("input", "args"))
	case p.Kind() == jscan.String:
		t.text(id, role, p.Str())
	case kind == "thinking" || kind == "reasoning":
		t.thinking(id, p.First("thinking", "text").Str())
	case kind == "redacted_thinking" || kind == "redacted-reasoning":
		t.thinking(id, agentstate.Redacted)
	case (kind == "text" || kind == "") && (text.Kind() == jscan.String || kind == "text" && text.Empty()):
		t.text(id, role, text.Str())
	default:
		t.problems = append(t.problems, retold.Problem{
			Key: fmt.Sprintf("line %d", n), Kind: retold.ProblemUnknown,
			Reason: fmt.Sprintf("a part of the unknown kind %.60q", kind),
		})
		t.text(id, "system", string(p.Raw()))
	}
}

// attach hangs attachments on the first of the messages from start on that has
// the part's role, or on a message without words.
func (t *transcript) attach(start int, id, role string, list []retold.Attachment) {
	want := retold.RoleUser
	switch role {
	case "system":
		want = retold.RoleSystem
	case "assistant", "tool":
		want = retold.RoleAssistant
	}
	for i := start; i < len(t.messages); i++ {
		if t.messages[i].Role == want {
			t.messages[i].Attachments = append(t.messages[i].Attachments, list...)
			return
		}
	}
	t.messages = append(t.messages, retold.Message{ID: id + "i", Role: want, Attachments: list})
}

func isImage(p jscan.Value) bool {
	kind := p.Get("type").Str()
	return kind == "image" || kind == "image_url" || kind == "input_image"
}

// picture names an image: by its file, its address or its media type. Its bytes
// are not copied.
func picture(p jscan.Value) retold.Attachment {
	source := p.Get("source")
	where := ""
	for _, v := range []jscan.Value{p.First("path", "url", "image", "image_url"), p.At("image_url", "url"), source.First("path", "url")} {
		if s := v.Str(); where == "" && s != "" && len(s) <= 4096 && !strings.HasPrefix(s, "data:") && strings.ContainsAny(s, "/\\.") && strings.HasPrefix(path.Ext(s)+"/", ".") {
			where = s
		}
	}
	name := p.First("name", "filename", "fileName").Str()
	if name == "" && where != "" {
		name = path.Base(strings.ReplaceAll(where, "\\", "/"))
	}
	mime := cmp.Or(p.First("mimeType", "mediaType", "media_type").Str(), source.First("media_type", "mimeType").Str())
	return retold.Attachment{Kind: "image", Name: cmp.Or(name, mime, "image"), Path: where}
}
