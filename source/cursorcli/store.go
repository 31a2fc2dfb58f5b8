package cursorcli

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
)

// meta is what a store's meta row says (formats E.2). The row also holds
// blobEncryptionKey; it is not taken out.
type meta struct {
	agentID, root, name, mode, model string
	created                          time.Time
	parent                           string // subagentInfo
}

// parseMeta reads the row's value: hex of JSON, or JSON itself in other builds.
func parseMeta(value []byte) (meta, bool) {
	if raw := make([]byte, hex.DecodedLen(len(value))); len(value) > 0 && value[0] != '{' {
		if _, err := hex.Decode(raw, value); err != nil {
			return meta{}, false
		}
		value = raw
	}
	v, err := jscan.Parse(value)
	if v.Kind() != jscan.Object || errors.Is(err, jscan.ErrSyntax) {
		return meta{}, false
	}
	return meta{
		agentID: v.Get("agentId").Str(), root: v.Get("latestRootBlobId").Str(), name: v.Get("name").Str(),
		mode: v.Get("mode").Str(), model: v.Get("lastUsedModel").Str(),
		created: epoch(v.Get("createdAt")), parent: v.Get("subagentInfo").First("parentAgentId", "rootParentAgentId").Str(),
	}, true
}

// epoch reads a time in milliseconds, or in ISO 8601.
func epoch(v jscan.Value) time.Time {
	if n, ok := v.Int(); ok && n > 0 && n < 253402300800000 {
		return time.UnixMilli(n).UTC()
	}
	return isoTime(v.Str())
}

func isoTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Year() < 1970 { // a date that was never set
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}

// sidecar is meta.json, which newer builds write beside the store (formats E.2).
type sidecar struct {
	found            bool
	cwd, title       string
	created, updated time.Time
	silent           bool // hasConversation is false
}

// readSidecar reads dir/meta.json. A file that is not there is no problem.
func readSidecar(dir string) (sidecar, []retold.Problem) {
	path := filepath.Join(dir, "meta.json")
	b, err := readSmall(path)
	if errors.Is(err, os.ErrNotExist) {
		return sidecar{}, nil
	}
	v, parseErr := jscan.Parse(b)
	if err = errors.Join(err, parseErr); err != nil && v.Kind() != jscan.Object {
		return sidecar{}, []retold.Problem{{Path: path, Kind: retold.ProblemMalformed, Reason: "cannot be read: " + err.Error()}}
	}
	has := v.Get("hasConversation")
	return sidecar{
		found: true, cwd: v.Get("cwd").Str(), title: v.Get("title").Str(), created: epoch(v.Get("createdAtMs")),
		updated: epoch(v.Get("updatedAtMs")), silent: has.Kind() == jscan.Bool && !has.Bool(),
	}, nil
}

// readSmall reads a file that has no business being large.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return b, errors.Join(err, f.Close())
}

// inStore calls fn in one read transaction of a store.
func inStore(ctx context.Context, path string, fn func(*sqlite.Conn) error) error {
	_, err := readStore(ctx, path, fn)
	return err
}

// readStore is inStore that also tells what reading the file cannot show.
func readStore(ctx context.Context, path string, fn func(*sqlite.Conn) error) (note string, err error) {
	db, err := livedb.Open(ctx, path)
	if err != nil {
		return "", err
	}
	err = db.Read(ctx, fn)
	note = db.Note()
	return note, errors.Join(err, db.Close())
}

// errNoTables is a store of which the writer has made only the file.
var errNoTables = errors.New("the store has no tables yet")

// readMeta reads the meta row.
func readMeta(conn *sqlite.Conn) (m meta, problem string, err error) {
	var tables int
	err = sqlitex.ExecuteTransient(conn, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('blobs','meta')",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { tables = s.ColumnInt(0); return nil }})
	if err != nil {
		return meta{}, "", err
	}
	if tables < 2 {
		return meta{}, "", errNoTables
	}
	problem = "the meta row is missing"
	err = sqlitex.ExecuteTransient(conn, "SELECT value FROM meta ORDER BY key = '0' DESC, key LIMIT 1",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			var ok bool
			if m, ok = parseMeta(column(s, 0)); ok {
				problem = ""
			} else {
				problem = "the meta row is not what it should be"
			}
			return nil
		}})
	return m, problem, err
}

// column copies a value's bytes, whatever its storage class; nil for NULL.
func column(s *sqlite.Stmt, col int) []byte {
	if s.ColumnType(col) == sqlite.TypeNull {
		return nil
	}
	b := make([]byte, s.ColumnLen(col))
	s.ColumnBytes(col, b)
	return b
}

// connBlobs finds blobs in an open store.
type connBlobs struct{ conn *sqlite.Conn }

// Blob implements agentstate.Blobs.
func (b connBlobs) Blob(id string) ([]byte, error) {
	stmt, err := b.conn.Prepare("SELECT data FROM blobs WHERE id = ?")
	if err != nil {
		return nil, err
	}
	stmt.BindText(1, id)
	var out []byte
	found, err := stmt.Step()
	if found {
		out = column(stmt, 0)
	}
	return out, errors.Join(err, stmt.Reset())
}

func countBlobs(conn *sqlite.Conn) (n int64, err error) {
	err = sqlitex.ExecuteTransient(conn, "SELECT count(*) FROM blobs",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { n = s.ColumnInt64(0); return nil }})
	return n, err
}

// quoted is text as JSON.
func quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil { // a string always marshals
		return nil
	}
	return b
}
