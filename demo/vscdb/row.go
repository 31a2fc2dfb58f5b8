package vscdb

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Item puts a row into ItemTable. Cursor stores these as TEXT.
func (d *DB) Item(key string, value []byte) error {
	return d.put("INSERT INTO ItemTable (key, value) VALUES (?, ?)", key, value, true)
}

// KV puts a TEXT row into cursorDiskKV, replacing one of the same key (which
// gives it a new rowid, as in Cursor's own files).
func (d *DB) KV(key string, value []byte) error {
	return d.put("INSERT INTO cursorDiskKV (key, value) VALUES (?, ?)", key, value, true)
}

// KVBlob is KV with storage class BLOB; a nil value becomes NULL, the tombstone
// of a deleted chat.
func (d *DB) KVBlob(key string, value []byte) error {
	return d.put("INSERT INTO cursorDiskKV (key, value) VALUES (?, ?)", key, value, false)
}

// AgentBlob stores agent state under the key agentKv:blob:<sha256> and returns
// the hash.
func (d *DB) AgentBlob(value []byte) ([32]byte, error) {
	id := sha256.Sum256(value)
	return id, d.KVBlob("agentKv:blob:"+hex.EncodeToString(id[:]), value)
}

// Blob stores agent state in a store.db under its sha256 and returns the hash.
func (d *DB) Blob(value []byte) ([32]byte, error) {
	id := sha256.Sum256(value)
	return id, d.put("INSERT OR REPLACE INTO blobs (id, data) VALUES (?, ?)", hex.EncodeToString(id[:]), value, false)
}

// Meta stores the session record of a store.db: hex of JSON under the key "0".
func (d *DB) Meta(json []byte) error {
	return d.put("INSERT INTO meta (key, value) VALUES (?, ?)", "0", []byte(hex.EncodeToString(json)), true)
}

// Head is a row of the composerHeaders table; times are Unix milliseconds.
type Head struct {
	ComposerID, WorkspaceID  string
	CreatedAt, LastUpdatedAt int64
	Archived, Subagent       bool
	JSON                     []byte
}

// Head puts a row into composerHeaders.
func (d *DB) Head(h Head) error {
	stmt := d.conn.Prep("INSERT INTO composerHeaders VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?4, ?4, ?7)")
	stmt.BindText(1, h.ComposerID)
	stmt.BindText(2, h.WorkspaceID)
	stmt.BindInt64(3, h.CreatedAt)
	stmt.BindInt64(4, h.LastUpdatedAt)
	stmt.BindBool(5, h.Archived)
	stmt.BindBool(6, h.Subagent)
	stmt.BindText(7, string(h.JSON))
	return d.step(stmt, h.ComposerID)
}

func (d *DB) put(sql, key string, value []byte, text bool) error {
	stmt := d.conn.Prep(sql)
	stmt.BindText(1, key)
	switch {
	case value == nil:
		stmt.BindNull(2)
	case text:
		stmt.BindText(2, string(value))
	default:
		stmt.BindBytes(2, value)
	}
	return d.step(stmt, key)
}

func (d *DB) step(stmt *sqlite.Stmt, key string) error {
	if _, err := stmt.Step(); err != nil {
		return fmt.Errorf("write row %s: %w", key, err)
	}
	if err := stmt.Reset(); err != nil {
		return fmt.Errorf("write row %s: %w", key, err)
	}
	if err := stmt.ClearBindings(); err != nil {
		return fmt.Errorf("write row %s: %w", key, err)
	}
	if d.pending++; d.pending < batch {
		return nil
	}
	d.pending = 0
	if err := sqlitex.ExecuteTransient(d.conn, "COMMIT", nil); err != nil {
		return err
	}
	return sqlitex.ExecuteTransient(d.conn, "BEGIN", nil)
}
