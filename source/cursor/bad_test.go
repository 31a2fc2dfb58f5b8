package cursor_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/sourcetest"
)

// withChat adds a workspace with one chat tab, which must be served whatever the
// global database is.
func (h *home) withChat() {
	h.put("workspaceStorage/aaaa", "ItemTable", "workbench.panel.aichat.view.aichat.chatdata",
		`{"tabs":[{"tabId":"t1","lastSendTime":1710061200000,"bubbles":[{"type":"user","id":"u1","text":"Still here"}]}]}`)
	h.check(os.WriteFile(filepath.Join(h.dir, "workspaceStorage/aaaa/workspace.json"), []byte(`{"folder":"file:///home/ada/shop"}`), 0o644))
}

// withSessions adds n conversations of one message each to the global database.
func (h *home) withSessions(n int) {
	for i := range n {
		h.kv(fmt.Sprintf("composerData:c%03d", i), fmt.Sprintf(`{"_v":10,"name":"Chat %d","createdAt":1764583200000,"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1}],"pad":"%s"}`, i, strings.Repeat("x", 3000)))
		h.kv(fmt.Sprintf("bubbleId:c%03d:b1", i), fmt.Sprintf(`{"_v":3,"type":1,"text":"Hello %d","createdAt":"2025-12-01T10:00:00.000Z"}`, i))
	}
}

// listed are the headers and the errors of a home.
func listed(t *testing.T, user string) (headers []retold.Header, errs []error) {
	t.Helper()
	for head, err := range source(user).Headers(t.Context(), retold.Place{Path: user}) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		headers = append(headers, head)
	}
	return headers, errs
}

// TestGlobalUnreadable breaks the global database in every way: what else there
// is, is served, and the trouble names the file.
func TestGlobalUnreadable(t *testing.T) {
	whole := newHome(t)
	whole.withSessions(40)
	whole.close()
	good, err := os.ReadFile(filepath.Join(whole.dir, "globalStorage", "state.vscdb"))
	if err != nil {
		t.Fatal(err)
	}
	for name, breakIt := range map[string]func(path string) error{
		"garbage":   func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("no database ", 500)), 0o644) },
		"empty":     func(p string) error { return os.WriteFile(p, nil, 0o644) },
		"header":    func(p string) error { return os.WriteFile(p, good[:100], 0o644) },
		"zeroed":    func(p string) error { return os.WriteFile(p, append(good[:100:100], make([]byte, 9000)...), 0o644) },
		"a folder":  func(p string) error { return os.Mkdir(p, 0o755) },
		"link loop": func(p string) error { return os.Symlink(p, p) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.withChat()
			h.close()
			path := filepath.Join(h.dir, "globalStorage", "state.vscdb")
			h.check(os.MkdirAll(filepath.Dir(path), 0o755))
			h.check(breakIt(path))
			headers, errs := listed(t, h.dir)
			if len(headers) != 1 || headers[0].ID != "t1" {
				t.Fatalf("served %v", headers)
			}
			if len(errs) != 1 || !strings.Contains(errs[0].Error(), path) {
				t.Errorf("the trouble is told as %v", errs)
			}
			d, err := source(h.dir).Session(t.Context(), headers[0].Ref)
			if err != nil || len(d.Messages) != 1 {
				t.Errorf("%v, %v", d, err)
			}
			_, err = source(h.dir).Session(t.Context(), retold.Ref{Place: h.dir, ID: "c001"})
			if e, ok := errors.AsType[*retold.Error](err); !ok || e.Path != path || e.Code == retold.CodeSessionNotFound {
				t.Errorf("a session that may be in the damaged file: %v", err)
			}
			files, err := source(h.dir).Inspect(t.Context(), retold.Place{Path: h.dir})
			if err != nil || len(files) != 2 || len(files[0].Problems) == 0 {
				t.Errorf("inspect: %+v, %v", files, err)
			}
		})
	}
}

// TestGlobalCut reads a database of which the end is missing: what lies in the
// part that is there is served as far as the index leads to it.
func TestGlobalCut(t *testing.T) {
	h := newHome(t)
	h.withChat()
	h.withSessions(200)
	h.close()
	path := filepath.Join(h.dir, "globalStorage", "state.vscdb")
	info, err := os.Stat(path)
	h.check(err)
	h.check(os.Truncate(path, info.Size()/2/4096*4096))
	headers, errs := listed(t, h.dir)
	if len(errs) == 0 || len(headers) == 0 {
		t.Fatalf("%d sessions, errors %v", len(headers), errs)
	}
	for _, head := range headers {
		d, err := source(h.dir).Session(t.Context(), head.Ref)
		if err == nil {
			sourcetest.CheckDetail(t, d)
		} else if retold.CodeOf(err) != retold.CodeDatabaseCorrupt {
			t.Errorf("%s: %v", head.ID, err)
		}
	}
}

// TestBackup reads state.vscdb.backup where the database itself cannot be read,
// and says so in the list and in the session.
func TestBackup(t *testing.T) {
	h := newHome(t)
	h.withSessions(3)
	h.close()
	path := filepath.Join(h.dir, "globalStorage", "state.vscdb")
	h.check(os.Rename(path, path+".backup"))
	h.check(os.WriteFile(path, []byte(strings.Repeat("no database ", 500)), 0o644))
	headers, errs := listed(t, h.dir)
	if len(headers) != 3 || len(errs) != 1 || !strings.Contains(errs[0].Error(), "state.vscdb.backup is read instead") || retold.CodeOf(errs[0]) != retold.CodeDatabaseCorrupt {
		t.Fatalf("%d sessions, %v", len(headers), errs)
	}
	d, err := source(h.dir).Session(t.Context(), headers[1].Ref)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Messages) != 1 || d.Messages[0].Content != "Hello 1" || d.Problems != 1 || d.ProblemList[0].Path != path {
		t.Errorf("%+v", d)
	}
	files, err := source(h.dir).Inspect(t.Context(), retold.Place{Path: h.dir})
	if err != nil || len(files) != 2 || files[1].Path != path+".backup" || len(files[1].Families) == 0 {
		t.Errorf("inspect: %+v, %v", files, err)
	}
}

// TestBadWorkspace has one workspace whose database is garbage and one whose
// workspace.json is.
func TestBadWorkspace(t *testing.T) {
	h := newHome(t)
	h.withChat()
	h.withSessions(1)
	h.close()
	for _, dir := range []string{"bbbb", "cccc"} {
		h.check(os.MkdirAll(filepath.Join(h.dir, "workspaceStorage", dir), 0o755))
	}
	h.check(os.WriteFile(filepath.Join(h.dir, "workspaceStorage/bbbb/state.vscdb"), []byte("garbage, not a database at all"), 0o644))
	h.check(os.WriteFile(filepath.Join(h.dir, "workspaceStorage/cccc/workspace.json"), []byte(`{"folder":`), 0o644))
	headers, errs := listed(t, h.dir)
	if len(headers) != 2 || len(errs) != 2 {
		t.Fatalf("%d sessions, %v", len(headers), errs)
	}
	for i, part := range []string{"bbbb/state.vscdb", "cccc/workspace.json"} {
		if !strings.Contains(filepath.ToSlash(errs[i].Error()), part) {
			t.Errorf("%v does not name %s", errs[i], part)
		}
	}
}

// TestOddBytes reads what no writer should have written.
func TestOddBytes(t *testing.T) {
	h := newHome(t)
	long := strings.Repeat("y", 300)
	big := strings.Repeat("0123456789abcdef", 5<<16) // 5 MB
	for id, text := range map[string]string{
		"plain": `"hi"`, "slash/../x": `"hi"`, `quote"'`: `"hi"`, "new\nline": `"hi"`, long: `"hi"`, "%s%00": `"hi"`, "ünï": `"hi"`,
		"surrogate": `"a\ud83db"`, "nul": `"a\u0000b"`, "control": "\"a\x01\x1b[2Jb\"", "invalid": "\"a\xff\xfeb\"", "big": `"` + big + `"`,
		"deep": strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
	} {
		h.kv("composerData:"+id, `{"_v":"10","createdAt":"1764583200000","fullConversationHeadersOnly":[{"bubbleId":"b","type":"1"},{"bubbleId":"b","type":1},{"bubbleId":"b2","type":2}]}`)
		h.kv("bubbleId:"+id+":b", `{"type":"1","type":1,"text":"overruled","text":`+text+`,"createdAt":1764583201}`)
		if id == "big" { // comparing two reads byte by byte takes minutes
			text = `"x"`
		}
		h.kv("bubbleId:"+id+":b2", `{"type":2,"toolFormerData":{"tool":"38","name":"write","status":"completed","params":`+text+`,"result":`+text+`},"createdAt":1764583202}`)
	}
	h.close()
	sourcetest.Run(t, func() retold.Source { return source(h.dir) }, h.dir)
	headers, errs := listed(t, h.dir)
	if len(headers) != 13 || len(errs) > 0 {
		t.Fatalf("%d sessions, %v", len(headers), errs)
	}
	want := map[string]string{"surrogate": "a\ufffdb", "nul": "a\x00b", "control": "a\x01\x1b[2Jb", "invalid": "a\xff\xfeb", "big": big}
	for _, head := range headers {
		d, err := source(h.dir).Session(t.Context(), head.Ref)
		if err != nil || len(d.Messages) == 0 {
			t.Errorf("%q: %v, %v", head.ID, d, err)
			continue
		}
		if text, ok := want[head.ID]; ok && d.Messages[0].Content != text {
			t.Errorf("%s: %.40q", head.ID, d.Messages[0].Content)
		}
		if at := d.Messages[0].Timestamp.Format("2006-01-02T15:04:05"); head.ID != "deep" && at != "2025-12-01T10:00:01" { // an array says nothing, however deep
			t.Errorf("%q: at %s", head.ID, at)
		}
	}
}

// TestParentsInACircle has two conversations that name each other as parent.
func TestParentsInACircle(t *testing.T) {
	h := newHome(t)
	for _, pair := range [][2]string{{"c1", "c2"}, {"c2", "c1"}} {
		h.kv("composerData:"+pair[0], `{"name":"x","createdAt":1764583200000,"subagentComposerIds":["`+pair[1]+`"],"subagentInfo":{"parentComposerId":"`+pair[1]+`","rootParentConversationId":"`+pair[0]+`"},"conversation":[{"type":1,"bubbleId":"b","text":"hi"}]}`)
	}
	h.close()
	sourcetest.Run(t, func() retold.Source { return source(h.dir) }, h.dir)
}

// TestLongSession streams 80,000 messages without holding them.
func TestLongSession(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a database of 60 MB")
	}
	const n = 80_000
	h := newHome(t)
	conn := h.db("globalStorage")
	h.check(sqlitex.ExecuteTransient(conn, "BEGIN", nil))
	var headers strings.Builder
	pad := strings.Repeat(`,"empty":[]`, 50)
	for i := range n {
		fmt.Fprintf(&headers, `,{"bubbleId":"%06d","type":%d}`, i, 2-i%2)
		h.kv(fmt.Sprintf("bubbleId:c:%06d", i), fmt.Sprintf(`{"_v":3,"type":%d,"text":"Message %d"%s}`, 2-i%2, i, pad))
	}
	h.kv("composerData:c", `{"_v":10,"name":"Long","createdAt":1764583200000,"fullConversationHeadersOnly":[`+headers.String()[1:]+`]}`)
	h.check(sqlitex.ExecuteTransient(conn, "COMMIT", nil))
	h.close()
	runtime.GC()
	var stats runtime.MemStats
	peak, seen := uint64(0), 0
	d, err := source(h.dir).Stream(t.Context(), retold.Ref{Place: h.dir, ID: "c"}, func(m retold.Message) error {
		if m.Content != fmt.Sprintf("Message %d", seen) {
			return fmt.Errorf("message %d says %q", seen, m.Content)
		}
		if seen++; seen%4000 == 0 {
			runtime.ReadMemStats(&stats)
			peak = max(peak, stats.HeapAlloc)
		}
		return nil
	})
	if err != nil || d.MessageCount != n {
		t.Fatalf("%+v, %v", d, err)
	}
	if peak > 150<<20 {
		t.Errorf("%d MB at its peak", peak>>20)
	}
	t.Logf("%d MB at its peak", peak>>20)
}
