package backup

import (
	"bytes"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
)

// except takes records, or members of records, out of a database.
func (s *Shot) except(conn *sqlite.Conn, r retold.RowRange) error {
	columns, err := number(conn, "SELECT count(*) FROM pragma_table_info(?) WHERE name IN (?, 'value')", r.Table, r.Column)
	if err != nil {
		return err
	}
	if columns < 2 {
		return nil
	}
	if r.Member != "" {
		return s.blankMembers(conn, r)
	}
	cond, args := where(r)
	out := Excluded{Table: r.Table}
	err = sqlitex.ExecuteTransient(conn, "SELECT "+quote(r.Column)+" FROM "+quote(r.Table)+cond+" ORDER BY 1", &sqlitex.ExecOptions{
		Args:       args,
		ResultFunc: func(stmt *sqlite.Stmt) error { out.Keys = append(out.Keys, stmt.ColumnText(0)); return nil },
	})
	if err != nil || len(out.Keys) == 0 {
		return err
	}
	out.Rows = len(out.Keys)
	s.Excluded = append(s.Excluded, out)
	return sqlitex.ExecuteTransient(conn, "DELETE FROM "+quote(r.Table)+cond, &sqlitex.ExecOptions{Args: args})
}

// blankMembers empties members of JSON records in place: the text keeps its
// length, so that nothing moves.
func (s *Shot) blankMembers(conn *sqlite.Conn, r retold.RowRange) error {
	cond, args := where(r)
	name := r.Member + `"`
	sql := "SELECT rowid, value, typeof(value) FROM " + quote(r.Table) + cond + join(cond) + "(instr(value, ?) > 0 OR instr(value, ?) > 0)"
	args = append(args, name, hex.EncodeToString([]byte(name)))
	type change struct {
		row   int64
		value []byte
		text  bool
	}
	var changes []change
	members := map[string]bool{}
	err := sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
		value := make([]byte, stmt.ColumnLen(1))
		stmt.ColumnBytes(1, value)
		if found := blankAny(value, r.Member); len(found) > 0 {
			changes = append(changes, change{stmt.ColumnInt64(0), value, stmt.ColumnText(2) == "text"})
			for _, m := range found {
				members[m] = true
			}
		}
		return nil
	}})
	if err != nil || len(changes) == 0 {
		return err
	}
	for _, c := range changes {
		var value any = c.value
		if c.text {
			value = string(c.value)
		}
		err := sqlitex.Execute(conn, "UPDATE "+quote(r.Table)+" SET value = ? WHERE rowid = ?", &sqlitex.ExecOptions{Args: []any{value, c.row}})
		if err != nil {
			return err
		}
	}
	s.Excluded = append(s.Excluded, Excluded{Table: r.Table, Keys: []string{r.From + "*"}, Members: slices.Sorted(maps.Keys(members)), Rows: len(changes)})
	return nil
}

func join(where string) string {
	if where == "" {
		return " WHERE "
	}
	return " AND "
}

// where is the condition that chooses the records of r.
func where(r retold.RowRange) (sql string, args []any) {
	key := quote(r.Column)
	add := func(condition string, values ...any) {
		sql += join(sql) + condition
		args = append(args, values...)
	}
	if r.From != "" {
		add(key+" >= ?", r.From)
	}
	if r.To != "" {
		add(key+" < ?", r.To)
	}
	if r.Suffix != "" {
		add("substr("+key+", -length(?)) = ?", r.Suffix, r.Suffix)
	}
	return sql, args
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// blankAny blanks the members of a JSON text, or of the hex of one, and returns
// their names.
func blankAny(value []byte, suffix string) []string {
	found := blank(value, suffix)
	if len(found) == 0 && len(value)%2 == 0 {
		plain := make([]byte, len(value)/2)
		if _, err := hex.Decode(plain, value); err == nil {
			if found = blank(plain, suffix); len(found) > 0 {
				hex.Encode(value, plain)
			}
		}
	}
	return found
}

// blank empties every string that is the value of a member whose name ends in
// suffix, at any depth: "" and spaces take its place, which JSON does not mind. A
// quoted text that is followed by a colon is a name and nothing else; inside a
// string its quote would be escaped.
func blank(text []byte, suffix string) (found []string) {
	end := []byte(suffix + `"`)
	for at := 0; ; {
		i := bytes.Index(text[at:], end)
		if i < 0 {
			return found
		}
		start := bytes.LastIndexByte(text[:at+i], '"') + 1
		name := string(text[start : at+i+len(suffix)])
		at += i + len(end)
		from, to, ok := stringAfterColon(text, at)
		if !ok || to-from <= 2 {
			continue
		}
		for j := from + 1; j < to; j++ {
			text[j] = ' '
		}
		text[from+1] = '"'
		found = append(found, name)
		at = to
	}
}

// stringAfterColon returns where the string begins and ends that follows a colon
// at i.
func stringAfterColon(text []byte, i int) (from, to int, ok bool) {
	space := func() {
		for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			i++
		}
	}
	space()
	if i >= len(text) || text[i] != ':' {
		return 0, 0, false
	}
	i++
	space()
	if i >= len(text) || text[i] != '"' {
		return 0, 0, false
	}
	for to = i + 1; to < len(text); to++ {
		switch text[to] {
		case '\\':
			to++
		case '"':
			return i, to + 1, true
		}
	}
	return 0, 0, false
}
