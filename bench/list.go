package bench

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/retold-history/retold/demo/vscdb"
)

// finish writes the composer's row and forgets what only writing needed.
func (w *writer) finish(s *session) error {
	state := []byte("~")
	if s.agentic() {
		root, err := w.saveRoot(s)
		if err != nil {
			return err
		}
		if err := w.put("agentKv:checkpoint:"+s.id, []byte(hex.EncodeToString(s.rootID[:]))); err != nil {
			return err
		}
		state = append(state, base64.StdEncoding.EncodeToString(root)...)
	}
	b := fmt.Appendf(nil, `{"_v":%d,"composerId":"%s","richText":"","hasLoaded":true,"text":"","fullConversationHeadersOnly":`, s.version, s.id)
	b = append(append(b, s.headers...), `],"conversationMap":{},"status":"completed"`...)
	b = append(w.common(b, s), `,"context":{},"capabilities":[],"codeBlockData":{},"originalFileStates":{},"newlyCreatedFiles":[],"usageData":{},"conversationState":"`...)
	b = append(append(b, state...), `"}`...)
	if err := w.put("composerData:"+s.id, b); err != nil {
		return err
	}
	if s == w.typical {
		w.made.Typical = Picked{ID: s.id, Bubbles: s.stored}
	}
	if s == w.longest {
		w.made.Longest = Picked{ID: s.id, Bubbles: s.stored}
	}
	w.made.Sessions++
	*s = session{id: s.id, title: s.title, model: s.model, workspace: s.workspace, version: s.version, created: s.created, at: s.at, rows: s.rows}
	w.done = append(w.done, s)
	return nil
}

// common appends the members that the composer's row and its head share.
func (w *writer) common(b []byte, s *session) []byte {
	b = quote(append(b, `,"name":`...), s.title)
	b = appendMillis(b, "createdAt", s.created)
	b = appendMillis(b, "lastUpdatedAt", s.at)
	b = append(b, `,"unifiedMode":"agent","forceMode":"edit","isArchived":false,"isDraft":false,"isAgentic":true,"totalLinesAdded":120,"totalLinesRemoved":44,"filesChangedCount":7,"contextUsagePercent":41.5,"subtitle":"main.go"`...)
	b = append(quote(append(b, `,"modelConfig":{"modelName":`...), s.model), `,"maxMode":false}`...)
	ws := workspaces[s.workspace]
	if s.version >= 13 {
		b = fmt.Appendf(b, `,"workspaceIdentifier":{"id":"%s","uri":{"$mid":1,"fsPath":"%[2]s","external":"file://%[2]s","path":"%[2]s","scheme":"file"}}`, ws.id, ws.path)
	}
	return b
}

func (w *writer) head(s *session) []byte {
	b := append([]byte(`{"type":"head","composerId":"`), s.id...)
	return append(w.common(append(b, '"'), s), '}')
}

// lists writes drafts and tombstones, the global list in both of its forms, and
// the workspaces with theirs.
func (w *writer) lists() error {
	for i := range len(w.done)/3 + 1 {
		key := "composerData:" + w.uuid()
		if i%6 == 5 {
			w.made.Deleted++
			w.count(key, 0)
			if err := w.db.KVBlob(key, nil); err != nil {
				return err
			}
			continue
		}
		w.made.Drafts++
		id := key[len("composerData:"):]
		draft := `{"_v":16,"composerId":"` + id + `","richText":"","hasLoaded":true,"text":"","fullConversationHeadersOnly":[],"conversationMap":{},"status":"none","createdAt":` +
			strconv.FormatInt(anchor-int64(i)*86400000, 10) + `,"isDraft":true,"unifiedMode":"agent","conversationState":"~"}`
		if err := w.put(key, []byte(draft)); err != nil {
			return err
		}
	}
	all := []byte(`{"allComposers":[`)
	for _, s := range w.done {
		if s.version < 14 {
			continue
		}
		head := w.head(s)
		if len(all) > 20 {
			all = append(all, ',')
		}
		all = append(all, head...)
		err := w.db.Head(vscdb.Head{
			ComposerID: s.id, WorkspaceID: workspaces[s.workspace].id, CreatedAt: s.created, LastUpdatedAt: s.at, JSON: head,
		})
		if err != nil {
			return err
		}
	}
	if err := w.db.Item("composer.composerHeaders", append(all, "]}"...)); err != nil {
		return err
	}
	if err := w.db.Item("composer.composerHeaders.tableGateEnabled", []byte("true")); err != nil {
		return err
	}
	for i := range workspaces {
		if err := w.workspace(w.ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// workspace writes workspaceStorage/<id> with the heads that older versions
// kept there.
func (w *writer) workspace(ctx context.Context, i int) (err error) {
	ws := workspaces[i]
	dir := filepath.Join(w.made.CursorUser, "workspaceStorage", ws.id)
	db, err := vscdb.Create(ctx, filepath.Join(dir, "state.vscdb"), vscdb.State)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := db.Close(); err == nil {
			err = cerr
		}
	}()
	all := []byte(`{"allComposers":[`)
	for _, s := range w.done {
		if s.workspace != i || s.version >= 14 {
			continue
		}
		if len(all) > 20 {
			all = append(all, ',')
		}
		all = append(all, w.head(s)...)
	}
	if err := db.Item("composer.composerData", append(all, `],"selectedComposerIds":[],"hasMigratedComposerData":true,"hasMigratedMultipleComposers":true}`...)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "workspace.json"), []byte(`{"folder":"file://`+ws.path+`"}`), 0o644)
}
