package cursor

import (
	"time"

	"github.com/retold-history/retold/internal/jscan"
)

// composer is a composerData record (formats C.2) as far as a conversation
// needs it; heads of the lists (D.1) carry a part of the same members. Values
// still point into the record's bytes.
type composer struct {
	id    string
	v     string // "_v", "" when absent
	name  *string
	named bool // the record has a name member, though it may be empty

	created, updated, checkpoint time.Time

	mode      string
	archived  *bool // nil when not stored
	draftText bool  // something waits in the input box
	subagent  bool  // marked as one that another conversation started

	model        string
	linesAdded   *int
	linesRemoved *int
	filesChanged *int
	branch       string

	headers      jscan.Value // fullConversationHeadersOnly
	headersByID  jscan.Value // fullConversationHeadersByBubbleId, a rare variant of it
	conversation jscan.Value // inline bubbles, 2024 to early 2025
	byID         jscan.Value // conversationMap
	capabilities jscan.Value
	state        jscan.Value // conversationState
	files        jscan.Value // originalFileStates
	blocks       jscan.Value // codeBlockData
	children     jscan.Value // subagentComposerIds
	variants     jscan.Value // subComposerIds: best-of-N and the like
	checkpointID string      // latestCheckpointId
	draft        jscan.Value // text, what waits in the input box
	todos        jscan.Value
	summary      jscan.Value // latestConversationSummary

	parent, rootParent string

	place placeHints

	sum uint64 // of the bytes of a head in a workspace's list
}

// placeHints are the members that tell which folder a conversation was about
// (formats C.3), in the order of their strength.
type placeHints struct {
	workspaceID string
	uri         jscan.Value // workspaceIdentifier.uri or .configPath
	plainURI    string      // workspaceUri
	repo        string      // trackedGitRepos[0].repoPath
	worktree    string
	created     jscan.Value // newlyCreatedFiles
	attached    jscan.Value // allAttachedFileCodeChunksUris
	context     jscan.Value
}

// decodeComposer reads a composerData record or a head. Members it does not
// know, and the encryption keys among those it does, are left where they are.
func decodeComposer(v jscan.Value) composer {
	var c composer
	for key, m := range v.Members() {
		switch string(key) {
		case "composerId":
			c.id = m.Text()
		case "_v":
			c.v = m.Text()
		case "name":
			if s := m.Str(); m.Kind() == jscan.String {
				c.name, c.named = &s, true
			}
		case "createdAt":
			c.created = parseTime(m)
		case "lastUpdatedAt":
			c.updated = parseTime(m)
		case "conversationCheckpointLastUpdatedAt":
			c.checkpoint = parseTime(m)
		case "unifiedMode":
			if mode := m.Text(); mode != "" {
				c.mode = mode
			}
		case "forceMode":
			if c.mode == "" {
				c.mode = m.Text()
			}
		case "isArchived":
			if m.Kind() == jscan.Bool {
				archived := m.Bool()
				c.archived = &archived
			}
		case "isBestOfNSubcomposer":
			c.subagent = c.subagent || m.Bool()
		case "text":
			if !m.Empty() {
				c.draft, c.draftText = m, true
			}
		case "richText":
			if c.draft.Empty() && lexicalText(m) != "" {
				c.draft, c.draftText = m, true
			}
		case "modelConfig":
			c.model = m.Get("modelName").Str()
		case "totalLinesAdded":
			c.linesAdded = number(m)
		case "totalLinesRemoved":
			c.linesRemoved = number(m)
		case "filesChangedCount":
			c.filesChanged = number(m)
		default:
			c.decodeParts(string(key), m)
		}
	}
	return c
}

// decodeParts reads the members that hold a conversation or relate it to others.
func (c *composer) decodeParts(key string, m jscan.Value) {
	switch key {
	case "fullConversationHeadersOnly":
		c.headers = m
	case "fullConversationHeadersByBubbleId":
		c.headersByID = m
	case "conversation":
		c.conversation = m
	case "conversationMap":
		c.byID = m
	case "capabilities":
		c.capabilities = m
	case "conversationState":
		c.state = m
	case "originalFileStates":
		c.files = m
	case "codeBlockData":
		c.blocks = m
	case "subagentComposerIds":
		c.children = m
	case "subComposerIds":
		c.variants = m
	case "todos":
		c.todos = m
	case "latestConversationSummary":
		c.summary = m
	case "latestCheckpointId":
		c.checkpointID = m.Str()
	case "createdOnBranch":
		if c.branch == "" {
			c.branch = m.Str()
		}
	case "activeBranch":
		if b := m.Get("branchName").Str(); b != "" {
			c.branch = b
		}
	case "subagentInfo":
		c.parent, c.rootParent = m.Get("parentComposerId").Str(), m.Get("rootParentConversationId").Str()
	case "workspaceIdentifier":
		c.place.workspaceID = m.Get("id").Text()
		c.place.uri = m.First("uri", "configPath")
	case "workspaceUri":
		c.place.plainURI = m.Str()
	case "trackedGitRepos":
		for repo := range m.Items() {
			c.place.repo = uriPath(repo.Get("repoPath"))
			if c.branch == "" {
				c.branch = lastBranch(repo)
			}
			break
		}
	case "gitWorktree":
		c.place.worktree = m.Get("worktreePath").Str()
		if b := m.Get("branchName").Str(); b != "" && c.branch == "" {
			c.branch = b
		}
	case "newlyCreatedFiles":
		c.place.created = m
	case "allAttachedFileCodeChunksUris":
		c.place.attached = m
	case "context":
		c.place.context = m
	}
}

// childIDs are the conversations that this one started.
func (c *composer) childIDs() (ids []string) {
	for _, list := range []jscan.Value{c.children, c.variants} {
		for id := range list.Items() {
			if s := id.Str(); s != "" {
				ids = append(ids, s)
			}
		}
	}
	return ids
}

func lastBranch(repo jscan.Value) (name string) {
	for b := range repo.Get("branches").Items() {
		if n := b.Get("branchName").Str(); n != "" {
			name = n
		}
	}
	return name
}

// bubble is one bubbleId record (formats C.4), or one element of an inline
// conversation.
type bubble struct {
	id        string
	v         string
	kind      int64 // 1 user, 2 assistant; 0 unknown
	text      jscan.Value
	richText  jscan.Value
	thinking  jscan.Value
	thoughts  jscan.Value // allThinkingBlocks
	tool      jscan.Value // toolFormerData
	failure   jscan.Value // errorDetails
	code      jscan.Value // codeBlocks
	context   jscan.Value
	created   jscan.Value
	timing    jscan.Value
	started   jscan.Value // startedAtMs
	completed jscan.Value
	requestID string
	model     string
	tokens    jscan.Value
	marker    int64 // capabilityType
	simulated bool
	place     bubbleHints

	lists                         []attachedList // what came with the message beside its context
	checkpointID, afterCheckpoint string
}

// attachedList is a member of a bubble that lists attachments of one kind.
type attachedList struct {
	kind  string
	items jscan.Value
}

// bubbleHints tell which folder a message was about.
type bubbleHints struct {
	projectDir string
	uris       jscan.Value
	layouts    jscan.Value
	relevant   jscan.Value
}

// decodeBubble reads a bubble. A record that is no object gives the zero bubble.
func decodeBubble(v jscan.Value) bubble {
	var b bubble
	for key, m := range v.Members() {
		if len(m) == 2 && m[0] == '[' || len(m) == 0 { // most members of a bubble are []
			continue
		}
		switch string(key) {
		case "bubbleId":
			b.id = m.Str()
		case "_v":
			b.v = m.Text()
		case "type":
			b.kind, _ = m.Int()
		case "text":
			b.text = m
		case "richText":
			b.richText = m
		case "thinking":
			b.thinking = m
		case "allThinkingBlocks":
			b.thoughts = m
		case "toolFormerData":
			b.tool = m
		case "errorDetails":
			b.failure = m
		case "codeBlocks":
			b.code = m
		case "createdAt", "timestamp":
			b.created = m
		case "timingInfo":
			b.timing = m
		case "startedAtMs":
			b.started = m
		case "completedAtMs":
			b.completed = m
		case "requestId":
			b.requestID = m.Str()
		case "modelInfo":
			b.model = m.Get("modelName").Str()
		case "tokenCount":
			b.tokens = m
		case "capabilityType":
			b.marker, _ = m.Int()
		case "isSimulatedMsg":
			b.simulated = m.Bool()
		default:
			b.decodeContext(string(key), m)
		}
	}
	return b
}

func (b *bubble) decodeContext(key string, m jscan.Value) {
	switch key {
	case "context":
		b.context = m
	case "checkpointId":
		b.checkpointID = m.Str()
	case "afterCheckpointId":
		b.afterCheckpoint = m.Str()
	case "workspaceProjectDir":
		b.place.projectDir = m.Str()
	case "workspaceUris":
		b.place.uris = m
	case "projectLayouts":
		b.place.layouts = m
	case "relevantFiles":
		b.place.relevant = m
	default:
		if kind, ok := bubbleLists[key]; ok {
			b.lists = append(b.lists, attachedList{kind, m})
		}
	}
}

func number(v jscan.Value) *int {
	n, ok := v.Int()
	if !ok {
		return nil
	}
	i := int(n)
	return &i
}
