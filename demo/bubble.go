package demo

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/retold-history/retold/demo/vscdb"
)

// bubble is a message as the IDE stores it since 2025: some seventy members, of
// which a handful matter.
func (s *story) bubble(st step, t *tool) obj {
	b := obj{
		"_v": 3, "bubbleId": st.id, "type": 2, "text": "", "unifiedMode": 2, "isAgentic": t == nil,
		"tokenCount": obj{"inputTokens": 0, "outputTokens": 0}, "conversationState": "~",
	}
	for _, name := range vscdb.EmptyArrays {
		b[name] = []any{}
	}
	for _, name := range vscdb.EmptyFlags {
		b[name] = false
	}
	s.date(b, st)
	switch st.verb {
	case "user":
		s.ask(b, st)
	case "notice":
		b["type"], b["text"], b["isSimulatedMsg"] = 1, st.body, true
	case "assistant":
		b["text"] = st.body
		b["codeBlocks"] = s.codeBlocks(st)
		if n, err := strconv.Atoi(st.attr["tokens"]); err == nil {
			b["tokenCount"] = obj{"inputTokens": n, "outputTokens": len(st.body) / 4}
		}
	case "thinking":
		b["capabilityType"], b["thinkingDurationMs"] = 30, st.took.Milliseconds()
		b["thinking"] = obj{"text": st.body, "signature": ""}
	case "error":
		title, message, _ := strings.Cut(st.body, "\n")
		b["errorDetails"] = obj{"generationUUID": st.request, "title": title, "message": message, "error": "ERROR_CUSTOM_MESSAGE"}
	default:
		b["capabilityType"] = 15
		if s.shape != "v1" {
			b["toolFormerData"] = t.former(st, s.shape == "table")
		}
	}
	return b
}

// date gives a bubble the times its generation of Cursor kept: timingInfo (for
// answers only, its start on a clock that begins with the window) until autumn
// 2025, createdAt since.
func (s *story) date(b obj, st step) {
	if s.old() {
		b["_v"] = 2
		if st.verb != "user" {
			at := float64(st.at.UnixMilli())
			b["timingInfo"] = obj{
				"clientStartTime": 4745281.3 + float64(st.at.Sub(s.start).Milliseconds()), "clientRpcSendTime": at,
				"clientSettleTime": at + float64(st.took.Milliseconds()), "clientEndTime": at + float64(st.took.Milliseconds()),
			}
		}
		return
	}
	b["createdAt"] = iso(st.at)
	b["requestId"] = st.request
	b["modelInfo"] = obj{"modelName": s.model}
}

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// ask fills in a question: its rich text and what was attached to it.
func (s *story) ask(b obj, st step) {
	body, selected, _ := strings.Cut(st.body, "\n>>>\n")
	b["type"], b["text"], b["richText"] = 1, body, lexical(body)
	context := emptyContext()
	if f := st.attr["file"]; f != "" {
		context["fileSelections"] = []obj{{"uri": s.uri(f), "fileName": f[strings.LastIndexByte(f, '/')+1:]}}
	}
	if sel := st.attr["sel"]; sel != "" {
		path, lines, _ := strings.Cut(sel, ":")
		from, to, _ := strings.Cut(lines, "-")
		context["selections"] = []obj{{"text": selected, "uri": s.uri(path), "range": obj{
			"selectionStartLineNumber": number(from), "selectionStartColumn": 1,
			"positionLineNumber": number(to), "positionColumn": 1,
		}}}
	}
	b["context"] = context
	if name := st.attr["image"]; name != "" {
		b["images"] = []obj{{"uuid": uuid("image", name), "path": s.imagePath(name), "dimension": obj{"width": 1280, "height": 720}}}
	}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 1
	}
	return n
}

func (s *story) uri(rel string) obj {
	return obj{"$mid": 1, "fsPath": s.workspace.file(rel), "external": s.workspace.fileURI(rel), "path": s.workspace.file(rel), "scheme": "file"}
}

func (s *story) imagePath(name string) string {
	return "/home/ada/.config/Cursor/User/workspaceStorage/" + s.workspace.id + "/images/" + name
}

func emptyContext() obj {
	c := obj{"usesCodebase": false}
	for _, name := range []string{
		"composers", "quotes", "selectedCommits", "selectedPullRequests", "selectedImages",
		"folderSelections", "fileSelections", "terminalFiles", "selections", "terminalSelections", "selectedDocs",
		"externalLinks", "cursorRules", "cursorCommands", "uiElementSelections", "consoleLogs", "notepads",
	} {
		c[name] = []any{}
	}
	c["mentions"] = obj{}
	return c
}

// codeBlocks repeats the fences of an answer, as the IDE does for display.
func (s *story) codeBlocks(st step) []obj {
	blocks := []obj{}
	parts := strings.Split("\n"+st.body, "\n```")
	for i := 1; i+1 < len(parts); i += 2 {
		language, code, _ := strings.Cut(parts[i], "\n")
		blocks = append(blocks, obj{"content": code, "languageId": language, "codeBlockIdx": len(blocks), "isGenerating": false, "unregistered": true, "version": 0})
	}
	return blocks
}

// former is a tool call as a bubble carries it.
func (t *tool) former(st step, binary bool) obj {
	f := obj{
		"tool": t.id, "toolIndex": 0, "modelCallId": "", "toolCallId": st.call, "status": t.status,
		"name": t.name, "rawArgs": t.raw, "additionalData": t.extra,
	}
	if t.raw == "" {
		f["rawArgs"] = text(t.input)
	}
	if t.params != nil {
		f["params"] = text(t.params)
	}
	if t.result != nil {
		f["result"] = text(t.result)
	}
	if t.failure != "" {
		f["error"] = text(obj{"clientVisibleErrorMessage": t.failure, "modelVisibleErrorMessage": t.failure})
	}
	if d := st.attr["decision"]; d != "" {
		f["userDecision"] = d
	}
	if binary {
		f["toolCallBinary"] = base64.StdEncoding.EncodeToString(t.proto(st))
	}
	return f
}

// lexical is the rich text of the input box for a plain text.
func lexical(body string) string {
	paragraphs := []obj{}
	for line := range strings.SplitSeq(body, "\n") {
		children := []obj{}
		if line != "" {
			children = append(children, obj{"detail": 0, "format": 0, "mode": "normal", "style": "", "text": line, "type": "text", "version": 1})
		}
		paragraphs = append(paragraphs, obj{"children": children, "direction": "ltr", "format": "", "indent": 0, "type": "paragraph", "version": 1})
	}
	return text(obj{"root": obj{"children": paragraphs, "direction": "ltr", "format": "", "indent": 0, "type": "root", "version": 1}})
}
