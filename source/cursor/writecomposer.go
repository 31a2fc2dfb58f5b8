package cursor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
)

// A writer turns one session into Cursor's records.
type writer struct {
	id    string // of the conversation to be
	mode  string
	pen   *penman
	whole *retold.SessionDetail
	keep  bool // messages keep the ids that Cursor gave them

	request, said string // see model
}

// bubbles writes all messages in order, one record at a time, and returns the
// order. One that says nothing makes no record.
func (w *writer) bubbles(put func(id string, doc []byte) error) (headers []members, n int, err error) {
	used := map[string]bool{}
	list := slices.Clone(w.whole.Messages)
	if !slices.ContainsFunc(list, func(m retold.Message) bool { return !m.Orphan && !m.Recovered }) {
		for i := range list { // all that is left: it is the conversation again
			list[i].Orphan, list[i].Recovered = false, false
		}
	}
	headers = []members{}
	for at := 0; at < len(list); {
		group := w.group(list[at:])
		at += len(group)
		if group[0].Role != retold.RoleTool && group[0].Content == "" && len(group[0].Attachments) == 0 {
			continue
		}
		id := derivedID(w.id, "message", strconv.Itoa(at))
		if base := recordID(group[0].ID); w.keep && isUUID(base) && !used[base] {
			id = base
		}
		used[id] = true
		b, err := w.bubble(id, group)
		if err == nil {
			err = put(id, b.doc)
		}
		if err != nil {
			return nil, n, err
		}
		if n++; b.header != nil {
			headers = append(headers, b.header)
		}
	}
	return headers, n, nil
}

// recordID is the record a message's id speaks of.
func recordID(id string) string {
	base, _, _ := strings.Cut(id, ":")
	return base
}

// group is the messages that one record held, at the beginning of a list: only
// where they go back to the ids they had.
func (w *writer) group(list []retold.Message) []retold.Message {
	n := 1
	first := &list[0]
	for w.keep && n < len(list) {
		m, before := &list[n], &list[n-1]
		if m.ID != recordID(first.ID)+":"+partOf(m) || partOf(m) == "" || rank(m) <= rank(before) || first.Role == retold.RoleUser || first.Role == retold.RoleSystem ||
			m.Content == "" && m.Tool == nil || before.Tokens != nil ||
			!m.Timestamp.Equal(first.Timestamp) || m.TimestampSource != first.TimestampSource || m.Model != first.Model || m.RequestID != first.RequestID || m.Orphan != first.Orphan {
			break
		}
		n++
	}
	return list[:n]
}

func partOf(m *retold.Message) string {
	if r := rank(m); r >= 0 {
		return partNames[r]
	}
	return ""
}

// rank is where a message stands in a record that holds several; -1 for one that
// never shares a record.
func rank(m *retold.Message) int {
	switch m.Role {
	case retold.RoleThinking:
		return int(partThinking)
	case retold.RoleAssistant:
		return int(partText)
	case retold.RoleTool:
		return int(partTool)
	case retold.RoleError:
		return int(partError)
	}
	return -1
}

// modes are the modes that Cursor knows (formats C.2).
var modes = []string{"agent", "chat", "edit", "plan", "debug"}

// modeOf is the mode of a session, agent when it is none of Cursor's.
func modeOf(s *retold.Session) string {
	if slices.Contains(modes, s.Mode) {
		return s.Mode
	}
	return "agent"
}

// What a record has to have, though nothing is in it (formats F.2).
var (
	recordObjects = strings.Fields(`conversationMap codeBlockData originalFileStates usageData`)
	recordArrays  = strings.Fields(`generatingBubbleIds newlyCreatedFiles newlyCreatedFolders allAttachedFileCodeChunksUris
subComposerIds subagentComposerIds capabilityContexts todos queueItems trackedGitRepos`)
	recordFlags = strings.Fields(`hasUnreadMessages hasChangedContext isFileListExpanded isReadingLongFile isCreatingWorktree
isApplyingWorktree isUndoingWorktree applied pendingCreateWorktree worktreeStartedReadOnly isBestOfNSubcomposer isBestOfNParent
isSpec isProject isContinuationInProgress planModeSuggestionUsed debugModeSuggestionUsed`)
)

// record is the conversation's composerData (formats F.2).
func (w *writer) record(version int64, identifier []byte, headers []members) ([]byte, error) {
	s := &w.whole.Session
	created, updated := w.times()
	added, removed, files := w.lines()
	model := w.lastModel()
	c := members{
		"_v": version, "composerId": w.id, "name": w.title(), "subtitle": strings.Join(files, ", "),
		"createdAt": created, "lastUpdatedAt": updated, "status": "completed", "hasLoaded": true, "isDraft": false, "isArchived": s.Archived,
		"isAgentic": w.mode == "agent", "unifiedMode": w.mode, "forceMode": "edit", "isNAL": true, "agentBackend": "cursor-agent",
		"workspaceIdentifier": raw(parsed(identifier), true), "fullConversationHeadersOnly": headers,
		"text": "", "richText": lexicalOf(""), "context": emptyContext(), "capabilities": capabilities(), "conversationState": "~",
		"modelConfig":     members{"modelName": model, "maxMode": false, "selectedModels": []members{{"modelId": model, "parameters": []string{}}}},
		"totalLinesAdded": count(s.LinesAdded, added), "totalLinesRemoved": count(s.LinesRemoved, removed), "filesChangedCount": count(s.FilesChanged, len(files)),
		"addedFiles": 0, "removedFiles": 0, "contextTokensUsed": 0, "contextTokenLimit": 0, "contextUsagePercent": 0,
		"isQueueExpanded": true,
	}
	for _, name := range recordObjects {
		c[name] = members{}
	}
	for _, name := range recordArrays {
		c[name] = []string{}
	}
	for _, name := range recordFlags {
		c[name] = false
	}
	if s.Branch != "" {
		c["createdOnBranch"], c["activeBranch"] = s.Branch, members{"branchName": s.Branch}
	}
	return encode(c)
}

// lastModel is the model with which Cursor will go on: Auto where none is known.
func (w *writer) lastModel() string {
	model := w.whole.Model
	for i := range w.whole.Messages {
		if m := &w.whole.Messages[i]; w.whole.Model == "" && m.Model != "" && !m.Orphan {
			model = m.Model
		}
	}
	return cmp.Or(model, "default")
}

func count(stored *int, worked int) int {
	if stored != nil {
		return *stored
	}
	return worked
}

// capabilities are the entries without which the loader stops (formats F.2).
func capabilities() []members {
	list := []members{{"type": capabilityTool, "data": members{"bubbleDataMap": "{}"}}}
	for _, n := range []int{19, 33, 32, 23, 16, 24, 21} {
		list = append(list, members{"type": n, "data": members{}})
	}
	return list
}

// title is never empty: Cursor hides what has no name.
func (w *writer) title() string {
	return cmp.Or(strings.TrimSpace(w.whole.Title), w.whole.FirstMessagePreview, w.whole.WorkspaceName, "Imported conversation")
}

// times are the session's in milliseconds; where nothing is dated the first one
// that a clock could show, which every reader takes for unknown.
func (w *writer) times() (created, updated int64) {
	first, last := w.whole.CreatedAt, w.whole.UpdatedAt
	for i := range w.whole.Messages {
		at := w.whole.Messages[i].Timestamp
		if at.IsZero() {
			continue
		}
		if w.whole.CreatedAt.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	if first.IsZero() {
		return 1, 1
	}
	return first.UnixMilli(), max(last.UnixMilli(), first.UnixMilli())
}

// lines counts what the edits say of lines and files.
func (w *writer) lines() (added, removed int, files []string) {
	for i := range w.whole.Messages {
		t := w.whole.Messages[i].Tool
		if t == nil || t.Diff == "" || t.Status != retold.StatusCompleted {
			continue
		}
		_, body, _ := strings.Cut(t.Diff, "\n@@")
		a, r, _ := countLines(strings.TrimSuffix("@@"+body, "\n") + "\n")
		added, removed = added+a, removed+r
		for _, f := range t.Files {
			if name := f[strings.LastIndexAny(f, `/\`)+1:]; name != "" && !slices.Contains(files, name) {
				files = append(files, name)
			}
		}
	}
	return added, removed, files
}
