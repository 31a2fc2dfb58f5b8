package cursor

import (
	"context"
	"errors"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
)

// loadLists reads the lists of one database that serves the whole installation.
func (g *catalog) loadLists(ctx context.Context, db *livedb.DB, global bool) error {
	if note := db.Note(); note != "" {
		g.trouble(db.Path(), "", retold.ProblemUnreadable, errors.New(note))
	}
	var t tables
	var heads []composer
	var items map[string]row
	err := db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		if t, err = findTables(conn); err != nil || g.brief {
			return err
		}
		if t.heads {
			if heads, err = g.tableHeads(conn); err != nil {
				return err
			}
		}
		if t.items {
			items, err = get(conn, "ItemTable", keyHeaders, keyProjects, keyMembership)
		}
		return err
	})
	if err != nil {
		return err
	}
	if global {
		g.tables = t
	}
	g.addHeads(heads)
	g.addItems(db.Path(), items)
	return nil
}

// tableHeads reads the composerHeaders table (formats D.1), or the one row that
// is wanted.
func (g *catalog) tableHeads(conn *sqlite.Conn) ([]composer, error) {
	if g.only != "" {
		return tableHeads(conn, " WHERE composerId = ?", g.only)
	}
	return tableHeads(conn, "")
}

func tableHeads(conn *sqlite.Conn, where string, args ...any) (heads []composer, err error) {
	err = sqlitex.Execute(conn, "SELECT * FROM composerHeaders"+where, &sqlitex.ExecOptions{
		Args: args,
		ResultFunc: func(s *sqlite.Stmt) error {
			heads = append(heads, tableHead(s))
			return nil
		},
	})
	return heads, err
}

// tableHead reads one row by the names of its columns; builds may add some.
func tableHead(s *sqlite.Stmt) composer {
	v, err := jscan.Parse([]byte(s.GetText("value")))
	head := composer{}
	if err == nil || errors.Is(err, jscan.ErrTruncated) { // the columns say the rest
		head = decodeComposer(v)
	}
	head.id = s.GetText("composerId")
	col := func(name string) jscan.Value { return jscan.Value(s.GetText(name)) }
	row := composer{
		created: parseTime(col("createdAt")), updated: parseTime(col("lastUpdatedAt")), checkpoint: parseTime(col("checkpointAt")),
		subagent: s.GetInt64("isSubagent") != 0,
	}
	if flag, ok := col("isArchived").Int(); ok {
		archived := flag != 0
		row.archived = &archived
	}
	row.place.workspaceID = s.GetText("workspaceId")
	head = head.merge(row)
	head.release()
	head.sum = rowSum(s)
	return head
}

// addHeads merges a list into what stronger lists said.
func (g *catalog) addHeads(heads []composer) {
	for _, h := range heads {
		c := g.chat(h.id)
		if c == nil {
			continue
		}
		c.meta = c.meta.merge(h)
		if c.headID == "" {
			c.headID = h.place.workspaceID
		}
		if c.headPlace.Path == "" {
			c.headPlace = explicitPlace(h.place)
		}
	}
}

func (g *catalog) addItems(path string, items map[string]row) {
	parse := func(key string) jscan.Value {
		r, ok := items[key]
		if !ok || len(r.value) == 0 {
			return nil
		}
		v, err := jscan.Parse(r.value)
		if err != nil {
			g.trouble(path, key, retold.ProblemMalformed, err)
		}
		return v
	}
	var heads []composer
	for h := range parse(keyHeaders).Get("allComposers").Items() {
		head := decodeComposer(h)
		head.release()
		heads = append(heads, head)
	}
	g.addHeads(heads)
	for p := range parse(keyProjects).Items() {
		g.projects[p.Get("id").Str()] = project(p)
	}
	for id, member := range parse(keyMembership).Members() {
		if g.chat(string(id)) != nil {
			g.members[string(id)] = member.Str()
		}
	}
}
