package agentstate

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// A Prompt is a JSON message as the model gets it (formats E.6).
type Prompt struct {
	ID        string // blob id
	Role      string // "system", "user", "assistant", "tool"
	Parts     []Part
	Summary   bool // stands for messages that were summarised away
	RequestID string
	Model     string
	Missing   bool // named by the state, but not stored
}

// PartKind says what a Part is.
type PartKind string

// The kinds of parts. Reasoning that the provider withheld is PartRedacted.
const (
	PartText      PartKind = "text"
	PartReasoning PartKind = "reasoning"
	PartRedacted  PartKind = "redacted-reasoning"
	PartCall      PartKind = "tool-call"
	PartResult    PartKind = "tool-result"
	PartImage     PartKind = "image"
	PartFile      PartKind = "file"
)

// A Part is a piece of a Prompt.
type Part struct {
	Kind   PartKind
	Text   string
	CallID string
	Name   string          // tool, or file name
	Mime   string          // of images and files
	Args   json.RawMessage // of a call, a JSON object
	Result json.RawMessage // any JSON; plain text is a JSON string
	Failed bool
}

// ParsePrompt reads a prompt message. It takes the first JSON value and leaves
// what follows; ok is false when there is none that carries a role.
func ParsePrompt(b []byte) (Prompt, bool) {
	v, _, err := jscan.Next(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")))
	role := v.Get("role").Str()
	if v.Kind() != jscan.Object || role == "" || err != nil && len(v) == 0 {
		return Prompt{}, false
	}
	own := v.At("providerOptions", "cursor")
	p := Prompt{Role: role, Summary: own.Get("isSummary").Bool(), RequestID: own.Get("requestId").Str(), Model: own.Get("modelName").Str()}
	content := v.Get("content")
	if content.Kind() == jscan.String {
		p.Parts = []Part{{Kind: PartText, Text: content.Str()}}
	}
	for item := range content.Items() {
		if model := item.At("providerOptions", "cursor", "modelName").Str(); model != "" {
			p.Model = model
		}
		if part, ok := parsePart(item); ok {
			p.Parts = append(p.Parts, part)
		}
	}
	return p, true
}

func parsePart(v jscan.Value) (Part, bool) {
	p := Part{Kind: PartKind(v.Get("type").Str()), CallID: v.Get("toolCallId").Str(), Name: v.Get("toolName").Str()}
	switch p.Kind {
	case PartText, PartReasoning:
		p.Text = v.Get("text").Str()
	case PartRedacted:
	case PartCall:
		p.Args = v.First("args", "input").Embedded().RawObject()
	case PartResult:
		p.Result = resultOf(v.First("result", "output", "experimental_content"))
		p.Failed = v.Get("isError").Bool()
	case PartImage, PartFile:
		p.Name, p.Mime = v.Get("filename").Str(), v.First("mimeType", "mediaType").Str()
	default:
		if v.Kind() == jscan.String { // a content array of plain strings
			return Part{Kind: PartText, Text: v.Str()}, true
		}
		p.Text = string(v.Raw())
		return p, p.Text != ""
	}
	return p, true
}

// resultOf is a tool's result: plain text as a JSON string, an array of one text
// as that text, anything else as it is, with binary values named and not copied.
func resultOf(v jscan.Value) json.RawMessage {
	if v.Kind() == jscan.Array {
		texts, n := []string{}, 0
		for item := range v.Items() {
			n++
			if item.Get("type").Str() == "text" {
				texts = append(texts, item.Get("text").Str())
			}
		}
		if n > 0 && len(texts) == n {
			return appendString(nil, strings.Join(texts, "\n"))
		}
	}
	raw := v.Raw()
	if !bytes.Contains(raw, []byte("Uint8Array")) {
		return raw
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return raw
	}
	out, err := json.Marshal(withoutBytes(tree, 0))
	if err != nil {
		return raw
	}
	return out
}

// withoutBytes replaces {"__type":"Uint8Array","hex":"…"} by the number of bytes.
func withoutBytes(v any, depth int) any {
	if depth > 200 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		if hex, ok := v["hex"].(string); ok && v["__type"] == "Uint8Array" {
			return map[string]any{"bytes": len(hex) / 2}
		}
		for k := range v {
			v[k] = withoutBytes(v[k], depth+1)
		}
	case []any:
		for i := range v {
			v[i] = withoutBytes(v[i], depth+1)
		}
	}
	return v
}

// prompts reads a list of prompt messages by id.
func (d *decoder) prompts(c *Conversation, refs iter.Seq[[]byte]) ([]Prompt, error) {
	var out []Prompt
	for ref := range refs {
		id, content, err := d.load(ref)
		if err != nil {
			return out, err
		}
		if content == nil {
			c.problem(retold.ProblemMissing, id, "a prompt message is not stored here")
			out = append(out, Prompt{ID: id, Missing: true})
			continue
		}
		p, ok := ParsePrompt(content)
		if !ok {
			c.problem(retold.ProblemMalformed, id, "a prompt message is not JSON")
			p.Missing = true
		}
		p.ID = id
		out = append(out, p)
	}
	return out, nil
}
