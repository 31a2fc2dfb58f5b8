package bench_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold/bench"
)

func small(t *testing.T, o bench.Options) (*bench.Made, *sqlite.Conn) {
	t.Helper()
	made, err := bench.Make(t.Context(), t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := sqlite.OpenConn(made.Database, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return made, conn
}

func count(t *testing.T, conn *sqlite.Conn, sql string, args ...any) int {
	t.Helper()
	n := -1
	err := sqlitex.ExecuteTransient(conn, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: func(stmt *sqlite.Stmt) error {
		n = stmt.ColumnInt(0)
		return nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// What Make promises is what a plain SQL reader of the file finds.
func TestPromises(t *testing.T) {
	made, conn := small(t, bench.Options{Size: 5 << 20, Seed: 3})
	if made.Bytes < 4<<20 || made.Bytes > 6<<20 {
		t.Errorf("asked for 5 MB, got %d bytes", made.Bytes)
	}
	named := map[string]bool{}
	sessions, missing := 0, 0
	err := sqlitex.ExecuteTransient(conn, `SELECT value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL`, &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			var c struct {
				ComposerID string
				Headers    []struct{ BubbleID string } `json:"fullConversationHeadersOnly"`
			}
			if err := json.Unmarshal([]byte(stmt.ColumnText(0)), &c); err != nil {
				return err
			}
			if len(c.Headers) > 0 {
				sessions++
			}
			for _, h := range c.Headers {
				named["bubbleId:"+c.ComposerID+":"+h.BubbleID] = true
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	bubbles, tombstones, orphans, withText := 0, 0, 0, 0
	err = sqlitex.ExecuteTransient(conn, `SELECT key, value FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;'`, &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			key := stmt.ColumnText(0)
			if stmt.ColumnIsNull(1) {
				tombstones++
				return nil
			}
			bubbles++
			if !named[key] {
				orphans++
			}
			delete(named, key)
			var b map[string]any
			if err := json.Unmarshal([]byte(stmt.ColumnText(1)), &b); err != nil {
				t.Errorf("%s: %v", key, err)
			}
			if b["text"] != "" {
				withText++
			}
			if len(b) < 60 || len(b) > 75 {
				t.Errorf("%s has %d members", key, len(b))
			}
			checkTool(t, key, b["toolFormerData"])
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	missing = len(named)
	got := []int{sessions, bubbles, tombstones, orphans, missing, withText}
	want := []int{made.Sessions, made.Bubbles, made.Tombstones, made.Orphans, made.Missing, made.WithText}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sessions, bubbles, tombstones, orphans, missing, with text (-promised +found):\n%s", diff)
	}
	for _, p := range []bench.Picked{made.Typical, made.Longest} {
		n := count(t, conn, `SELECT count(value) FROM cursorDiskKV WHERE key >= ?1 || ':' AND key < ?1 || ';'`, "bubbleId:"+p.ID)
		if n != p.Bubbles || n == 0 {
			t.Errorf("session %s has %d bubbles, promised %d", p.ID, n, p.Bubbles)
		}
	}
}

// The JSON inside the JSON parses too.
func checkTool(t *testing.T, key string, tool any) {
	t.Helper()
	m, ok := tool.(map[string]any)
	if !ok {
		return
	}
	for _, name := range []string{"rawArgs", "params", "result"} {
		if s, ok := m[name].(string); !ok || !json.Valid([]byte(s)) {
			t.Errorf("%s: %s is not JSON: %.80v", key, name, m[name])
		}
	}
}

func TestFamilies(t *testing.T) {
	made, conn := small(t, bench.Options{Size: 5 << 20, Seed: 4})
	rows := 0
	for name, v := range made.Families {
		end := name + ";"
		begin := name + ":"
		if name == "composer.content" {
			begin, end = name+".", name+"/"
		}
		rows += v.Rows
		n := count(t, conn, `SELECT count(*) FROM cursorDiskKV WHERE key >= ? AND key < ?`, begin, end)
		size := count(t, conn, `SELECT sum(length(key) + ifnull(length(cast(value AS BLOB)), 0)) FROM cursorDiskKV WHERE key >= ? AND key < ?`, begin, end)
		if n != v.Rows || int64(size) != v.Bytes {
			t.Errorf("%s: %d rows of %d bytes, promised %d of %d", name, n, size, v.Rows, v.Bytes)
		}
	}
	if n := count(t, conn, `SELECT count(*) FROM cursorDiskKV`); n != rows {
		t.Errorf("%d rows in all, %d in the families", n, rows)
	}
	if n := count(t, conn, `SELECT count(*) FROM composerHeaders`); n == 0 {
		t.Error("no rows in composerHeaders")
	}
	err := sqlitex.ExecuteTransient(conn, `SELECT key, value FROM cursorDiskKV WHERE key >= 'agentKv:blob:' AND key < 'agentKv:blob;'`, &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			data := make([]byte, stmt.ColumnLen(1))
			stmt.ColumnBytes(1, data)
			sum := sha256.Sum256(data)
			if !strings.HasSuffix(stmt.ColumnText(0), hex.EncodeToString(sum[:])) {
				t.Errorf("%s is not the hash of its value", stmt.ColumnText(0))
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every marker is in the message it is said to be in, and in no other.
func TestMarkers(t *testing.T) {
	made, conn := small(t, bench.Options{Size: 12 << 20, Seed: 5})
	if want := min(21, 2*made.Sessions); len(made.Markers) != want {
		t.Fatalf("%d markers, want %d", len(made.Markers), want)
	}
	for _, m := range made.Markers {
		key := "bubbleId:" + m.SessionID + ":" + m.BubbleID
		if n := count(t, conn, `SELECT instr(value, ?) FROM cursorDiskKV WHERE key = ?`, m.Word, key); n < 1 {
			t.Errorf("%s marker %s is not in %s", m.Where, m.Word, key)
		}
		if n := count(t, conn, `SELECT count(*) FROM cursorDiskKV WHERE key >= 'bubbleId:' AND key < 'bubbleId;' AND instr(value, ?)`, m.Word); n != 1 {
			t.Errorf("%s marker %s is in %d messages", m.Where, m.Word, n)
		}
	}
}

func TestLongAndHuge(t *testing.T) {
	made, conn := small(t, bench.Options{Size: 2 << 20, Seed: 6, Long: 800, Huge: 3 << 20})
	if made.Longest.Bubbles < 780 {
		t.Errorf("longest session has %d bubbles, want about 800", made.Longest.Bubbles)
	}
	if made.Huge == nil {
		t.Fatal("no huge message was made")
	}
	key := "bubbleId:" + made.Huge.SessionID + ":" + made.Huge.BubbleID
	if n := count(t, conn, `SELECT length(value) FROM cursorDiskKV WHERE key = ?`, key); n < 3<<20 {
		t.Errorf("huge message is %d characters", n)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	hash := func(seed uint64) string {
		made, conn := small(t, bench.Options{Size: 2 << 20, Seed: seed})
		h := sha256.New()
		err := sqlitex.ExecuteTransient(conn, `SELECT rowid || key || typeof(value) || hex(value) FROM cursorDiskKV ORDER BY rowid`, &sqlitex.ExecOptions{
			ResultFunc: func(stmt *sqlite.Stmt) error {
				h.Write([]byte(stmt.ColumnText(0)))
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := filepath.Rel(made.CursorUser, made.Database); err != nil {
			t.Error(err)
		}
		return hex.EncodeToString(h.Sum(nil))
	}
	if first, again := hash(1), hash(1); first != again {
		t.Error("the same seed made different rows")
	}
	if hash(1) == hash(2) {
		t.Error("different seeds made the same rows")
	}
}
