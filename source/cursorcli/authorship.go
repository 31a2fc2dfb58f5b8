package cursorcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
)

var _ retold.AuthorshipTeller = (*Source)(nil)

// Authorship reads ai-tracking/ai-code-tracking.db (formats D.9): for each line
// that a conversation wrote a hash that nobody else can compute, the file, the
// conversation and the time; and how Cursor divided commits among people and
// conversations. The IDE writes it as well as the command line agent.
func (s *Source) Authorship(ctx context.Context, place retold.Place) (*retold.Authorship, error) {
	if place.Kind != kindHome {
		return nil, nil
	}
	path := filepath.Join(place.Path, "ai-tracking", "ai-code-tracking.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	a := &retold.Authorship{Commits: map[string]int{}}
	problem := func(table, kind, reason string) {
		a.ProblemList = append(a.ProblemList, retold.Problem{Path: path, Key: table, Kind: kind, Reason: reason})
	}
	err := inStore(ctx, path, func(conn *sqlite.Conn) error {
		*a = retold.Authorship{Commits: map[string]int{}} // the file may have changed in between
		for _, t := range trackingTables {
			missing, err := lacks(conn, t)
			if err != nil {
				return err
			}
			if missing != "" {
				problem(t.name, retold.ProblemUnknown, missing)
				continue
			}
			if err := sqlitex.Execute(conn, t.query, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
				t.take(a, row)
				return nil
			}}); err != nil {
				return fmt.Errorf("read %s: %w", t.name, err)
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		problem("", retold.ProblemUnreadable, "what Cursor recorded of who wrote which lines cannot be read: "+err.Error())
	}
	return a, nil
}

// A trackingTable is one table of the record.
type trackingTable struct {
	name    string
	columns []string // without which it cannot be read
	query   string
	take    func(*retold.Authorship, *sqlite.Stmt)
}

var trackingTables = []trackingTable{
	{"ai_code_hashes", []string{"conversationId", "requestId", "fileName", "source", "timestamp"}, `
SELECT conversationId, coalesce(requestId, ''), fileName, min(CAST(timestamp AS INTEGER)), max(CAST(timestamp AS INTEGER)), count(*)
FROM ai_code_hashes
WHERE conversationId <> '' AND fileName <> '' AND source IS NOT 'human'
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`, takeHashes},
	{"scored_commits", []string{"commitHash", "composerLinesAdded"}, `
SELECT commitHash, max(composerLinesAdded) FROM scored_commits WHERE commitHash <> '' GROUP BY 1`, takeScore},
}

func takeHashes(a *retold.Authorship, row *sqlite.Stmt) {
	a.Wrote = append(a.Wrote, retold.Authored{
		ConversationID: row.ColumnText(0), RequestID: row.ColumnText(1), Path: row.ColumnText(2),
		First: trackedAt(row.ColumnInt64(3)), Last: trackedAt(row.ColumnInt64(4)), Lines: row.ColumnInt(5),
	})
}

func takeScore(a *retold.Authorship, row *sqlite.Stmt) {
	a.Commits[row.ColumnText(0)] = row.ColumnInt(1)
}

// trackedAt is a time in milliseconds; zero for a number that is none.
func trackedAt(ms int64) time.Time {
	if ms < 1e11 || ms >= 253402300800000 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// lacks says what of a table is not there; "" when all of it is.
func lacks(conn *sqlite.Conn, t trackingTable) (string, error) {
	var have []string
	err := sqlitex.Execute(conn, "SELECT name FROM pragma_table_info(?)", &sqlitex.ExecOptions{
		Args:       []any{t.name},
		ResultFunc: func(row *sqlite.Stmt) error { have = append(have, row.ColumnText(0)); return nil },
	})
	if len(have) == 0 {
		return "Cursor's record has no table " + t.name, err
	}
	for _, c := range t.columns {
		if !slices.Contains(have, c) {
			return "the table " + t.name + " of Cursor's record has no column " + c, err
		}
	}
	return "", err
}
