package mcp_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/ui/mcp"
)

// An undo whose rows were changed since is refused by its dry run, which names them
// and no switch that tools do not have. One that was interrupted is told by every
// tool until it is settled.
func TestUndoOfWhatChangedSince(t *testing.T) {
	d := newDesk(t, mcp.Options{})
	to := filepath.Join(d.dir, "tide2")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	done, _ := d.carryOut("migrate_session", fmt.Sprintf(`"sessions": [%q], "to": %q`, moved, to))
	conn, err := sqlite.OpenConn(filepath.Join(d.user, "globalStorage", "state.vscdb"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.Execute(conn, "UPDATE cursorDiskKV SET value = replace(value, '{', '{ ') WHERE key = ?", &sqlitex.ExecOptions{Args: []any{"composerData:" + moved}})
	if err = errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	_, r := d.ask("undo_change", fmt.Sprintf(`"id": %q`, *done.Result.UndoID), "")
	if !r.isError || !strings.Contains(r.text, "composerData:"+moved) || strings.Contains(r.text, "--") {
		t.Errorf("it says %s", r.text)
	}
	if r := d.call("list_workspaces", "{}"); strings.Contains(r.text, "interrupted") {
		t.Errorf("nothing was interrupted: %s", r.text)
	}

	journal := filepath.Join(filepath.Dir(d.dir), "retold", "undo", *done.Result.UndoID, "journal")
	text, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	begin, _, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(journal, []byte(begin+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := d.call("list_workspaces", "{}"); r.isError || !strings.Contains(r.text, "interrupted") || !strings.Contains(r.text, *done.Result.UndoID) || strings.Contains(r.text, "--") {
		t.Errorf("it says %s", r.text)
	}
}
