package cursor

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
)

// Inspect accounts for every row of every database of a User folder. It reads
// all conversation records to find malformed ones; of other records only the
// lengths.
func (s *Source) Inspect(ctx context.Context, place retold.Place) ([]retold.Inventory, error) {
	dirs, err := workspaceDirs(place.Path)
	if err != nil {
		return nil, err
	}
	paths := append([]string{globalDB(place.Path)}, profileDBs(place.Path)...)
	for _, dir := range dirs {
		paths = append(paths, (&workspace{dir: dir}).db())
	}
	var all []retold.Inventory
	for _, path := range paths {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		found, err := inspectFile(ctx, path)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all = append(all, found)
		if err == nil || path != globalDB(place.Path) {
			continue
		}
		if _, statErr := os.Stat(path + ".backup"); statErr == nil { // it stands in for the damaged one
			found, _ := inspectFile(ctx, path+".backup") // its error is a problem in it
			all = append(all, found)
		}
	}
	return all, nil
}

// inspectFile takes the inventory of one file; an error is also in its problems.
func inspectFile(ctx context.Context, path string) (retold.Inventory, error) {
	i := inspector{families: map[string]*retold.Family{}, versions: map[[2]string]int64{}}
	i.Path = path
	err := i.run(ctx)
	if err != nil {
		i.trouble("", retold.ProblemUnreadable, err)
	}
	if i.Access == "" {
		i.Access = "unreadable"
	}
	return i.result(), err
}

// An inspector takes the inventory of one database.
type inspector struct {
	retold.Inventory
	families map[string]*retold.Family
	versions map[[2]string]int64
	db       *livedb.DB
}

func (i *inspector) trouble(key, kind string, err error) {
	i.Problems = append(i.Problems, retold.Problem{Path: i.Path, Key: key, Kind: kind, Reason: reason(err)})
}

func (i *inspector) family(table, name string, known bool) *retold.Family {
	f := i.families[table+"/"+name]
	if f == nil {
		f = &retold.Family{Name: name, Table: table, Known: known}
		i.families[table+"/"+name] = f
	}
	return f
}

func (i *inspector) run(ctx context.Context) (err error) {
	i.weigh()
	if i.db, err = livedb.Open(ctx, i.Path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.db.Close()) }()
	i.Access = i.db.Access()
	var t tables
	err = i.db.Read(ctx, func(conn *sqlite.Conn) error {
		if t, err = findTables(conn); err != nil {
			return err
		}
		return sqlitex.Execute(conn, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size", &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error { i.FreeBytes = s.ColumnInt64(0); return nil },
		})
	})
	if err == nil && t.items {
		err = i.measure(ctx, "ItemTable", func(key string) (string, bool) { return itemFamily(key), true })
	}
	if err == nil && t.disk {
		err = i.measure(ctx, "cursorDiskKV", familyOf)
	}
	if err == nil && t.heads {
		err = i.measureHeads(ctx)
	}
	if err == nil && t.disk {
		err = i.readRecords(ctx)
	}
	return err
}

// weigh adds up the file and its log.
func (i *inspector) weigh() {
	for _, suffix := range []string{"", "-wal"} {
		if info, statErr := os.Stat(i.Path + suffix); statErr == nil {
			i.FileBytes += info.Size()
			if suffix != "" {
				i.WALBytes = info.Size()
			}
		}
	}
}

// Rows measured in one transaction.
const measurePage = 20_000

// measure counts rows and bytes by family. octet_length reads no value.
func (i *inspector) measure(ctx context.Context, table string, name func(string) (string, bool)) error {
	type sized struct {
		key   string
		bytes int64
		null  bool
	}
	from, more := "", true
	above := ">=" // the empty key is one, too
	for more {
		var page []sized
		err := i.db.Read(ctx, func(conn *sqlite.Conn) error {
			page = page[:0]
			return sqlitex.Execute(conn, "SELECT key, octet_length(key) + coalesce(octet_length(value), 0), value IS NULL FROM "+table+" WHERE key "+above+" ? ORDER BY key LIMIT ?",
				&sqlitex.ExecOptions{Args: []any{from, measurePage}, ResultFunc: func(s *sqlite.Stmt) error {
					page = append(page, sized{s.ColumnText(0), s.ColumnInt64(1), s.ColumnBool(2)})
					return nil
				}})
		})
		if err != nil {
			return err
		}
		for _, r := range page {
			family, known := name(r.key)
			f := i.family(table, family, known)
			f.Rows++
			f.Bytes += r.bytes
			if r.null {
				f.Tombstones++
			}
		}
		if more = len(page) == measurePage; more {
			from, above = page[len(page)-1].key, ">"
		}
	}
	return nil
}

func (i *inspector) measureHeads(ctx context.Context) error {
	return i.db.Read(ctx, func(conn *sqlite.Conn) error {
		f := i.family("composerHeaders", "composerHeaders", true)
		return sqlitex.Execute(conn, "SELECT count(*), coalesce(sum(octet_length(composerId) + coalesce(octet_length(value), 0)), 0) FROM composerHeaders", &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error {
				f.Rows, f.Bytes, f.Shown = s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(0)
				return nil
			},
		})
	})
}

// readRecords reads the conversation records: what is shown, what is damaged,
// which versions wrote them.
func (i *inspector) readRecords(ctx context.Context) error {
	composers := i.family("cursorDiskKV", "composerData", true)
	err := scan(ctx, i.db, "cursorDiskKV", "composerData:", 64, func(r row) error {
		c := chat{id: r.key[len("composerData:"):]}
		full, ok := c.take(i.Path, r)
		i.Problems = append(i.Problems, c.problems...)
		if ok {
			i.versions[[2]string{"composerData", full.v}]++
		}
		switch {
		case c.tombstone && !r.null: // NULLs were counted with the sizes
			composers.Tombstones++
		case c.tombstone:
		case slices.ContainsFunc(c.problems, func(p retold.Problem) bool { return p.Kind == retold.ProblemMalformed }):
			composers.Malformed++
		case c.empty():
			return i.judgeBare(ctx, composers, c.id)
		default:
			composers.Shown++
		}
		return nil
	})
	if err != nil {
		return err
	}
	var o *membership
	bubbles := i.family("cursorDiskKV", "bubbleId", true)
	return scan(ctx, i.db, "cursorDiskKV", "bubbleId:", 256, func(r row) error {
		id, ok := ownerOf(r.key)
		if o == nil || o.id != id {
			if o, err = i.membership(ctx, id, ok); err != nil {
				return err
			}
		}
		i.judge(bubbles, r, o)
		return nil
	})
}

// judgeBare counts a record without an order: its conversation may be bubbles or
// an agent's state all the same.
func (i *inspector) judgeBare(ctx context.Context, f *retold.Family, id string) error {
	var o owned
	err := i.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		g := catalog{only: id}
		o, err = g.owns(conn)
		return err
	})
	if len(o.bubbles)+len(o.states)+len(o.clouds) > 0 {
		f.Shown++
	} else {
		f.Empty++
	}
	return err
}

// A membership tells which bubbles of a conversation are part of it.
type membership struct {
	id     string
	listed func(bubbleID string) bool
	early  map[string]jscan.Value // tools that the record keeps for its bubbles
}

func (i *inspector) membership(ctx context.Context, id string, ok bool) (*membership, error) {
	m := &membership{id: id, listed: func(string) bool { return false }}
	if !ok {
		return m, nil
	}
	var found map[string]row
	key := "composerData:" + id
	err := i.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		found, err = get(conn, "cursorDiskKV", key)
		return err
	})
	if retold.CodeOf(err) == retold.CodeDatabaseCorrupt { // told when the composers were read
		return m, nil
	}
	c := chat{id: id}
	if full, ok := c.take(i.Path, found[key]); ok {
		o := full.order(true)
		m.listed, m.early = o.lists(), earlyTools(&full)
	}
	return m, err
}

// judge counts one bubble.
func (i *inspector) judge(f *retold.Family, r row, o *membership) {
	v, err := jscan.Parse(r.value)
	if r.err != nil {
		err = r.err
	}
	switch {
	case r.null: // counted with the sizes
		return
	case errors.Is(err, jscan.ErrEmpty), err == nil && v.Kind() == jscan.Null:
		f.Tombstones++
		return
	case err != nil || v.Kind() != jscan.Object:
		f.Malformed++
		i.trouble(r.key, retold.ProblemMalformed, cmp.Or(err, errors.New("not a JSON object")))
		return
	}
	b := decodeBubble(v)
	i.versions[[2]string{"bubbleId", b.v}]++
	bubbleID := r.key[strings.LastIndexByte(r.key, ':')+1:]
	switch {
	case len(b.parts()) == 0 && !isTool(o.early[bubbleID]):
		f.Empty++
	case o.listed(bubbleID):
		f.Shown++
	default:
		f.Orphans++
	}
}

func (i *inspector) result() retold.Inventory {
	i.Overhead = i.FileBytes
	for _, f := range i.families {
		i.Families = append(i.Families, *f)
		i.Overhead -= f.Bytes
	}
	slices.SortFunc(i.Families, func(a, b retold.Family) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Name, b.Name))
	})
	for v, n := range i.versions {
		i.Versions = append(i.Versions, retold.Version{Family: v[0], V: v[1], Rows: n, Known: knownVersions[v[0]][v[1]]})
	}
	slices.SortFunc(i.Versions, func(a, b retold.Version) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(len(a.V), len(b.V)), cmp.Compare(a.V, b.V))
	})
	return i.Inventory
}
