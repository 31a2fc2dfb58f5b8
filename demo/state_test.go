package demo_test

import (
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// blobs is the blobs table of a store.db.
type blobs map[string][]byte

func (b blobs) Blob(id string) ([]byte, error) { return b[id], nil }

// Every store.db decodes as the reader of Cursor's own files decodes it, with
// nothing missing.
func TestStatesDecode(t *testing.T) {
	home, _ := made(t)
	said := map[string]int{}
	kinds := map[retold.ToolKind]int{}
	for _, db := range databases(t, home.CursorHome) {
		store := blobs{}
		for _, row := range rows(t, db, `SELECT id || ' ' || hex(data) FROM blobs`) {
			id, value, _ := strings.Cut(row, " ")
			data, err := hex.DecodeString(value)
			if err != nil {
				t.Fatal(err)
			}
			store[id] = data
		}
		meta, err := hex.DecodeString(rows(t, db, `SELECT value FROM meta`)[0])
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ Name, LatestRootBlobID string }
		if err := json.Unmarshal(meta, &m); err != nil {
			t.Fatal(err)
		}
		c, err := agentstate.Decode(store[m.LatestRootBlobID], store, agentstate.Options{})
		if err != nil {
			t.Fatalf("%s: %v", filepath.Base(filepath.Dir(db)), err)
		}
		for _, p := range c.Problems {
			t.Errorf("%s: %+v", m.Name, p)
		}
		said[m.Name] = len(c.Turns)
		if m.Name == "Release notes for 2.4" && len(c.Subagents) != 1 {
			t.Errorf("%s: %d sub-agents, want 1", m.Name, len(c.Subagents))
		}
		for _, message := range c.Messages(agentstate.View{}) {
			if message.Tool != nil {
				kinds[message.Tool.Kind]++
			}
		}
	}
	for name, turns := range map[string]int{
		"Release notes for 2.4": 3, "See which of these change what people see": 1, "Lint warnings in the build log": 1,
		"New Agent": 1, "Document the grammar from the parser": 1,
	} {
		if said[name] != turns {
			t.Errorf("%q has %d turns, want %d", name, said[name], turns)
		}
	}
	for _, kind := range []retold.ToolKind{retold.ToolShell, retold.ToolEdit, retold.ToolRead, retold.ToolTask} {
		if kinds[kind] == 0 {
			t.Errorf("no tool call of kind %s: %v", kind, kinds)
		}
	}
}
