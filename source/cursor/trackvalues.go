package cursor

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

// thrift says how much is spent on certainty.
type thrift struct {
	// A file of up to small bytes is compared by its values whenever something was
	// committed to it, which takes milliseconds; one of up to modest also where
	// nothing but a look at the values can tell whether something was.
	small, modest int64

	// Up to so many keys are all compared whenever something was committed; more
	// of them when that was not done for so many seconds.
	keys, within int64
}

var defaultThrift = thrift{small: 8 << 20, modest: 64 << 20, keys: 4096, within: 600}

// addValues sums up the values of all conversations where nothing less will do.
func (t *tracking) addValues(g *catalog, next *placeMemory) error {
	if g.db == nil || !g.tables.disk || !t.wantsValues(next) {
		return nil
	}
	sums, err := sumValues(t.ctx, g.db)
	for i := range next.sessions {
		next.sessions[i].values = sums[next.sessions[i].id]
	}
	if err != nil && t.ctx.Err() == nil {
		g.trouble(g.db.Path(), "", retold.ProblemUnreadable, fmt.Errorf("compare values: %w", err))
		return nil
	}
	return err
}

func (t *tracking) wantsValues(next *placeMemory) bool {
	size := t.stamp.global.Size + t.stamp.global.WALSize
	if t.full || size <= t.thrift.small {
		return true
	}
	if t.old == nil {
		return false
	}
	if t.stamp.global.Inode != t.old.stamp.global.Inode {
		return true // another file, an older copy most often: what explains a part of the difference says nothing about the rest
	}
	if t.explained(next) {
		return false
	}
	evidence := t.evidence()
	return evidence == livedb.Committed || evidence == livedb.Perhaps && size <= t.thrift.modest
}

// explained reports whether anything beside values shows that something was
// committed.
func (t *tracking) explained(next *placeMemory) bool {
	was := t.old.marks
	was.schema = next.marks.schema // a VACUUM changes it, and explains nothing
	return next.marks != was || !slices.EqualFunc(next.sessions, t.old.sessions, func(a, b sessionMark) bool { return a.sameKeys(&b) })
}

// evidence says whether something was committed to the global database since the
// last look. After a look that raced with a commit, that one may be all there
// was.
func (t *tracking) evidence() livedb.Evidence {
	e := t.stamp.global.Since(t.old.stamp.global)
	if e == livedb.Committed && t.old.raced {
		return livedb.Perhaps
	}
	return e
}

// sumValues reads the values of all records that messages are made of, in the
// order of the file.
func sumValues(ctx context.Context, db *livedb.DB) (map[string]uint64, error) {
	type place struct {
		row int64
		id  string
	}
	var all []place
	err := db.Read(ctx, func(conn *sqlite.Conn) error {
		all = all[:0]
		for _, family := range append([]string{"composerData:", checkpointPrefix}, rowFamilies...) {
			list, err := keys(conn, family)
			if err != nil {
				return err
			}
			for _, r := range list {
				id, ok := r.key[len(family):], true
				if family != "composerData:" && family != checkpointPrefix {
					id, ok = rowOwner(r.key)
				}
				if ok {
					all = append(all, place{r.rowid, id})
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.row, b.row) })
	sums := map[string]uint64{}
	for chunk := range slices.Chunk(all, 256) {
		part := make([]uint64, len(chunk))
		err := db.Read(ctx, func(conn *sqlite.Conn) error {
			var buffer []byte
			for i, p := range chunk {
				var err error
				if part[i], err = valueSum(conn, p.row, &buffer); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for i, p := range chunk {
			sums[p.id] += part[i]
		}
	}
	for id := range sums {
		sums[id] |= 1 // 0 means that nobody looked
	}
	return sums, nil
}

// valueSum is a hash of a record, with its key. One in a damaged part of the file
// counts as just that: reading the conversation will tell.
func valueSum(conn *sqlite.Conn, rowid int64, buffer *[]byte) (uint64, error) {
	stmt, err := conn.Prepare("SELECT key, value FROM cursorDiskKV WHERE rowid = ?")
	if err != nil {
		return 0, err
	}
	defer stmt.Reset() //nolint:errcheck // repeats the error of Step
	stmt.BindInt64(1, rowid)
	more, err := stmt.Step()
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultCorrupt {
		return hashNumber(5, rowid), nil
	}
	if err != nil || !more {
		return 0, err
	}
	sum := hashText(uint64(stmt.ColumnType(1)), stmt.ColumnText(0)) //nolint:gosec // one of five
	return hash64(sum, readColumn(stmt, 1, buffer)), nil
}

// readColumn reads a value into a buffer that is used again.
func readColumn(s *sqlite.Stmt, i int, buffer *[]byte) []byte {
	n := s.ColumnLen(i)
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	s.ColumnBytes(i, *buffer)
	return *buffer
}
