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

	status, mode string
	archived     bool
	draft        bool
	draftText    bool // something waits in the input box

	model        string
	linesAdded   *int
	linesRemoved *int
	filesChanged *int
	branch       string

	headers      jscan.Value // fullConversationHeadersOnly
	conversation jscan.Value // inline bubbles, 2024 to early 2025
	byID         jscan.Value // conversationMap
	capabilities jscan.Value
	state        jscan.Value // conversationState
	files        jscan.Value // originalFileStates
	blocks       jscan.Value // codeBlockData
	children     jscan.Value // subagentComposerIds

	parent, rootParent, spawnCall string

	place placeHints
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
		case "status":
			c.status = m.Str()
		case "unifiedMode":
			c.mode = m.Text()
		case "forceMode":
			if c.mode == "" {
				c.mode = m.Text()
			}
		case "isArchived":
			c.archived = m.Bool()
		case "isDraft":
			c.draft = m.Bool()
		case "text":
			c.draftText = c.draftText || !m.Empty()
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
	case "createdOnBranch":
		if c.branch == "" {
			c.branch = m.Str()
		}
	case "activeBranch":
		if b := m.Get("branchName").Str(); b != "" {
			c.branch = b
		}
	case "subagentInfo":
		c.parent = m.Get("parentComposerId").Str()
		c.rootParent = m.Get("rootParentConversationId").Str()
		c.spawnCall = m.Get("toolCallId").Str()
	case "workspaceIdentifier":
		c.place.workspaceID = m.Get("id").Text()
		c.place.uri = m.First("uri", "configPath")
	case "workspaceUri":
		c.place.plainURI = m.Str()
	case "trackedGitRepos":
		for repo := range m.Items() {
			c.place.repo = repo.Get("repoPath").Str()
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
	images    jscan.Value
	context   jscan.Value
	chunks    jscan.Value // attachedCodeChunks
	folders   jscan.Value // attachedFolders
	docs      jscan.Value // docsReferences
	web       jscan.Value // webReferences
	links     jscan.Value // externalLinks
	rules     jscan.Value // cursorRules
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
}

// bubbleHints tell which folder a message was about.
type bubbleHints struct {
	projectDir string
	uris       jscan.Value
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
	case "images":
		b.images = m
	case "context":
		b.context = m
	case "attachedCodeChunks":
		b.chunks = m
	case "attachedFolders":
		b.folders = m
	case "docsReferences":
		b.docs = m
	case "webReferences":
		b.web = m
	case "externalLinks":
		b.links = m
	case "cursorRules":
		b.rules = m
	case "workspaceProjectDir":
		b.place.projectDir = m.Str()
	case "workspaceUris":
		b.place.uris = m
	case "relevantFiles":
		b.place.relevant = m
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
