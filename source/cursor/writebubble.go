package cursor

import (
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// emptyArrays and emptyFlags are the members that every bubble carries, whatever
// it holds; Cursor's loader walks them without looking (formats F.3).
var (
	emptyArrays = strings.Fields(`aiWebSearchResults approximateLintErrors assistantSuggestedDiffs attachedCodeChunks
attachedFileCodeChunksMetadataOnly attachedFolders attachedFoldersListDirResults attachedFoldersNew capabilities
capabilityContexts codeBlocks codebaseContextChunks commits consoleLogs contextPieces cursorCommands cursorRules
deletedFiles diffHistories diffsForCompressingFiles diffsSinceLastApply docsReferences documentationSelections
editTrailContexts externalLinks fileDiffTrajectories gitDiffs humanChanges images interpreterResults knowledgeItems
lints mcpDescriptors multiFileLinterErrors notepads pastChats projectLayouts pullRequests recentLocationsHistory
recentlyViewedFiles relevantFiles suggestedCodeBlocks summarizedComposers supportedTools uiElementPicked
userResponsesToSuggestedCodeBlocks webReferences workspaceUris todos toolResults allThinkingBlocks`)
	emptyFlags = strings.Fields(`attachedHumanChanges cursorCommandsExplicitlySet existedPreviousTerminalCommand
existedSubsequentTerminalCommand isRefunded pastChatsExplicitlySet`)
	contextNames = strings.Fields(`composers quotes selectedCommits selectedPullRequests selectedImages folderSelections
fileSelections terminalFiles selections terminalSelections selectedDocs externalLinks cursorRules cursorCommands
uiElementSelections consoleLogs notepads gitPRDiffSelections`)
)

// A written bubble is one record of a conversation, and its entry in the order.
type written struct {
	doc    []byte
	header members // nil for what is no longer part of the conversation
}

// bubbleMode are the words of a composer for a mode, as bubbles number them
// (formats C.4).
var bubbleMode = map[string]int{"chat": 1, "agent": 2, "edit": 3, "plan": 5, "debug": 6}

// bubble writes messages that make one record: thinking, then text, then a call
// or an error.
func (w *writer) bubble(id string, group []retold.Message) (*written, error) {
	first, last := &group[0], &group[len(group)-1]
	b := members{
		"_v": 3, "bubbleId": id, "type": 2, "text": "", "unifiedMode": bubbleMode[w.mode], "isAgentic": true, "conversationState": "~",
		"requestId": first.RequestID, "tokenCount": members{"inputTokens": 0, "outputTokens": 0},
	}
	for _, name := range emptyArrays {
		b[name] = []string{}
	}
	for _, name := range emptyFlags {
		b[name] = false
	}
	h := members{"isRenderable": true, "hasText": false}
	header := members{"bubbleId": id, "grouping": h}
	w.date(b, header, first)
	if last.Tokens != nil {
		b["tokenCount"] = members{"inputTokens": last.Tokens.Input, "outputTokens": last.Tokens.Output}
	}
	if last.Role != retold.RoleTool || len(group) > 1 {
		w.pen.last = nil // something was said in between
	}
	for i := range group {
		if err := w.fill(b, h, &group[i]); err != nil {
			return nil, err
		}
	}
	header["type"] = b["type"]
	w.model(b, first, last)
	doc, err := encode(b)
	if err != nil {
		return nil, err
	}
	if first.Orphan || first.Recovered {
		header = nil
	}
	return &written{doc: doc, header: header}, nil
}

// date gives a record the time that its message had. A time that was only worked
// out is left away: it will be again.
func (w *writer) date(b, header members, m *retold.Message) {
	at := m.Timestamp.UnixMilli()
	switch {
	case m.Timestamp.IsZero():
	case m.TimestampSource == retold.TimeTiming:
		b["timingInfo"] = members{"clientStartTime": at, "clientRpcSendTime": at, "clientSettleTime": at, "clientEndTime": at}
	case m.TimestampSource == retold.TimeStored || m.TimestampSource == "":
		b["createdAt"] = isoTime(m.Timestamp)
		header["createdAt"] = b["createdAt"]
	}
}

func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// fill adds what one message says.
func (w *writer) fill(b, grouping members, m *retold.Message) error {
	switch m.Role {
	case retold.RoleUser, retold.RoleSystem:
		b["type"], b["text"] = 1, m.Content
		grouping["hasText"] = m.Content != ""
		if m.Role == retold.RoleSystem {
			b["isSimulatedMsg"] = true
			break
		}
		if role, text := (&bubble{kind: 1, text: value(m.Content)}).said(); role != m.Role || text != m.Content {
			b["text"] = "<user_query>\n" + m.Content + "\n</user_query>"
		}
		b["richText"] = lexicalOf(m.Content)
		b["context"] = emptyContext()
	case retold.RoleThinking:
		b["capabilityType"], b["thinkingDurationMs"] = capabilityThinking, 0
		b["thinking"] = members{"text": m.Content, "signature": ""}
		grouping["capabilityType"], grouping["hasThinking"], grouping["thinkingDurationMs"] = capabilityThinking, true, 0
	case retold.RoleTool:
		return w.call(b, grouping, m)
	case retold.RoleError:
		b["errorDetails"] = members{"generationUUID": m.RequestID, "message": m.Content}
	default:
		b["text"] = m.Content
		grouping["hasText"] = m.Content != ""
	}
	attach(b, m.Attachments)
	return nil
}

// Kinds of bubbles (capabilityType).
const (
	capabilityTool     = 15
	capabilityThinking = 30
)

func (w *writer) call(b, grouping members, m *retold.Message) error {
	call := m.Tool
	if call == nil {
		call = &retold.ToolCall{Name: "unknown tool", Kind: retold.ToolOther, Status: retold.StatusCompleted}
	}
	id := call.CallID
	if id == "" {
		id = "tool_" + derivedID(w.id, m.ID, "call")
	}
	w.pen.number(w.id, m)
	former, err := w.pen.former(call, id)
	if err != nil {
		return err
	}
	t, _ := parsed(former).Get("tool").Int()
	b["capabilityType"], b["isAgentic"], b["toolFormerData"] = capabilityTool, false, raw(parsed(former), true)
	grouping["capabilityType"], grouping["toolFormerTool"], grouping["toolCallId"] = capabilityTool, t, id
	return nil
}

// model names the model where reading on from the record before would not find
// it: see reader.follow. Cursor leaves it out of the records of calls.
func (w *writer) model(b members, first, last *retold.Message) {
	if b["type"] == 1 || first.RequestID != "" && first.RequestID != w.request {
		w.said, w.request = "", first.RequestID
	}
	aside := first.Orphan || first.Recovered
	if last.Model == "" || last.Role == retold.RoleTool && last.Model == w.said && !aside {
		return
	}
	b["modelInfo"] = members{"modelName": last.Model}
	if !aside {
		w.said = last.Model
	}
}

// lexicalOf is the rich text of the input box for a plain text (formats C.7).
func lexicalOf(text string) string {
	paragraphs := []members{}
	for line := range strings.SplitSeq(text, "\n") {
		children := []members{}
		if line != "" {
			children = append(children, members{"detail": 0, "format": 0, "mode": "normal", "style": "", "text": line, "type": "text", "version": 1})
		}
		paragraphs = append(paragraphs, members{"children": children, "direction": "ltr", "format": "", "indent": 0, "type": "paragraph", "version": 1})
	}
	doc, err := encode(members{"root": members{"children": paragraphs, "direction": "ltr", "format": "", "indent": 0, "type": "root", "version": 1}})
	if err != nil { // maps of texts and numbers always encode
		return ""
	}
	return string(doc)
}
