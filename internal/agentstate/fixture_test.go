package agentstate_test

import (
	"encoding/hex"
	"path/filepath"
	"slices"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/livedb"
)

// Stores that Cursor's own code wrote (source/cursorcli/testdata/sdk).
const (
	fixtures = "../../source/cursorcli/testdata/sdk"
	fixtureB = "home/.cursor/chats/dc93260e7ba3d7ea61f23146f5624e86/ae4f281d-f5a5-40ff-acad-6371f76d5c29/store.db"
	rootB    = "58ae3a9a6b7fbb185744a26b0e61cba57c647f9cbd10100f92d4d6c0717edfba"
)

// blobMap holds a store's blobs.
type blobMap map[string][]byte

func (m blobMap) Blob(id string) ([]byte, error) { return m[id], nil }

func fixture(t testing.TB, name string) blobMap {
	t.Helper()
	ctx := t.Context()
	db, err := livedb.Open(ctx, filepath.Join(fixtures, name))
	if err != nil {
		t.Fatal(err)
	}
	blobs := blobMap{}
	err = db.Read(ctx, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, "SELECT id, hex(data) FROM blobs", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			b, err := hex.DecodeString(s.ColumnText(1))
			blobs[s.ColumnText(0)] = b
			return err
		}})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return blobs
}

func decodeB(t testing.TB) *agentstate.Conversation {
	t.Helper()
	blobs := fixture(t, fixtureB)
	c, err := agentstate.Decode(blobs[rootB], blobs, agentstate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// toolSteps returns the bytes of every ToolCall of fixture B, in no promised order.
func toolSteps(t testing.TB) [][]byte {
	t.Helper()
	var out [][]byte
	for _, b := range fixture(t, fixtureB) {
		if len(b) < 4 || b[0] != 0x12 { // a ConversationStep that holds a tool call
			continue
		}
		c, err := agentstate.DecodeToolCall(b[2:])
		if c != nil && err == nil {
			out = append(out, b[2:])
		}
		if c, err = agentstate.DecodeToolCall(b[3:]); c != nil && err == nil {
			out = append(out, b[3:])
		}
	}
	slices.SortFunc(out, slices.Compare)
	return out
}
