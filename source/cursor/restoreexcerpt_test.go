package cursor_test

import (
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
)

// TestExcerpt takes every conversation of the demo out by itself: its rows to the
// byte, nobody else's, and little of the file.
func TestExcerpt(t *testing.T) {
	r := newRelocation(t)
	piece := retold.Piece{Name: "globalStorage/state.vscdb", Path: filepath.Join(r.home.CursorUser, "globalStorage", "state.vscdb"), Kind: retold.PieceDatabase}
	all := r.content()
	found := 0
	for id := range r.headers() {
		to := filepath.Join(t.TempDir(), "part.db")
		note, err := r.src.Excerpt(t.Context(), piece, []string{id}, to)
		r.check(err)
		if note != "" {
			t.Error(note)
		}
		part := map[string]string{}
		r.rows(to, filepath.FromSlash("globalStorage/state.vscdb"), part)
		for key, value := range part {
			// A row has a place of its own in the excerpt: only what it holds counts.
			if _, was, _ := strings.Cut(all[key], "|"); !strings.HasSuffix(value, was) {
				t.Errorf("%s: %s is another", id, key)
			}
			name := filepath.Base(key)
			if strings.HasPrefix(name, "bubbleId:") || strings.HasPrefix(name, "composerData:") {
				found++
				if !strings.Contains(name, id) {
					t.Errorf("%s: it holds %s", id, name)
				}
			}
		}
		for key := range all {
			if (strings.Contains(key, "/cursorDiskKV/bubbleId:"+id+":") || strings.HasSuffix(key, "/cursorDiskKV/composerData:"+id)) && part[key] == "" {
				t.Errorf("%s: %s is missing", id, key)
			}
		}
	}
	if found < 200 {
		t.Errorf("%d records", found)
	}
}

// What was left of an earlier try is in no excerpt, and of a file that is not there
// none is made.
func TestExcerptTwice(t *testing.T) {
	r := newRelocation(t)
	path := filepath.Join(r.home.CursorUser, "globalStorage", "state.vscdb")
	piece := retold.Piece{Name: "globalStorage/state.vscdb", Path: path, Kind: retold.PieceDatabase}
	id := r.about(tidepool)[0]
	to := filepath.Join(t.TempDir(), "part.db")
	for range 2 {
		if _, err := r.src.Excerpt(t.Context(), piece, []string{id}, to); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := sqlite.OpenConn(to, sqlite.OpenReadOnly)
	r.check(err)
	n := int64(0)
	r.check(sqlitex.Execute(conn, "SELECT count(*) FROM cursorDiskKV WHERE key LIKE 'composerData:%'", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { n = s.ColumnInt64(0); return nil },
	}))
	r.check(conn.Close())
	if n > 1 {
		t.Errorf("%d records", n)
	}
	if _, err := r.src.Excerpt(t.Context(), retold.Piece{Name: piece.Name, Path: path + ".none"}, []string{id}, to); retold.CodeOf(err) != retold.CodeDatabaseNotFound {
		t.Error(err)
	}
}
