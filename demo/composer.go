package demo

import (
	"encoding/base64"
	"slices"
	"strings"
)

// composer is the session record of the IDE, without the conversation.
func (s *story) composer(version int, calls map[string]*tool) obj {
	c := obj{
		"_v": version, "composerId": s.id(), "hasLoaded": true, "text": "", "richText": lexical(""),
		"createdAt": s.start.UnixMilli(), "lastUpdatedAt": s.end.UnixMilli(), "status": "completed",
		"unifiedMode": s.mode, "forceMode": "edit", "isAgentic": s.mode == "agent", "isDraft": false, "isArchived": s.archived,
		"context": emptyContext(), "conversationMap": obj{}, "codeBlockData": obj{}, "originalFileStates": obj{},
		"newlyCreatedFiles": []any{}, "newlyCreatedFolders": []any{}, "usageData": obj{}, "capabilities": []any{},
		"generatingBubbleIds": []any{}, "subComposerIds": []any{}, "subagentComposerIds": []any{}, "todos": []any{},
		"allAttachedFileCodeChunksUris": []any{}, "hasChangedContext": false, "isFileListExpanded": false,
	}
	if s.title != "" {
		c["name"] = s.title
	}
	if s.draft != "" {
		c["text"], c["richText"] = s.draft, lexical(s.draft)
	}
	if version >= 9 {
		c["modelConfig"] = obj{"modelName": s.model, "maxMode": false}
		c["contextTokensUsed"], c["contextTokenLimit"] = 9000+700*len(s.steps), 200000
		c["contextUsagePercent"] = 4.5 + 0.35*float64(len(s.steps))
		added, removed, files := s.lines(calls)
		c["totalLinesAdded"], c["totalLinesRemoved"], c["filesChangedCount"] = added, removed, len(files)
		c["subtitle"] = strings.Join(files, ", ")
	}
	if s.branch != "" {
		c["createdOnBranch"] = s.branch
		c["activeBranch"] = obj{"branchName": s.branch}
	}
	if version >= 13 {
		c["workspaceIdentifier"] = s.workspace.identifier()
		c["isNAL"], c["agentBackend"] = true, "cursor-agent"
		c["blobEncryptionKey"] = base64.StdEncoding.EncodeToString([]byte("not a key, only 32 bytes of demo"))
	}
	return c
}

// lines counts what the story's edits added and removed, and names the files.
func (s *story) lines(calls map[string]*tool) (added, removed int, files []string) {
	for _, st := range s.steps {
		t := calls[st.id]
		if t == nil || t.variant != 12 || t.status != "completed" {
			continue
		}
		if st.verb == "write" {
			added += strings.Count(st.body, "\n") + 1
		} else {
			_, _, a, r := hunk(st.body)
			added, removed = added+a, removed+r
		}
		if name := st.subject[strings.LastIndexByte(st.subject, '/')+1:]; !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	return added, removed, files
}

// head is the composer's entry in the lists of chats.
func head(c obj) obj {
	h := obj{"type": "head"}
	for _, name := range []string{
		"composerId", "name", "createdAt", "lastUpdatedAt", "unifiedMode", "forceMode",
		"totalLinesAdded", "totalLinesRemoved", "filesChangedCount", "subtitle", "contextUsagePercent", "isArchived",
		"isDraft", "createdOnBranch", "activeBranch", "subagentInfo", "workspaceIdentifier",
	} {
		if v, ok := c[name]; ok {
			h[name] = v
		}
	}
	h["hasUnreadMessages"], h["hasBlockingPendingActions"], h["referencedPlans"] = false, false, []any{}
	return h
}

// header is a message's entry in the composer's list of messages.
func (s *story) header(st step, t *tool) obj {
	h := obj{"bubbleId": st.id, "type": 2}
	if st.verb == "user" || st.verb == "notice" {
		h["type"] = 1
	}
	if s.shape != "table" {
		return h
	}
	h["createdAt"] = iso(st.at)
	g := obj{"isRenderable": true, "hasText": t == nil && st.verb != "thinking" && st.verb != "error"}
	switch {
	case t != nil:
		g["capabilityType"], g["toolFormerTool"], g["toolCallId"] = 15, t.id, st.call
	case st.verb == "thinking":
		g["capabilityType"], g["hasThinking"], g["thinkingDurationMs"] = 30, true, st.took.Milliseconds()
	}
	h["grouping"] = g
	return h
}
