package agentstate

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

type mapBlobs map[string][]byte

func (m mapBlobs) Blob(id string) ([]byte, error) { return m[id], nil }

func TestDump(t *testing.T) {
	if os.Getenv("DUMP") == "" {
		return
	}
	files, _ := filepath.Glob("../../source/cursorcli/testdata/sdk/home/.cursor/*/*/*/store.db")
	for _, f := range files {
		db, err := livedb.Open(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		blobs := mapBlobs{}
		var meta []byte
		db.Read(context.Background(), func(c *sqlite.Conn) error {
			sqlitex.Execute(c, "select value from meta", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { meta, _ = hex.DecodeString(s.ColumnText(0)); return nil }})
			return sqlitex.Execute(c, "select id,data from blobs", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
				b := make([]byte, s.ColumnLen(1))
				s.ColumnBytes(1, b)
				blobs[s.ColumnText(0)] = b
				return nil
			}})
		})
		fmt.Println("=====", f)
		v, _ := jscan.Parse(meta)
		fmt.Println(string(meta))
		root := blobs[v.Get("latestRootBlobId").Str()]
		c, err := Decode(root, blobs, Options{})
		if err != nil {
			fmt.Println("ERR", err)
			continue
		}
		msgs := c.Messages(View{})
		for _, p := range c.Prompts {
			b, _ := json.Marshal(p)
			fmt.Println("  P", string(b))
		}
		for _, p := range c.Archives {
			b, _ := json.Marshal(p)
			fmt.Println("  A", string(b))
		}
		fmt.Printf("  timings %+v mode %v ws %v branch %q plans %v subs %d todos %v files %v pend %v\n", c.Timings, c.Mode, c.Workspaces, c.Branch, c.Plans, len(c.Subagents), c.Todos, c.Files, c.Pending)
		for _, m := range msgs {
			b, _ := json.Marshal(m)
			fmt.Println("  M", string(b))
		}
		for _, m := range c.Problems {
			fmt.Println("  PROBLEM", m)
		}
	}
}
