package bench_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/bench"
)

// The queries of a history are the same each time, and each is found in it.
func TestClasses(t *testing.T) {
	made, conn := small(t, bench.Options{Size: 24 << 20, Seed: 5})
	classes, err := bench.Classes(t.Context(), made, 12)
	if err != nil {
		t.Fatal(err)
	}
	again, err := bench.Classes(t.Context(), made, 12)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(classes, again); diff != "" {
		t.Errorf("not the same again: %s", diff)
	}
	var all strings.Builder
	err = sqlitex.ExecuteTransient(conn, `SELECT value FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;'`, &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			all.WriteString(stmt.ColumnText(0) + "\n")
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(strings.Fields(strings.NewReplacer(`\n`, " ", `\t`, " ").Replace(strings.ToLower(all.String()))), " ")
	for _, c := range classes {
		if len(c.Queries) == 0 {
			t.Errorf("no queries of the kind %q", c.Name)
		}
		for _, q := range c.Queries {
			if want := strings.ToLower(strings.Trim(q, `"*`)); !strings.Contains(said, want) {
				t.Errorf("%s: %q is nowhere", c.Name, q)
			}
		}
		t.Logf("%s: %q", c.Name, c.Queries)
	}
}
