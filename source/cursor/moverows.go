package cursor

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// ownFamilies are the records whose keys name the conversation they belong to,
// and with it what is rewritten or copied. Shared ones (agentKv:blob,
// composer.content) stay: their keys are hashes of what they hold. So do those
// that only remember how something looked on the screen.
var ownFamilies = []string{
	"bubbleId:", "messageRequestContext:", "checkpointId:", "codeBlockDiff:", "codeBlockPartialInlineDiffFates:",
	"ofsContent:", "agentKv:bubbleCheckpoint:",
}

// storedRows reads whole rows with their storage classes: key and value, or what
// is known of composerHeaders.
func storedRows(conn *sqlite.Conn, table, where string, args ...any) (rows []retold.Row, err error) {
	columns := []string{"key", "value"}
	if table == "composerHeaders" {
		columns = headColumns
	}
	err = sqlitex.Execute(conn, "SELECT rowid, "+strings.Join(columns, ", ")+" FROM "+table+" WHERE "+where, &sqlitex.ExecOptions{
		Args: args,
		ResultFunc: func(s *sqlite.Stmt) error {
			r := retold.Row{Rowid: s.ColumnInt64(0)}
			for i, c := range columns {
				r.Cells = append(r.Cells, retold.Cell{Column: c, Value: storedValue(s, i+1)})
			}
			rows = append(rows, r)
			return nil
		},
	})
	return rows, err
}

func storedValue(s *sqlite.Stmt, i int) retold.Value {
	switch s.ColumnType(i) {
	case sqlite.TypeInteger:
		return retold.IntValue(s.ColumnInt64(i))
	case sqlite.TypeFloat:
		return retold.Value{Class: retold.ClassReal, Float: s.ColumnFloat(i)}
	case sqlite.TypeText:
		return retold.Value{Class: retold.ClassText, Bytes: column(s, i)}
	case sqlite.TypeBlob:
		return retold.Value{Class: retold.ClassBlob, Bytes: column(s, i)}
	}
	return retold.Value{}
}

// records plans the rows of cursorDiskKV that belong to a conversation.
func (v *mover) records(mv *moving) error {
	if v.global == nil || !v.g.tables.disk {
		return nil
	}
	own := "composerData:" + mv.id
	found, err := v.rows(globalDB(v.user), "cursorDiskKV", "key = ?", own)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		mv.record, _ = jscan.Parse(found[0].Cells[1].Value.Bytes) // one that is none stays as it is
	}
	list, err := v.ownKeys(mv.id)
	if err != nil {
		return err
	}
	if v.copying() {
		v.mapBubbles(mv, list)
	}
	if len(found) > 0 {
		if err := v.record(mv, own, found[0], true); err != nil {
			return err
		}
	}
	const page = 64
	for chunk := range slices.Chunk(list, page) {
		var rows []retold.Row
		err := v.global.Read(v.ctx, func(conn *sqlite.Conn) error {
			rows = rows[:0]
			for _, k := range chunk {
				one, err := storedRows(conn, "cursorDiskKV", "key = ?", k.key)
				if err != nil {
					return err
				}
				rows = append(rows, one...)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := v.record(mv, string(r.Cells[0].Value.Bytes), r, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownKeys are the keys of a conversation's records in the order of their rows,
// which a copy keeps.
func (v *mover) ownKeys(id string) (list []row, err error) {
	err = v.global.Read(v.ctx, func(conn *sqlite.Conn) (err error) {
		list, err = ownKeysIn(conn, id)
		return err
	})
	return list, err
}

func ownKeysIn(conn *sqlite.Conn, id string) (list []row, err error) {
	for _, family := range ownFamilies {
		found, err := keys(conn, family+id+":")
		if err != nil {
			return nil, err
		}
		for _, k := range found {
			if rest := k.key[len(family)+len(id)+1:]; family != "bubbleId:" || !strings.Contains(rest, ":") { // else another conversation's
				list = append(list, k)
			}
		}
	}
	found, err := storedRows(conn, "cursorDiskKV", "key = ?", checkpointPrefix+id)
	for _, r := range found {
		list = append(list, row{rowid: r.Rowid, key: string(r.Cells[0].Value.Bytes)})
	}
	slices.SortFunc(list, func(a, b row) int { return int(a.rowid - b.rowid) })
	return list, err
}

// mapBubbles gives the messages of a copy ids of their own, which follow from
// the copy's id: planned twice, they are the same.
func (v *mover) mapBubbles(mv *moving, list []row) {
	prefix := "bubbleId:" + mv.id + ":"
	add := func(id string) {
		if id != "" && mv.m.IDs[id] == "" {
			mv.m.IDs[id] = derivedID(mv.to, id)
		}
	}
	for _, k := range list {
		if id, ok := strings.CutPrefix(k.key, prefix); ok {
			add(id)
		}
	}
	for w := range jscan.Words(mv.record) {
		if w.Name == "bubbleId" && !w.Key {
			add(jscan.Value(mv.record[w.Start:w.End]).Str())
		}
	}
	for id := range mv.record.Get("conversationMap").Members() {
		add(string(id))
	}
}

// derivedID is a uuid of version 4 in form that follows from other ids.
func derivedID(parts ...string) string {
	sum := sha256.Sum256([]byte("retold copy\n" + strings.Join(parts, "\n")))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// record plans one row: its key, its paths, its ids.
func (v *mover) record(mv *moving, key string, r retold.Row, whole bool) error {
	value := r.Cells[1].Value
	if value.Class == retold.ClassText || value.Class == retold.ClassBlob {
		switch {
		case whole:
			value.Bytes = v.assign(value.Bytes, &mv.m, true)
			if v.mend != nil {
				value.Bytes = v.mend(value.Bytes)
			}
		case !strings.HasPrefix(key, "ofsContent:") && !strings.HasPrefix(key, "agentKv:"): // else not JSON
			value.Bytes = mv.m.JSON(value.Bytes)
		}
	}
	db := globalDB(v.user)
	now := v.recordKey(mv, key)
	switch {
	case v.copying():
		return v.give(change(mv.id, db, "cursorDiskKV", "key", now, nil, keyValue(now, value, 0)))
	case now == key:
		return v.give(change(mv.id, db, "cursorDiskKV", "key", key, &r, keyValue(key, value, r.Rowid)))
	}
	if err := v.give(change(mv.id, db, "cursorDiskKV", "key", key, &r, nil)); err != nil {
		return err
	}
	return v.give(change(mv.id, db, "cursorDiskKV", "key", now, nil, keyValue(now, value, r.Rowid)))
}

// recordKey is a record's key afterwards: with the ids of a copy, and the new
// address where it holds one.
func (v *mover) recordKey(mv *moving, key string) string {
	family := "composerData:"
	for _, f := range append([]string{"agentKv:checkpoint:"}, ownFamilies...) {
		if strings.HasPrefix(key, f) {
			family = f
		}
	}
	rest := strings.TrimPrefix(key[len(family):], mv.id)
	if last, ok := strings.CutPrefix(rest, ":"); ok {
		rest = ":" + mv.m.Key(last)
	}
	return family + mv.to + rest
}

// headColumns are the columns of composerHeaders that are known (formats D.1).
var headColumns = []string{"composerId", "workspaceId", "createdAt", "lastUpdatedAt", "isArchived", "isSubagent", "recency", "checkpointAt", "value"}
