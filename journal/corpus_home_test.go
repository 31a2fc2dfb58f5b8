package journal_test

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/retold-history/retold/demo/vscdb"
)

type obj = map[string]any

// A cursorHome is a home folder with Cursor's own databases in it, into which all
// conversations of all scenarios go.
type cursorHome struct {
	user, home string
	db         *vscdb.DB
	heads      map[string][]obj // old lists of chats, by workspace
	folders    map[string]string
	written    map[string]bool // rows that texts share
	err        error
	ctx        context.Context
}

func writeHome(ctx context.Context, dir string, talks []*talk) (*cursorHome, error) {
	h := &cursorHome{
		ctx: ctx, user: filepath.Join(dir, "User"), home: filepath.Join(dir, ".cursor"),
		heads: map[string][]obj{}, folders: map[string]string{}, written: map[string]bool{},
	}
	if h.err = os.MkdirAll(h.home, 0o755); h.err != nil {
		return h, h.err
	}
	h.db, h.err = vscdb.Create(ctx, filepath.Join(h.user, "globalStorage", "state.vscdb"), vscdb.Headers)
	for _, t := range talks {
		if h.err != nil {
			return h, h.err
		}
		switch t.shape {
		case "cli":
			h.store(t)
		case "transcript":
			h.transcript(t)
		default:
			h.composer(t)
		}
	}
	for id, uri := range h.folders {
		h.workspace(id, uri)
	}
	h.done(h.db.Close())
	return h, h.err
}

func (h *cursorHome) done(err error) {
	if h.err == nil {
		h.err = err
	}
}

func (h *cursorHome) kv(key string, value []byte) {
	if h.err == nil {
		h.err = h.db.KV(key, value)
	}
}

func toJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // maps, slices, strings and numbers cannot fail
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func hexMD5(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// folder registers a workspace and returns its id and its member of a composer.
func (h *cursorHome) folder(t *talk) (id string, identifier obj) {
	uri := t.workspace
	if !strings.Contains(uri, "://") {
		uri = (&url.URL{Scheme: "file", Path: uri}).String()
	}
	id = hexMD5(uri + "1188213")
	h.folders[id] = uri
	u, err := url.Parse(strings.ReplaceAll(uri, "%2B", "+"))
	if err != nil {
		h.done(err)
		return id, nil
	}
	full := obj{"$mid": 1, "external": uri, "path": u.Path, "scheme": u.Scheme, "fsPath": u.Path}
	if u.Host != "" {
		full["authority"] = u.Host
	}
	if strings.HasSuffix(uri, ".code-workspace") {
		return id, obj{"id": id, "configPath": full}
	}
	return id, obj{"id": id, "uri": full}
}

// workspace writes workspaceStorage/<id>.
func (h *cursorHome) workspace(id, uri string) {
	dir := filepath.Join(h.user, "workspaceStorage", id)
	member := "folder"
	if strings.HasSuffix(uri, ".code-workspace") {
		member = "workspace"
	}
	h.done(os.MkdirAll(dir, 0o755))
	h.done(os.WriteFile(filepath.Join(dir, "workspace.json"), []byte(toJSON(obj{member: uri})), 0o644))
	if h.err != nil || len(h.heads[id]) == 0 {
		return
	}
	db, err := vscdb.Create(h.ctx, filepath.Join(dir, "state.vscdb"), vscdb.State)
	if err != nil {
		h.done(err)
		return
	}
	h.done(db.Item("composer.composerData", []byte(toJSON(obj{"allComposers": h.heads[id]}))))
	h.done(db.Close())
}

var composerVersions = map[string]int{"inline": 2, "timing": 3, "bubbles": 10, "headers": 14, "table": 18}

// composer writes a conversation of the IDE.
func (h *cursorHome) composer(t *talk) {
	id, identifier := h.folder(t)
	start, end := t.steps[0].at, t.steps[len(t.steps)-1].at.Add(5*time.Second)
	c := obj{
		"_v": composerVersions[t.shape], "composerId": t.id, "name": t.scenario + " " + t.name, "text": "", "richText": "",
		"createdAt": start.UnixMilli(), "lastUpdatedAt": end.UnixMilli(), "status": "completed", "unifiedMode": "agent",
		"conversationMap": obj{}, "isDraft": false, "isArchived": false, "subagentComposerIds": []any{}, "context": obj{},
	}
	if t.branch != "" {
		c["createdOnBranch"], c["activeBranch"] = t.branch, obj{"branchName": t.branch}
	}
	if t.parent != nil {
		c["subagentInfo"] = obj{"parentComposerId": t.parent.id, "rootParentConversationId": t.parent.id, "subagentTypeName": "generalPurpose"}
	}
	headers, inline := []obj{}, []obj{}
	for i, s := range t.steps {
		b := h.bubble(t, i, s)
		inline = append(inline, b)
		head := obj{"bubbleId": b["bubbleId"], "type": b["type"]}
		if t.shape == "table" && t.times == "" {
			head["createdAt"] = isoTime(s.at)
		}
		if !s.orphan {
			headers = append(headers, head)
		}
		if t.shape != "inline" {
			h.kv("bubbleId:"+t.id+":"+b["bubbleId"].(string), []byte(toJSON(b)))
		}
	}
	if t.shape == "inline" {
		c["conversation"] = inline
	} else {
		c["fullConversationHeadersOnly"] = headers
	}
	if t.shape == "table" || t.shape == "headers" {
		c["workspaceIdentifier"] = identifier
	}
	h.kv("composerData:"+t.id, []byte(toJSON(c)))
	head := obj{"type": "head", "composerId": t.id, "name": c["name"], "createdAt": c["createdAt"], "lastUpdatedAt": c["lastUpdatedAt"], "unifiedMode": "agent"}
	if t.shape != "table" {
		h.heads[id] = append(h.heads[id], head)
		return
	}
	head["workspaceIdentifier"] = identifier
	if h.err == nil {
		h.err = h.db.Head(vscdb.Head{
			ComposerID: t.id, WorkspaceID: id, CreatedAt: start.UnixMilli(), LastUpdatedAt: end.UnixMilli(),
			Subagent: t.parent != nil, JSON: []byte(toJSON(head)),
		})
	}
}

// bubble is a message with the members that matter, and the times that its
// generation of Cursor kept.
func (h *cursorHome) bubble(t *talk, i int, s said) obj {
	b := obj{"_v": 3, "bubbleId": corpusID(t.id, hexMD5(s.kind), isoTime(s.at), string(rune('a'+i%26)), hexMD5(string(rune(i)))), "type": 2, "text": ""}
	switch {
	case t.times == "none":
	case t.shape == "timing":
		if s.kind != "user" {
			at := float64(s.at.UnixMilli())
			b["timingInfo"] = obj{"clientStartTime": 4745281.3, "clientRpcSendTime": at, "clientSettleTime": at + 900, "clientEndTime": at + 1200}
		}
	case t.shape != "inline":
		b["createdAt"] = isoTime(s.at)
	}
	switch s.kind {
	case "user":
		b["type"], b["text"] = 1, s.text
	case "assistant":
		b["text"] = s.text
	default:
		b["capabilityType"], b["toolFormerData"] = 15, h.tool(t, i, s)
	}
	return b
}

// keep stores a file's text as a row of its own and returns the row's key.
func (h *cursorHome) keep(text string) string {
	sum := sha256.Sum256([]byte(text))
	key := "composer.content." + hex.EncodeToString(sum[:])
	if !h.written[key] {
		h.written[key] = true
		h.kv(key, []byte(text))
	}
	return key
}
