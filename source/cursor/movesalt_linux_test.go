package cursor_test

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// TestWorkspaceID wants the folder that Cursor itself will look for: md5 of the
// path and the inode number (formats A.5).
func TestWorkspaceID(t *testing.T) {
	r := newRelocation(t)
	to := r.folder("a b")
	ids := r.about(tidepool)[:1]
	r.move(retold.Move{Sessions: ids, To: to + "/"})
	info, err := os.Stat(to)
	r.check(err)
	id := paths.MD5(to + strconv.FormatUint(info.Sys().(*syscall.Stat_t).Ino, 10))
	text, err := os.ReadFile(filepath.Join(r.home.CursorUser, "workspaceStorage", id, "workspace.json"))
	r.check(err)
	if want := "{\n  \"folder\": \"" + paths.ParseAddress(to).URI() + "\"\n}"; string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
	if _, err := os.Stat(filepath.Join(r.home.CursorUser, "workspaceStorage", id, "state.vscdb")); err != nil {
		t.Error(err)
	}
}
