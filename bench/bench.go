// Package bench makes Cursor histories of any size that weigh and read like
// real ones, so that speed can be measured where nobody's chats are at hand.
//
// The mix follows what has been reported of real databases: per gigabyte about
// 150 sessions of 266 messages, one of them of 2,700; messages of about 9 KB of
// JSON with 60 to 70 members, most of them empty; 23 % of them with text, 17 %
// no longer part of their conversation; and three fifths of the bytes in other
// families (agent state, checkpoints, file contents, request contexts, diffs).
// Rows lie in the file in the order of use, several sessions interleaved. Words
// follow Zipf's law; a few that occur nowhere else mark known places.
package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/retold-history/retold/demo/vscdb"
)

// Options says what to make. Equal options make equal content.
type Options struct {
	Size int64  // bytes of the global state.vscdb; 0 means 1 GiB
	Seed uint64 // of all randomness
	Long int    // messages of one more, very long session of short messages; 0 for none
	Huge int64  // bytes of the text of one more message; 0 for none
}

// Made says what a history holds: what a correct reader must find.
type Made struct {
	CursorUser string            `json:"cursorUser"` // Cursor's User folder
	CursorHome string            `json:"cursorHome"` // ~/.cursor; empty but there
	Database   string            `json:"database"`   // the global state.vscdb
	Seed       uint64            `json:"seed"`
	Bytes      int64             `json:"bytes"`      // of Database
	Sessions   int               `json:"sessions"`   // conversations in which something was said
	Drafts     int               `json:"drafts"`     // composers in which nothing was
	Deleted    int               `json:"deleted"`    // composers of which only a NULL row is left
	Bubbles    int               `json:"bubbles"`    // bubble rows with a value
	Orphans    int               `json:"orphans"`    // those of Bubbles that no header names
	Missing    int               `json:"missing"`    // headers without a row
	Tombstones int               `json:"tombstones"` // bubble rows that are NULL
	WithText   int               `json:"withText"`   // those of Bubbles with a non-empty text
	Typical    Picked            `json:"typical"`    // a session of about 500 messages
	Longest    Picked            `json:"longest"`
	Huge       *Marker           `json:"huge,omitempty"` // where the huge message is
	Families   map[string]Volume `json:"families"`       // cursorDiskKV by key prefix
	Markers    []Marker          `json:"markers"`
}

// BubbleBytes is the bytes of the values of all bubbles.
func (m *Made) BubbleBytes() int64 {
	v := m.Families["bubbleId"]
	return v.Bytes - int64(v.Rows)*int64(len("bubbleId:")+36+len(":")+36)
}

// Picked is a session worth measuring.
type Picked struct {
	ID      string `json:"id"`
	Bubbles int    `json:"bubbles"` // rows of its key range with a value
}

// Volume is the rows of one key family and the bytes of their keys and values.
type Volume struct {
	Rows  int   `json:"rows"`
	Bytes int64 `json:"bytes"`
}

// A Marker is a word that occurs in one message and nowhere else, except in the
// agent's own copy of that message.
type Marker struct {
	Word      string `json:"word"`
	SessionID string `json:"sessionId"`
	BubbleID  string `json:"bubbleId"`
	Where     string `json:"where"` // "user", "assistant", "thinking", "arguments", "result", "orphan", "chinese"
}

// Make writes a history below dir, which must not hold one: config/Cursor/User
// and home/.cursor. It uses a few tens of megabytes of memory whatever the size
// (the longest message excepted).
func Make(ctx context.Context, dir string, o Options) (*Made, error) {
	if o.Size == 0 {
		o.Size = 1 << 30
	}
	made := &Made{
		CursorUser: filepath.Join(dir, "config", "Cursor", "User"),
		CursorHome: filepath.Join(dir, "home", ".cursor"),
		Seed:       o.Seed, Families: map[string]Volume{},
	}
	made.Database = filepath.Join(made.CursorUser, "globalStorage", "state.vscdb")
	if err := os.MkdirAll(made.CursorHome, 0o755); err != nil {
		return nil, err
	}
	db, err := vscdb.Create(ctx, made.Database, vscdb.Headers)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0x7265746f6c64)) //nolint:gosec // made-up text has to be the same every time
	w := &writer{ctx: ctx, db: db, rng: rng, text: newText(rng), made: made, options: o}
	err = w.run()
	if cerr := db.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", made.Database, err)
	}
	info, err := os.Stat(made.Database)
	if err != nil {
		return nil, err
	}
	made.Bytes = info.Size()
	return made, nil
}
