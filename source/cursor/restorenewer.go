package cursor

import (
	"fmt"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// checkNewer refuses a conversation that has gone on since the backup.
func (r *restorer) checkNewer(c *returning) error {
	why, err := r.newer(c)
	if err != nil || why == "" {
		return err
	}
	return &retold.Error{
		Code: retold.CodeRestoreFailed, Op: "restore", Path: globalDB(r.user), Err: fmt.Errorf("session %s is newer here than in the backup: %s", c.id, why),
		Hint: "add --overwrite to put what the backup holds in its place",
	}
}

// newer says in what way a conversation has gone on; "" when it has not.
func (r *restorer) newer(c *returning) (string, error) {
	for _, w := range c.tabs {
		if why, err := r.newerTab(w, c.id); err != nil || why != "" {
			return why, err
		}
	}
	for _, w := range c.lists {
		if why, err := r.newerHead(w, c.id); err != nil || why != "" {
			return why, err
		}
	}
	if r.global == nil || !r.g.tables.disk {
		return "", nil
	}
	here, there := int64(0), updated(c.record, c.table)
	now, err := r.rows(globalDB(r.user), "cursorDiskKV", "key = ?", "composerData:"+c.id)
	if err != nil {
		return "", err
	}
	for i := range now {
		here = max(here, updated(&now[i], nil))
	}
	if r.g.tables.heads {
		rows, err := r.rows(globalDB(r.user), "composerHeaders", "composerId = ?", c.id)
		if err != nil {
			return "", err
		}
		for i := range rows {
			here = max(here, updated(nil, &rows[i]))
		}
	}
	if here > there && there > 0 {
		return changedAt(here), nil
	}
	return r.moreBubbles(c)
}

// updated is when a conversation was changed last, by its record and its row.
func updated(record, table *retold.Row) (at int64) {
	if record != nil {
		if rec, err := jscan.Parse(record.Cells[1].Value.Bytes); err == nil {
			at = max(millis(rec.Get("lastUpdatedAt")), millis(rec.Get("createdAt")))
		}
	}
	if table != nil {
		for _, c := range table.Cells {
			if c.Column == "lastUpdatedAt" {
				at = max(at, c.Value.Int)
			}
		}
	}
	return at
}

func changedAt(ms int64) string {
	return "it was changed " + time.UnixMilli(ms).UTC().Format(time.RFC3339)
}

// moreBubbles looks for messages that the backup has not.
func (r *restorer) moreBubbles(c *returning) (string, error) {
	prefix := "bubbleId:" + c.id + ":"
	var here []row
	err := r.global.Read(r.ctx, func(conn *sqlite.Conn) (err error) {
		here, err = keys(conn, prefix)
		return err
	})
	if err != nil {
		return "", err
	}
	there := map[string]bool{}
	if r.held.global != nil && r.held.tables.disk {
		list, err := keys(r.held.global, prefix)
		if err != nil {
			return "", err
		}
		for _, k := range list {
			there[k.key] = true
		}
	}
	more := 0
	for _, k := range here {
		if !there[k.key] {
			more++
		}
	}
	if more == 0 {
		return "", nil
	}
	return fmt.Sprintf("it has %d messages that are not in the backup", more), nil
}

// newerHead compares a conversation that lies in the list of a workspace itself.
func (r *restorer) newerHead(w *heldWorkspace, id string) (string, error) {
	doc, err := r.itemOf(w.id, keyComposers)
	if err != nil {
		return "", err
	}
	here, there := headOf(composersOf(doc), "composerId", id), headOf(composersOf(w.composers), "composerId", id)
	if here == nil || here.Get("conversation").Kind() != jscan.Array {
		return "", nil
	}
	return grown(here, there, "conversation", "lastUpdatedAt"), nil
}

func (r *restorer) newerTab(w *heldWorkspace, id string) (string, error) {
	doc, err := r.itemOf(w.id, keyChatData)
	if err != nil {
		return "", err
	}
	here, there := tabIn(doc, id), w.tab(id)
	if here == nil {
		return "", nil
	}
	if tabBubbles(here).Len() > tabBubbles(there).Len() {
		return "it has more messages", nil
	}
	return grown(here, there, "", "lastSendTime"), nil
}

// grown compares two states of a conversation that is one JSON value.
func grown(here, there jscan.Value, list, time string) string {
	if list != "" && here.Get(list).Len() > there.Get(list).Len() {
		return "it has more messages"
	}
	if at := millis(here.Get(time)); at > millis(there.Get(time)) {
		return changedAt(at)
	}
	return ""
}

// itemOf reads a value of a workspace in use; nil when it is not there.
func (r *restorer) itemOf(workspace, key string) ([]byte, error) {
	db := filepath.Join(r.user, "workspaceStorage", workspace, "state.vscdb")
	if there, err := isThere(db); err != nil || !there || !validWorkspace(workspace) {
		return nil, err
	}
	rows, err := r.rows(db, "ItemTable", "key = ?", key)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0].Cells[1].Value.Bytes, nil
}
