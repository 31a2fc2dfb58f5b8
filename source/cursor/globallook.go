package cursor

import (
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/internal/jscan"
)

// A globalLook is what the global database says at one moment without any of its
// messages: the marks, and what tells which conversations they concern.
type globalLook struct {
	marks   marks
	records map[string]int64  // rowid of composerData, by conversation
	states  map[string]uint64 // sum of the rowids that lead to its agent state
	tabled  map[string]uint64 // sum of its row in composerHeaders
	listed  map[string]uint64 // sum of its entries in ItemTable; nil when nothing moved there
	fresh   []string          // conversations that rows above the last highest rowid belong to
	guarded bool              // the row that had the highest rowid is still there
	flood   bool              // too many new rows to look at each
}

// The most new rows that are looked at one by one; listing all keys is cheaper
// from there on.
const maxFresh = 50_000

// look reads it in one transaction. old are the marks of the look before, or nil;
// what they show to be as it was is not read again.
func (l *globalLook) look(conn *sqlite.Conn, old *marks) error {
	*l = globalLook{records: map[string]int64{}, states: map[string]uint64{}, tabled: map[string]uint64{}}
	t, err := findTables(conn)
	if err != nil {
		return err
	}
	err = sqlitex.Execute(conn, "PRAGMA schema_version", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { l.marks.schema = s.ColumnInt64(0); return nil },
	})
	if err != nil {
		return err
	}
	if t.disk {
		if err := l.lookDisk(conn, old); err != nil {
			return err
		}
	}
	if t.items {
		if err := l.lookItems(conn, old); err != nil {
			return err
		}
	}
	if t.heads {
		return l.lookHeads(conn)
	}
	return nil
}

func (l *globalLook) lookDisk(conn *sqlite.Conn, old *marks) error {
	records, err := keys(conn, "composerData:")
	if err != nil {
		return err
	}
	for _, r := range records {
		l.records[strings.TrimPrefix(r.key, "composerData:")] = r.rowid
	}
	states, err := keys(conn, checkpointPrefix)
	if err != nil {
		return err
	}
	for _, r := range states {
		l.states[strings.TrimPrefix(r.key, checkpointPrefix)] += hashNumber(1, r.rowid)
	}
	clouds, err := keys(conn, "bc-")
	if err != nil {
		return err
	}
	for _, r := range clouds {
		if id, ok := strings.CutSuffix(r.key, cloudSuffix); ok {
			l.states[id] += hashNumber(2, r.rowid)
		}
	}
	err = sqlitex.Execute(conn, "SELECT rowid, key FROM cursorDiskKV NOT INDEXED ORDER BY rowid DESC LIMIT 1", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			l.marks.row, l.marks.key = s.ColumnInt64(0), hashText(0, s.ColumnText(1))
			return nil
		},
	})
	if err != nil || old == nil {
		return err
	}
	return l.lookFresh(conn, old)
}

// lookFresh reads the keys of the rows that were written since: one that is
// written again gets a new rowid, above all others. The table is read in its own
// order, as the planner would take the keys' index otherwise.
func (l *globalLook) lookFresh(conn *sqlite.Conn, old *marks) error {
	l.guarded = old.row == 0
	if l.marks.row-old.row > maxFresh {
		l.flood = true
		return nil
	}
	seen := map[string]bool{}
	return sqlitex.Execute(conn, "SELECT rowid, key FROM cursorDiskKV NOT INDEXED WHERE rowid >= ? ORDER BY rowid", &sqlitex.ExecOptions{
		Args: []any{old.row},
		ResultFunc: func(s *sqlite.Stmt) error {
			key := s.ColumnText(1)
			if s.ColumnInt64(0) == old.row {
				l.guarded = hashText(0, key) == old.key
				return nil
			}
			if id, ok := rowOwner(key); ok && !seen[id] {
				seen[id] = true
				l.fresh = append(l.fresh, id)
			}
			return nil
		},
	})
}

// rowFamilies are the records of a conversation beside its composerData that its
// header or its messages are made of; their keys go on with its id, a colon and
// one of their own.
var rowFamilies = []string{"bubbleId:", "messageRequestContext:", "checkpointId:", "codeBlockDiff:"}

func rowOwner(key string) (id string, ok bool) {
	for _, family := range rowFamilies {
		if rest, found := strings.CutPrefix(key, family); found {
			if i := strings.LastIndexByte(rest, ':'); i >= 0 {
				return rest[:i], true
			}
			return "", false
		}
	}
	return "", false
}

func (l *globalLook) lookItems(conn *sqlite.Conn, old *marks) error {
	err := sqlitex.Execute(conn, "SELECT max(rowid), count(*) FROM ItemTable", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			l.marks.item, l.marks.items = s.ColumnInt64(0), s.ColumnInt64(1)
			return nil
		},
	})
	for _, key := range []string{keyHeaders, keyProjects, keyMembership} {
		if err != nil {
			return err
		}
		err = sqlitex.Execute(conn, "SELECT rowid, octet_length(value) FROM ItemTable WHERE key = ?", &sqlitex.ExecOptions{
			Args: []any{key},
			ResultFunc: func(s *sqlite.Stmt) error {
				l.marks.lists = hashNumber(hashNumber(hashText(l.marks.lists, key), s.ColumnInt64(0)), s.ColumnInt64(1))
				return nil
			},
		})
	}
	if err != nil {
		return err
	}
	if old != nil && old.lists == l.marks.lists {
		l.marks.tie = old.tie
		return nil
	}
	items, err := get(conn, "ItemTable", keyHeaders, keyProjects, keyMembership)
	if err != nil {
		return err
	}
	l.listed = map[string]uint64{}
	v, parseErr := jscan.Parse(items[keyHeaders].value)
	for head := range v.Get("allComposers").Items() {
		l.listed[head.Get("composerId").Text()] += hash64(3, head)
	}
	l.marks.tie = hash64(hash64(0, items[keyProjects].value), items[keyMembership].value)
	if parseErr != nil { // no part of it can be told from another then
		l.marks.tie = hash64(l.marks.tie, items[keyHeaders].value)
	}
	return nil
}

// lookHeads sums up the rows of composerHeaders, whatever columns a build gave it.
func (l *globalLook) lookHeads(conn *sqlite.Conn) error {
	return sqlitex.Execute(conn, "SELECT * FROM composerHeaders", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			sum := rowSum(s)
			l.tabled[s.GetText("composerId")] += sum
			l.marks.table += sum
			return nil
		},
	})
}

// rowSum is a hash of all columns of a row.
func rowSum(s *sqlite.Stmt) (sum uint64) {
	var b []byte
	for i := range s.ColumnCount() {
		b = append(b[:0], byte(s.ColumnType(i))) //nolint:gosec // one of five
		b = append(b, column(s, i)...)
		sum = hash64(sum, b)
	}
	return sum
}
