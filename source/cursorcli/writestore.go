package cursorcli

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
)

// storeSchema is what Cursor makes (formats E.1).
const storeSchema = `PRAGMA user_version = 1;
CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);`

// Where a database says how it is to be written and read: 2 for a log that is
// written ahead, which a database in memory cannot have.
const (
	writeVersionAt = 18
	readVersionAt  = 19
	writeAhead     = 2
)

// store is the conversation as the bytes of a store.db.
func (w *chat) store() (db []byte, err error) {
	conn, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := sqlitex.ExecuteScript(conn, storeSchema, nil); err != nil {
		return nil, err
	}
	if err := w.fill(conn); err != nil {
		return nil, err
	}
	w.blobs, w.order = nil, nil // the database has them: a long conversation need not be held twice
	if db, err = conn.Serialize("main"); err != nil {
		return nil, err
	}
	db[writeVersionAt], db[readVersionAt] = writeAhead, writeAhead
	return db, nil
}

func (w *chat) fill(conn *sqlite.Conn) (err error) {
	defer sqlitex.Save(conn)(&err)
	for _, id := range w.order {
		data := w.blobs[id]
		if data == nil {
			data = []byte{}
		}
		if err := sqlitex.Execute(conn, "INSERT INTO blobs (id, data) VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{id, data}}); err != nil {
			return err
		}
	}
	self, err := w.self()
	if err != nil {
		return err
	}
	rows := [][2]string{{"0", hex.EncodeToString(self)}}
	if w.marks != nil {
		rows = append(rows, [2]string{marksKey, string(w.marks)})
	}
	for _, row := range rows {
		if err := sqlitex.Execute(conn, "INSERT INTO meta (key, value) VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{row[0], row[1]}}); err != nil {
			return err
		}
	}
	return nil
}

// self is the store's record of itself (formats E.2). There is no key for copies
// on a server: Cursor makes one when it makes such a copy.
func (w *chat) self() ([]byte, error) {
	created, _ := w.times()
	mode := "default"
	if m := w.mode(); m == "plan" || m == "debug" {
		mode = m
	}
	model := ""
	if w.whole.Agent == agent { // the name of another agent's model means nothing to this one
		model = w.whole.Model
	}
	return encodeJSON(struct {
		AgentID          string `json:"agentId"`
		LatestRootBlobID string `json:"latestRootBlobId"`
		Name             string `json:"name"`
		Mode             string `json:"mode"`
		IsRunEverything  bool   `json:"isRunEverything"`
		CreatedAt        int64  `json:"createdAt"`
		LastUsedModel    string `json:"lastUsedModel,omitempty"`
	}{w.id, w.root, w.title(), mode, false, created, model})
}

// mode is a session's mode in the words of the agent.
func (w *chat) mode() string {
	switch w.whole.Mode {
	case "ask", "plan", "debug":
		return w.whole.Mode
	case "chat":
		return "ask"
	}
	return "agent"
}

// times are the session's in milliseconds, 0 where nothing is dated.
func (w *chat) times() (created, updated int64) {
	first, last := w.whole.CreatedAt, w.whole.UpdatedAt
	for i := range w.whole.Messages {
		m := &w.whole.Messages[i]
		if m.Timestamp.IsZero() || m.Orphan || m.Recovered {
			continue
		}
		if w.whole.CreatedAt.IsZero() && (first.IsZero() || m.Timestamp.Before(first)) {
			first = m.Timestamp
		}
		if w.whole.UpdatedAt.IsZero() && m.Timestamp.After(last) {
			last = m.Timestamp
		}
	}
	if first.IsZero() {
		return 0, 0
	}
	return first.UnixMilli(), max(last.UnixMilli(), first.UnixMilli())
}

// put keeps a blob once.
func (w *chat) put(id string, content []byte) error {
	if _, ok := w.blobs[id]; !ok {
		w.blobs[id] = content
		w.order = append(w.order, id)
	}
	return nil
}

// Blob implements agentstate.Blobs: what was written is read again, to see what
// is made of it.
func (w *chat) Blob(id string) ([]byte, error) { return w.blobs[id], nil }

// encodeJSON writes JSON as JavaScript does, without escaping what HTML would
// need.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// spoken reports whether anything is in a message.
func spoken(m *retold.Message) bool {
	return m.Role == retold.RoleTool || m.Content != "" || len(m.Attachments) > 0
}
