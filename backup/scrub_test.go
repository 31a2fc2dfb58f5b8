package backup_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
)

// state is Cursor's schema.
const state = `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);`

var credentials = []retold.RowRange{
	{Table: "ItemTable", Column: "key", From: "cursorAuth/", To: "cursorAuth0"},
	{Table: "ItemTable", Column: "key", Suffix: "EncryptionKey"},
	{Table: "cursorDiskKV", Column: "key", From: "composerData:", To: "composerData;", Member: "EncryptionKey"},
	{Table: "noSuchTable", Column: "key", From: "a", To: "b"},
}

func database(t interface{ Fatal(...any) }, path string, sql ...string) *sqlite.Conn {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sql {
		run(t, conn, s)
	}
	return conn
}

func run(t interface{ Fatal(...any) }, conn *sqlite.Conn, sql string, args ...any) {
	if len(args) == 0 { // a script, not in a transaction
		for part := range strings.SplitSeq(strings.TrimRight(sql, "; "), ";") {
			if err := sqlitex.ExecuteTransient(conn, part, nil); err != nil {
				t.Fatal(part, err)
			}
		}
		return
	}
	if err := sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args}); err != nil {
		t.Fatal(sql, err)
	}
}

// dump is every row of every table of Cursor's schema, by rowid.
func dump(t interface{ Fatal(...any) }, conn *sqlite.Conn) []string {
	var rows []string
	for _, table := range []string{"ItemTable", "cursorDiskKV"} {
		err := sqlitex.ExecuteTransient(conn, "SELECT rowid, key, typeof(value), value FROM "+table+" ORDER BY rowid", &sqlitex.ExecOptions{
			ResultFunc: func(s *sqlite.Stmt) error {
				value := make([]byte, s.ColumnLen(3))
				s.ColumnBytes(3, value)
				rows = append(rows, fmt.Sprintf("%s %d %s %s %q", table, s.ColumnInt64(0), s.ColumnText(1), s.ColumnText(2), value))
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

func integrity(t interface{ Fatal(...any) }, path string) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = sqlitex.ExecuteTransient(conn, "PRAGMA integrity_check", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if s.ColumnText(0) != "ok" {
			t.Fatal("integrity_check:", s.ColumnText(0))
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// A token that was stored, replaced, deleted, moved to free pages and covered by
// other tables is nowhere in the image, in whatever page it was.
func TestNoRemnantOfACredential(t *testing.T) {
	for _, journal := range []string{"wal", "delete"} {
		for _, pageSize := range []int{512, 4096, 65536} {
			t.Run(fmt.Sprint(journal, pageSize), func(t *testing.T) { noRemnant(t, journal, pageSize) })
		}
	}
}

func noRemnant(t *testing.T, journal string, pageSize int) {
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "state.vscdb"), filepath.Join(dir, "copy.db")
	const token = "invented-token-of-ada-lovelace"
	conn := database(t, src, fmt.Sprintf("PRAGMA page_size=%d; PRAGMA journal_mode=%s; PRAGMA secure_delete=OFF;", pageSize, journal), state)
	for i := range 200 {
		long := strings.Repeat(token, 1+i%7*i)
		run(t, conn, "INSERT INTO ItemTable VALUES (?, ?)", fmt.Sprint("cursorAuth/accessToken", i%9), long)
		run(t, conn, "INSERT INTO ItemTable VALUES (?, ?)", "workbench.view", fmt.Sprint("kept ", i))
		run(t, conn, "INSERT INTO cursorDiskKV VALUES (?, ?)", fmt.Sprint("bubbleId:", i), []byte(strings.Repeat("b", i*13%900)))
		if i%5 == 0 {
			run(t, conn, "DELETE FROM ItemTable WHERE key = ?", fmt.Sprint("cursorAuth/accessToken", i%9))
		}
	}
	run(t, conn, "INSERT INTO ItemTable VALUES (?, ?)", "retrieval.pathEncryptionKey", token)
	run(t, conn, "INSERT INTO cursorDiskKV VALUES (?, ?)", "composerData:c1", `{"name":"x","blobEncryptionKey" : "`+token+`","text":"a \"blobEncryptionKey\":\"said\" here"}`)
	want := dump(t, conn)
	shot, err := backup.Snapshot(t.Context(), src, dst, credentials, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	image, err := os.ReadFile(dst)
	if err != nil {
		t.Fatal(err)
	}
	if before, err := os.ReadFile(src); err != nil || !bytes.Contains(before, []byte(token)) {
		t.Fatal("the token was never in the file", err)
	}
	for _, piece := range []string{token, token[:12], "token-of-ada"} {
		if at := bytes.Index(image, []byte(piece)); at >= 0 {
			t.Fatalf("%q is at %d of the copy: page %d", piece, at, at/pageSize+1)
		}
	}
	if len(shot.Notes) > 0 {
		t.Error(shot.Notes)
	}
	if !bytes.Contains(image, []byte(`"a \"blobEncryptionKey\":\"said\" here"`)) {
		t.Error("what somebody wrote was changed")
	}
	same := database(t, dst)
	defer same.Close()
	var kept []string
	for _, row := range want {
		if !strings.Contains(row, "cursorAuth/") && !strings.Contains(row, "pathEncryptionKey") && !strings.Contains(row, "composerData:c1") {
			kept = append(kept, row)
		}
	}
	var got []string
	for _, row := range dump(t, same) {
		if !strings.Contains(row, "composerData:c1") {
			got = append(got, row)
		}
	}
	if diff := cmp.Diff(kept, got); diff != "" {
		t.Error(diff)
	}
	integrity(t, dst)
	if image[18] != map[string]byte{"wal": 2, "delete": 1}[journal] {
		t.Errorf("the copy says journal mode %d", image[18])
	}
}

// A snapshot is the database: every row but those left out, whatever happened to
// it before.
func TestSnapshotIsTheDatabase(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		src, dst := filepath.Join(dir, fmt.Sprint(n, ".db")), filepath.Join(dir, fmt.Sprint(n, "copy.db"))
		page := rapid.SampledFrom([]int{512, 1024, 4096}).Draw(t, "page")
		vacuum := rapid.SampledFrom([]string{"NONE", "FULL", "INCREMENTAL"}).Draw(t, "vacuum")
		conn := database(t, src, fmt.Sprintf("PRAGMA page_size=%d; PRAGMA auto_vacuum=%s; PRAGMA journal_mode=WAL;", page, vacuum), state,
			"CREATE TABLE pairs (a TEXT, b TEXT, c, PRIMARY KEY (a, b)) WITHOUT ROWID; CREATE INDEX bySize ON cursorDiskKV(length(value));")
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			key := fmt.Sprint(rapid.SampledFrom([]string{"cursorAuth/", "bubbleId:", "x"}).Draw(t, "family"), rapid.IntRange(0, 20).Draw(t, "key"))
			value := strings.Repeat(rapid.SampledFrom([]string{"abc", "\x00\xff", "{}"}).Draw(t, "text"), rapid.IntRange(0, 3000).Draw(t, "length"))
			table := rapid.SampledFrom([]string{"ItemTable", "cursorDiskKV"}).Draw(t, "table")
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				run(t, conn, "DELETE FROM "+table+" WHERE key = ?", key)
			case 1:
				run(t, conn, "INSERT OR REPLACE INTO pairs VALUES (?, ?, ?)", key, table, value)
			default:
				run(t, conn, "INSERT INTO "+table+" VALUES (?, ?)", key, []byte(value))
			}
		}
		run(t, conn, "DELETE FROM ItemTable WHERE key < ?", "cursorAuth/3")
		if _, err := backup.Snapshot(t.Context(), src, dst, credentials, nil); err != nil {
			t.Fatal(err)
		}
		run(t, conn, "DELETE FROM ItemTable WHERE key LIKE ?", "cursorAuth/%")
		want := dump(t, conn)
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		integrity(t, dst)
		got := database(t, dst)
		defer got.Close()
		if diff := cmp.Diff(want, dump(t, got)); diff != "" {
			t.Fatal(diff)
		}
	})
}
