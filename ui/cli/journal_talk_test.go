package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/retold-history/retold/demo/vscdb"
)

// A talk is a conversation of a script, as Cursor 3 keeps it: a row of
// composerHeaders, its record, and a row for each bubble.
type talk struct {
	id, workspace, parent string
	began, ended          time.Time
	heads                 []any
}

type fields = map[string]any

// homeoftalks DIR FILE makes a home of Cursor with the conversations of a file in
// it, and points retold there. Each begins with "= NAME FOLDER [sub-agent of NAME]"
// and goes on with "HH:MM user TEXT", "HH:MM says TEXT", "HH:MM shell COMMAND" or
// "HH:MM write PATH FILE", where FILE holds what is written; all on March 4, 2026.
// $NAME is then the session's id.
func homeOfTalks(ts *testscript.TestScript, _ bool, args []string) {
	user, home := filepath.Join(ts.MkAbs(args[0]), "User"), filepath.Join(ts.MkAbs(args[0]), ".cursor")
	ts.Check(os.MkdirAll(home, 0o755))
	db, err := vscdb.Create(context.Background(), filepath.Join(user, "globalStorage", "state.vscdb"), vscdb.Headers)
	ts.Check(err)
	w := &talkWriter{ts: ts, db: db, user: user}
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == "=" {
			w.end()
			w.begin(words[1:])
		} else if len(words) > 2 {
			w.say(words, strings.TrimSpace(line))
		}
	}
	w.end()
	ts.Check(db.Close())
	ts.Setenv("RETOLD_CURSOR_USER", user)
	ts.Setenv("RETOLD_CURSOR_HOME", home)
}

type talkWriter struct {
	ts   *testscript.TestScript
	db   *vscdb.DB
	user string
	talk *talk
}

func (w *talkWriter) json(v any) []byte {
	b, err := json.Marshal(v)
	w.ts.Check(err)
	return b
}

func scriptID(name string) string {
	sum := sha256.Sum256([]byte("retold script " + name))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func (w *talkWriter) begin(words []string) {
	w.talk = &talk{id: scriptID(words[0]), workspace: w.ts.MkAbs(words[1])}
	if len(words) > 2 {
		w.talk.parent = scriptID(words[4])
		w.talk.id = "task-toolu_01" + strings.ReplaceAll(w.talk.id, "-", "")[:22]
	}
	w.ts.Setenv(words[0], w.talk.id)
}

func (w *talkWriter) say(words []string, line string) {
	t := w.talk
	at, err := time.Parse("2006-01-02 15:04", "2026-03-04 "+words[0])
	w.ts.Check(err)
	at = at.Add(time.Duration(len(t.heads)) * time.Second)
	if t.began.IsZero() {
		t.began = at
	}
	t.ended = at
	id := scriptID(fmt.Sprint(t.id, len(t.heads)))
	_, text, _ := strings.Cut(line, words[1]+" ")
	b := fields{"_v": 3, "bubbleId": id, "type": 2, "text": "", "createdAt": at.UTC().Format("2006-01-02T15:04:05.000Z")}
	switch words[1] {
	case "user":
		b["type"], b["text"] = 1, text
	case "says":
		b["text"] = text
	case "shell":
		b["capabilityType"] = 15
		b["toolFormerData"] = w.tool(15, "run_terminal_cmd", fields{"command": text, "is_background": false}, fields{"command": text}, fields{"output": "", "rejected": false, "exitCodeV2": 0})
	case "write":
		path, now := filepath.Join(t.workspace, words[2]), w.ts.ReadFile(words[3])
		sum := sha256.Sum256([]byte(now))
		key := fmt.Sprintf("composer.content.%x", sum)
		w.ts.Check(w.db.KV(key, []byte(now)))
		result := fields{"afterContentId": key, "fileWasCreated": len(words) < 5, "rejected": false}
		if len(words) > 4 {
			before := w.ts.ReadFile(words[4])
			old := fmt.Sprintf("composer.content.%x", sha256.Sum256([]byte(before)))
			w.ts.Check(w.db.KV(old, []byte(before)))
			result["beforeContentId"] = old
		}
		b["capabilityType"] = 15
		b["toolFormerData"] = w.tool(38, "write", fields{"file_path": path, "contents": now}, fields{"relativeWorkspacePath": path}, result)
	default:
		w.ts.Fatalf("%s: nobody %ss here", line, words[1])
	}
	w.ts.Check(w.db.KV("bubbleId:"+t.id+":"+id, w.json(b)))
	t.heads = append(t.heads, fields{"bubbleId": id, "type": b["type"], "createdAt": b["createdAt"]})
}

func (w *talkWriter) tool(number int, name string, args, params, result fields) fields {
	return fields{
		"tool": number, "name": name, "toolCallId": fmt.Sprint(w.talk.id, len(w.talk.heads)), "status": "completed", "additionalData": fields{},
		"rawArgs": string(w.json(args)), "params": string(w.json(params)), "result": string(w.json(result)),
	}
}

func (w *talkWriter) end() {
	t := w.talk
	if t == nil {
		return
	}
	uri := (&url.URL{Scheme: "file", Path: t.workspace}).String()
	workspace := fmt.Sprintf("%x", sha256.Sum256([]byte(uri)))[:32]
	dir := filepath.Join(w.user, "workspaceStorage", workspace)
	w.ts.Check(os.MkdirAll(dir, 0o755))
	w.ts.Check(os.WriteFile(filepath.Join(dir, "workspace.json"), w.json(fields{"folder": uri}), 0o644))
	c := fields{
		"_v": 18, "composerId": t.id, "name": "Talk", "createdAt": t.began.UnixMilli(), "lastUpdatedAt": t.ended.UnixMilli(),
		"status": "completed", "unifiedMode": "agent", "fullConversationHeadersOnly": t.heads, "conversationMap": fields{},
		"workspaceIdentifier": fields{"id": workspace, "uri": fields{"external": uri, "path": t.workspace, "scheme": "file", "fsPath": t.workspace}},
	}
	if t.parent != "" {
		c["subagentInfo"] = fields{"parentComposerId": t.parent, "rootParentConversationId": t.parent, "subagentTypeName": "generalPurpose"}
	}
	w.ts.Check(w.db.KV("composerData:"+t.id, w.json(c)))
	delete(c, "fullConversationHeadersOnly")
	w.ts.Check(w.db.Head(vscdb.Head{
		ComposerID: t.id, WorkspaceID: workspace, CreatedAt: t.began.UnixMilli(), LastUpdatedAt: t.ended.UnixMilli(),
		Subagent: t.parent != "", JSON: w.json(c),
	}))
}

// asked runs retold why and reads what it says as JSON.
func asked(ts *testscript.TestScript, what string, to any) {
	ts.Check(ts.Exec("retold", "why", what, "--json"))
	d := json.NewDecoder(bytes.NewReader([]byte(ts.ReadFile("stdout"))))
	ts.Check(d.Decode(to))
}

// linked COMMIT [SESSION…] checks that a commit is linked to these conversations
// and no others; to none when none is named.
func linked(ts *testscript.TestScript, _ bool, args []string) {
	var why struct {
		Commit, Class string
		Links         []struct {
			SessionID, MessageID, Class string
			Score                       float64
			Evidence                    []struct{ Kind, Detail string }
		}
	}
	asked(ts, args[0], &why)
	want := map[string]bool{}
	for _, id := range args[1:] {
		want[id] = true
	}
	got := map[string]bool{}
	for _, l := range why.Links {
		if l.Class != "linked" {
			continue
		}
		got[l.SessionID] = true
		if !want[l.SessionID] || l.MessageID == "" || len(l.Evidence) == 0 || l.Score < 3 {
			ts.Fatalf("%s is linked to %s, for %v", args[0], l.SessionID, l.Evidence)
		}
	}
	if len(got) != len(want) {
		ts.Fatalf("%s is linked to %v, want %v", args[0], got, args[1:])
	}
	if (why.Class == "linked") != (len(want) > 0) || len(why.Commit) < 40 {
		ts.Fatalf("%s is %s", args[0], cmp.Or(why.Class, "of no class"))
	}
}

// wrote FILE:LINE [SESSION] checks which conversation a line came from.
func wrote(ts *testscript.TestScript, _ bool, args []string) {
	var why struct {
		Class                string
		SessionID, MessageID *string
	}
	asked(ts, args[0], &why)
	switch {
	case len(args) == 1:
		if why.Class == "linked" || why.SessionID != nil && why.Class == "none" {
			ts.Fatalf("%s is %s", args[0], why.Class)
		}
	case why.Class != "linked" || why.SessionID == nil || why.MessageID == nil || *why.SessionID != args[1]:
		ts.Fatalf("%s is %s", args[0], why.Class)
	}
}
