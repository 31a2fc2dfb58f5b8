package cursor

import (
	"bytes"
	"context"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold/internal/livedb"
)

// A keySum is what the keys of a conversation's records come to.
type keySum struct {
	sum   uint64
	count int64
	first int64 // the lowest rowid of a bubble: about where in the file it begins
}

// Keys listed in one transaction.
const keysPage = 1 << 16

// sumKeys lists the keys and rowids of all records that belong to conversations,
// from the index alone, and sums them up by conversation.
func sumKeys(ctx context.Context, db *livedb.DB) (map[string]*keySum, int64, error) {
	sums := map[string]*keySum{}
	var total int64
	for _, family := range rowFamilies {
		n, err := sumFamily(ctx, db, family, family, func(id []byte) *keySum {
			s := sums[string(id)]
			if s == nil {
				s = &keySum{}
				sums[string(id)] = s
			}
			return s
		})
		if err != nil {
			return nil, 0, err
		}
		total += n
	}
	return sums, total, nil
}

// sumKeysOf is sumKeys for one conversation.
func sumKeysOf(ctx context.Context, db *livedb.DB, id string) (keySum, error) {
	var own, other keySum
	for _, family := range rowFamilies {
		_, err := sumFamily(ctx, db, family, family+id+":", func(owner []byte) *keySum {
			if string(owner) == id {
				return &own
			}
			return &other // one whose id begins with this one and a colon
		})
		if err != nil {
			return keySum{}, err
		}
	}
	return own, nil
}

// sumFamily adds the keys that start with prefix to the sums of their owners. The
// keys come in order, so those of one conversation mostly follow each other.
func sumFamily(ctx context.Context, db *livedb.DB, family, prefix string, of func(id []byte) *keySum) (n int64, err error) {
	type entry struct {
		sum *keySum
		key uint64
		row int64
	}
	for from := prefix; from != ""; {
		var page []entry
		var last string
		err := db.Read(ctx, func(conn *sqlite.Conn) error {
			page, last = page[:0], ""
			stmt, err := conn.Prepare("SELECT key, rowid FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key LIMIT ?")
			if err != nil {
				return err
			}
			defer stmt.Reset() //nolint:errcheck // repeats the error of Step
			stmt.BindText(1, from)
			stmt.BindText(2, end(prefix))
			stmt.BindInt64(3, keysPage)
			var key, owner []byte
			var sum *keySum
			for steps := 1; ; steps++ {
				more, err := stmt.Step()
				if err != nil || !more {
					return err
				}
				key = append(key[:0], make([]byte, stmt.ColumnLen(0))...)
				stmt.ColumnBytes(0, key)
				if steps == keysPage {
					last = string(key)
				}
				rest := key[min(len(family), len(key)):]
				i := bytes.LastIndexByte(rest, ':')
				if i < 0 {
					continue
				}
				if sum == nil || !bytes.Equal(rest[:i], owner) {
					owner = append(owner[:0], rest[:i]...)
					sum = of(owner)
				}
				row := stmt.ColumnInt64(1)
				page = append(page, entry{sum, hashNumber(hash64(0, key), row), row})
			}
		})
		if err != nil {
			return 0, err
		}
		for _, e := range page {
			e.sum.sum += e.key
			e.sum.count++
			if family == rowFamilies[0] && (e.sum.first == 0 || e.row < e.sum.first) {
				e.sum.first = e.row
			}
		}
		n += int64(len(page))
		if from = ""; last != "" {
			from = last + "\x00"
		}
	}
	return n, nil
}
