package cursor_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the table of a workspace said of a conversation comes back, as far as there is
// such a table and has the columns; undone, it is gone again.
func TestRestoreTables(t *testing.T) {
	for name, table := range map[string]string{"the same": headTable, "a column less": strings.Replace(headTable, ", whatever TEXT", "", 1), "none": ""} {
		t.Run(name, func(t *testing.T) {
			r := &rescue{relocation: newRelocation(t)}
			id, workspace, _ := r.listed(t)
			dir := t.TempDir()
			r.check(os.CopyFS(dir, os.DirFS(r.home.CursorUser)))
			r.hold(dir)
			db := "workspaceStorage/" + workspace + "/state.vscdb"
			want := r.rowOf(db, id)
			r.sql(db, "DROP TABLE composerHeaders;"+table)
			before := r.content()
			r.restore(true, id)
			got := r.rowOf(db, id)
			switch {
			case table == "" && got != "", table == headTable && got != want:
				t.Errorf("the row is %q, was %q", got, want)
			case table != "" && !strings.Contains(got, workspace):
				t.Errorf("the row is %q", got)
			}
			if table != "" {
				r.undo()
			}
			if diff := cmp.Diff(before, r.content()); diff != "" {
				t.Errorf("undone (-before +now)\n%s", diff)
			}
		})
	}
}
