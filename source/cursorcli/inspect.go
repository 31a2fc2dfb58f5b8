package cursorcli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
)

// plain is the Access of files that are no databases.
const plain = "plain"

// Inspect accounts for every row of every store, for every line of every
// transcript and for the side files.
func (s *Source) Inspect(ctx context.Context, p retold.Place) ([]retold.Inventory, error) {
	c := scan(ctx, p)
	var all []retold.Inventory
	indexes := map[string]bool{}
	for _, id := range c.ids() {
		r := c.records[id]
		for _, ref := range r.stores {
			if ref.lines {
				all = append(all, c.inspectLines(ctx, ref.dir, indexes)...)
				continue
			}
			if exists(ref.db()) {
				all = append(all, inspectDB(ctx, ref.db(), ref))
			}
			if side := filepath.Join(ref.dir, "meta.json"); exists(side) && !ref.astray {
				_, problems := ref.sidecar()
				all = append(all, inspectFile(side, "meta.json", problems))
			}
			if ref.sdk != nil && !indexes[ref.sdk.index] {
				indexes[ref.sdk.index] = true
				all = append(all, inspectDB(ctx, ref.sdk.index, nil))
			}
		}
		for _, t := range r.transcripts {
			all = append(all, inspectTranscript(ctx, t.path))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, err := range c.faults {
		all = append(all, retold.Inventory{
			Path: p.Path, Access: plain,
			Problems: []retold.Problem{{Path: p.Path, Kind: retold.ProblemUnreadable, Reason: err.Error()}},
		})
	}
	return all, nil
}

func inspectFile(path, name string, problems []retold.Problem) retold.Inventory {
	inv := retold.Inventory{Path: path, Access: plain, FileBytes: sizeOf(path), Problems: problems}
	f := retold.Family{Name: name, Table: "file", Known: true, Rows: 1, Bytes: inv.FileBytes, Shown: 1}
	if len(problems) > 0 {
		f.Malformed, f.Shown = 1, 0
	}
	inv.Families = []retold.Family{f}
	return inv
}

// inspectLines accounts for the files of a line-JSON store, once.
func (c *catalog) inspectLines(ctx context.Context, dir string, done map[string]bool) []retold.Inventory {
	if done[dir] {
		return nil
	}
	done[dir] = true
	var all []retold.Inventory
	for _, name := range []string{ndAgents, ndRuns, "run_events.ndjson", ndCheckpoints} {
		path := filepath.Join(dir, name)
		if !exists(path) {
			continue
		}
		rows := int64(0)
		bad, err := lines(ctx, path, func(jscan.Value) { rows++ })
		inv := inspectFile(path, name, nil)
		f := &inv.Families[0]
		f.Rows, f.Shown, f.Malformed = rows+int64(bad), rows, int64(bad)
		if err != nil {
			inv.Problems = []retold.Problem{unreadable(path, err)}
		}
		all = append(all, inv)
	}
	return all
}

func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil { // gone since it was listed
		return 0
	}
	return info.Size()
}

// inspectTranscript counts lines by kind; the encodings that are one document
// count as one family.
func inspectTranscript(ctx context.Context, path string) retold.Inventory {
	inv := retold.Inventory{Path: path, Access: plain, FileBytes: sizeOf(path)}
	t, err := readTranscript(ctx, path)
	if err != nil {
		inv.Overhead = inv.FileBytes
		inv.Problems = []retold.Problem{unreadable(path, err)}
		return inv
	}
	inv.Problems = t.problems
	table := strings.TrimPrefix(filepath.Ext(path), ".")
	if table != "jsonl" {
		f := retold.Family{Name: "transcript", Table: table, Known: true, Rows: int64(len(t.messages)), Shown: int64(len(t.messages)), Bytes: inv.FileBytes}
		f.Malformed = int64(t.lines["malformed"])
		inv.Families = []retold.Family{f}
		return inv
	}
	for _, kind := range slices.Sorted(mapKeys(t.lines)) {
		f := retold.Family{Name: kind, Table: "lines", Known: kind != "unknown", Rows: int64(t.lines[kind]), Bytes: t.bytes[kind]}
		switch kind {
		case "malformed":
			f.Malformed = f.Rows
		case "unknown":
			f.Shown = int64(t.odd)
		default:
			f.Shown = f.Rows
		}
		inv.Families = append(inv.Families, f)
		inv.Overhead -= f.Bytes
	}
	inv.Overhead += inv.FileBytes
	return inv
}

func mapKeys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// inspectDB accounts for the tables of a store (ref) or of an SDK index (nil).
func inspectDB(ctx context.Context, path string, ref *storeRef) retold.Inventory {
	inv := retold.Inventory{Path: path, FileBytes: sizeOf(path) + sizeOf(path+"-wal"), WALBytes: sizeOf(path + "-wal")}
	db, err := livedb.Open(ctx, path)
	if err == nil {
		base := inv
		err = db.Read(ctx, func(conn *sqlite.Conn) error {
			inv = base
			return takeTables(conn, &inv, ref)
		})
		inv.Access = db.Access()
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		inv.Families = nil
		inv.Problems = append(inv.Problems, unreadable(path, err))
	}
	inv.Overhead = inv.FileBytes
	for _, f := range inv.Families {
		inv.Overhead -= f.Bytes
	}
	return inv
}

func takeTables(conn *sqlite.Conn, inv *retold.Inventory, ref *storeRef) error {
	var tables []string
	err := sqlitex.ExecuteTransient(conn, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error { tables = append(tables, s.ColumnText(0)); return nil }})
	if err != nil {
		return err
	}
	var free, page int64
	for pragma, into := range map[string]*int64{"freelist_count": &free, "page_size": &page} {
		err := sqlitex.ExecuteTransient(conn, "PRAGMA "+pragma, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			*into = s.ColumnInt64(0)
			return nil
		}})
		if err != nil {
			return err
		}
	}
	inv.FreeBytes = free * page
	for _, table := range tables {
		if table == "blobs" && ref != nil {
			err = takeBlobs(conn, inv, ref)
		} else {
			err = takeTable(conn, inv, table)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// knownTables are those of stores and of SDK indexes.
var knownTables = []string{"meta", "agents", "runs", "run_events"}

// takeTable measures a table's values without reading them.
func takeTable(conn *sqlite.Conn, inv *retold.Inventory, table string) error {
	f := retold.Family{Name: table, Table: table, Known: slices.Contains(knownTables, table)}
	name := `"` + strings.ReplaceAll(table, `"`, `""`) + `"`
	err := sqlitex.ExecuteTransient(conn, "SELECT * FROM "+name, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		f.Rows++
		for col := range s.ColumnCount() {
			f.Bytes += int64(s.ColumnLen(col))
		}
		if table == "meta" {
			if _, ok := parseMeta(column(s, 1)); !ok && s.ColumnText(0) == "0" {
				f.Malformed++
				inv.Problems = append(inv.Problems, retold.Problem{Path: inv.Path, Key: "meta", Kind: retold.ProblemMalformed, Reason: "the meta row is not what it should be"})
			}
		}
		return nil
	}})
	if f.Known {
		f.Shown = f.Rows - f.Malformed
	}
	inv.Families = append(inv.Families, f)
	return err
}

// takeBlobs tells blobs that the newest state reaches from those of earlier
// states, and checks every blob against its id.
func takeBlobs(conn *sqlite.Conn, inv *retold.Inventory, ref *storeRef) error {
	reached, err := reachedBlobs(conn, inv, ref)
	if err != nil {
		return err
	}
	in := retold.Family{Name: "blobs (reachable)", Table: "blobs", Known: true}
	out := retold.Family{Name: "blobs (unreachable)", Table: "blobs", Known: true}
	err = sqlitex.ExecuteTransient(conn, "SELECT id, data FROM blobs", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		id, data := s.ColumnText(0), column(s, 1)
		f := &out
		if reached[id] {
			f = &in
		}
		f.Rows++
		f.Bytes += int64(len(id) + len(data))
		if data == nil {
			f.Tombstones++
		} else if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != id {
			f.Malformed++
			if len(inv.Problems) < 100 {
				inv.Problems = append(inv.Problems, retold.Problem{Path: inv.Path, Key: id, Kind: retold.ProblemMalformed, Reason: "the blob is not what its id says (sha256)"})
			}
		}
		return nil
	}})
	in.Shown = in.Rows - in.Tombstones
	out.Orphans = out.Rows
	inv.Families = append(inv.Families, in, out)
	return err
}

func reachedBlobs(conn *sqlite.Conn, inv *retold.Inventory, ref *storeRef) (map[string]bool, error) {
	m, _, err := readMeta(conn)
	if errors.Is(err, errNoTables) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	root := m.root
	if root == "" && ref.sdk != nil {
		root = ref.sdk.root
	}
	blobs := connBlobs{conn}
	state, err := blobs.Blob(root)
	if err != nil || state == nil {
		return nil, err
	}
	c, err := agentstate.Decode(state, blobs, agentstate.Options{})
	if errors.Is(err, agentstate.ErrNotState) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the state: %w", err)
	}
	c.Reached[root] = true
	for _, f := range c.Problems {
		f.Path = inv.Path
		inv.Problems = append(inv.Problems, f)
	}
	return c.Reached, nil
}
