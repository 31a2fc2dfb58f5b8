package cursor_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/sourcetest"
)

const marker = "POISON"

// poison destroys the pages of the global database that hold nothing but the
// marker: whoever reads a value that lies there gets an error from SQLite. So a
// read that succeeds has not looked at it.
func (h *home) poison() {
	h.t.Helper()
	path := filepath.Join(h.dir, "globalStorage", "state.vscdb")
	b, err := os.ReadFile(path)
	h.check(err)
	n := 0
	for at := 0; at+4096 <= len(b); at += 4096 {
		if page := b[at : at+4096]; bytes.Count(page, []byte(marker))*len(marker) > 4000 {
			clear(page)
			n++
		}
	}
	if n == 0 {
		h.t.Fatal("nothing to poison")
	}
	h.check(os.WriteFile(path, b, 0o644))
}

var pad = strings.Repeat(marker, 4000)

// others adds conversations whose bubbles are poisoned, with everything that a
// list needs standing in the records.
func (h *home) others(n int, composerPad string) {
	for i := range n {
		id := fmt.Sprintf("other%02d", i)
		h.kv("composerData:"+id, fmt.Sprintf(`{"_v":16,"name":"Other %d","createdAt":1780000000000,"workspaceIdentifier":{"id":"x","uri":{"path":"/home/ada/shop","scheme":"file"}},"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1,"createdAt":"2026-05-28T20:26:41.000Z"}],"pad":"%s"}`, i, composerPad))
		h.kv("bubbleId:"+id+":b1", `{"_v":3,"type":1,"text":"`+pad+`"}`)
		h.kv("messageRequestContext:"+id+":b1", `{"projectLayouts":["`+pad+`"]}`)
		h.kv("checkpointId:"+id+":k1", pad)
	}
	h.kv("agentKv:blob:"+strings.Repeat("ab", 32), []byte(pad))
	h.kv("composer.content."+strings.Repeat("cd", 32), pad)
}

// TestListReadsNoBubbles lists conversations whose bubbles cannot be read.
func TestListReadsNoBubbles(t *testing.T) {
	h := newHome(t)
	h.others(20, "")
	h.close()
	h.poison()
	headers, errs := listed(t, h.dir)
	if len(headers) != 20 || len(errs) > 0 {
		t.Fatalf("%d sessions, %v", len(headers), errs)
	}
	for _, head := range headers {
		if head.Title == "" || head.WorkspaceName != "shop" || head.Empty || head.Problems > 0 {
			t.Errorf("%+v", head)
		}
	}
}

// TestSessionReadsItsOwn reads and counts one conversation among others whose
// records of every kind, composerData too, cannot be read.
func TestSessionReadsItsOwn(t *testing.T) {
	h := newHome(t)
	h.others(5, pad)
	h.kv("composerData:mine", `{"_v":10,"name":"Mine","createdAt":1764583200000,"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2}]}`)
	h.kv("bubbleId:mine:b1", `{"_v":3,"type":1,"text":"Hello"}`)
	h.kv("bubbleId:mine:b2", `{"_v":3,"type":2,"toolFormerData":{"tool":40,"name":"read_file","toolCallId":"call","status":"completed","params":"{\"targetFile\":\"/home/ada/shop/src/a.py\"}"}}`)
	h.kv("bubbleId:mine2:b1", `{"_v":3,"type":1,"text":"of a conversation whose id begins alike"}`)
	h.close()
	h.poison()
	ref := retold.Ref{Agent: "cursor", Place: h.dir, ID: "mine"}
	d, err := source(h.dir).Session(t.Context(), ref)
	if err != nil || len(d.Messages) != 2 || d.Problems > 0 {
		t.Fatalf("%+v, %v", d, err)
	}
	head := retold.Header{Ref: ref}
	if err := source(h.dir).Complete(t.Context(), &head); err != nil || head.MessageCount != 2 || head.Problems > 0 {
		t.Errorf("%+v, %v", head, err)
	}
}

// TestDamagedRecords reads conversations whose own records lie in damaged pages:
// each is a placeholder and a problem, and all others are served.
func TestDamagedRecords(t *testing.T) {
	h := newHome(t)
	h.others(2, pad)
	var headers []string
	for i := range 300 {
		text := "fine"
		if i == 7 || i == 200 {
			text = pad
		}
		h.kv(fmt.Sprintf("bubbleId:mine:b%03d", i), `{"_v":3,"type":2,"text":"`+text+`","createdAt":"2025-12-01T10:00:00.000Z"}`)
		headers = append(headers, fmt.Sprintf(`{"bubbleId":"b%03d","type":2}`, i))
	}
	h.kv("composerData:mine", `{"_v":10,"name":"Mine","createdAt":1764583200000,"fullConversationHeadersOnly":[`+strings.Join(headers, ",")+`]}`)
	h.kv("composerData:zlast", `{"_v":10,"name":"Last","createdAt":1764583200000}`)
	h.close()
	h.poison()
	d, err := source(h.dir).Session(t.Context(), retold.Ref{Place: h.dir, ID: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	sourcetest.CheckDetail(t, d)
	if len(d.Messages) != 300 || d.Problems != 2 || d.Messages[7].Role != retold.RoleSystem || d.Messages[8].Content != "fine" || d.ProblemList[1].Key != "bubbleId:mine:b200" {
		t.Errorf("%d messages, %+v", len(d.Messages), d.ProblemList)
	}
	list, errs := listed(t, h.dir)
	if len(list) != 4 || list[3].Title != "Last" || len(errs) > 0 {
		t.Fatalf("%d sessions, %v", len(list), errs)
	}
	if list[1].Problems != 1 || list[2].Problems != 1 {
		t.Errorf("the damaged records are told as %+v", list[1:3])
	}
	files, err := source(h.dir).Inspect(t.Context(), retold.Place{Path: h.dir})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files[0].Families {
		if (f.Name == "composerData" || f.Name == "bubbleId") && f.Rows != f.Shown+f.Empty+f.Orphans+f.Tombstones+f.Malformed {
			t.Errorf("%s does not add up: %+v", f.Name, f)
		}
	}
}

// TestNoLike wants key families read by range, which uses the index.
func TestNoLike(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	like := regexp.MustCompile(`(?i)"[^"]*\b(like|glob)\b +[?']`)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, "_test.go") && like.Match(src) {
			t.Errorf("%s: %s", file, like.Find(src))
		}
	}
}

// TestInspectReconciles takes the inventory of every golden: each row of the
// conversation families is counted once, and the shown and orphaned bubbles are
// those that Session shows.
func TestInspectReconciles(t *testing.T) {
	for name, want := range map[string]map[string]retold.Family{
		"orphans":                {"bubbleId": {Rows: 4, Shown: 2, Orphans: 1, Empty: 1}, "composerData": {Rows: 1, Shown: 1}},
		"tombstone-bubble":       {"bubbleId": {Rows: 4, Shown: 1, Tombstones: 3}, "composerData": {Rows: 1, Shown: 1}},
		"tombstone-conversation": {"bubbleId": {Rows: 2, Orphans: 1, Tombstones: 1}, "composerData": {Rows: 1, Tombstones: 1}},
		"malformed-bubble":       {"bubbleId": {Rows: 4, Shown: 1, Malformed: 3}, "composerData": {Rows: 1, Shown: 1}},
		"malformed-conversation": {"bubbleId": {Rows: 3, Shown: 1, Orphans: 2}, "composerData": {Rows: 2, Malformed: 2}},
		"headers-lost":           {"bubbleId": {Rows: 3, Shown: 3}, "composerData": {Rows: 1, Shown: 1}},
		"early-tools-string":     {"bubbleId": {Rows: 2, Shown: 2}, "composerData": {Rows: 1, Shown: 1}},
		"inline-global":          {"bubbleId": {Rows: 1, Shown: 1}, "composerData": {Rows: 1, Shown: 1}},
		"draft-archived-empty":   {"bubbleId": {Rows: 1, Shown: 1}, "composerData": {Rows: 5, Shown: 1, Empty: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.fromArchive(parse(t, name))
			files, err := source(h.dir).Inspect(t.Context(), retold.Place{Path: h.dir})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files[0].Families {
				w, ok := want[f.Name]
				if !ok {
					continue
				}
				w.Name, w.Table, w.Known, w.Bytes = f.Name, f.Table, true, f.Bytes
				if f != w {
					t.Errorf("got  %+v\nwant %+v", f, w)
				}
			}
		})
	}
}

// stamps are the stamps of all sessions of a home.
func stamps(t *testing.T, user string) map[string]string {
	t.Helper()
	headers, errs := listed(t, user)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	out := map[string]string{}
	for _, head := range headers {
		out[head.ID] = head.Stamp
	}
	return out
}

// TestStamp wants a session's stamp to change when the session does, and only
// then.
func TestStamp(t *testing.T) {
	h := newHome(t)
	h.withChat()
	h.withSessions(3)
	h.kv("bubbleId:stray:b1", `{"_v":3,"type":1,"text":"x","createdAt":"2025-12-01T10:00:00.000Z"}`)
	h.close()
	before := stamps(t, h.dir)
	if again := stamps(t, h.dir); !maps.Equal(before, again) {
		t.Errorf("%v, then %v", before, again)
	}
	h = &home{t: t, dir: h.dir, dbs: map[string]*sqlite.Conn{}}
	reopen := func(folder string) {
		conn, err := sqlite.OpenConn(filepath.Join(h.dir, folder, "state.vscdb"), sqlite.OpenReadWrite)
		h.check(err)
		h.dbs[folder] = conn
	}
	reopen("globalStorage")
	reopen("workspaceStorage/aaaa")
	h.kv("composerData:c001", `{"_v":10,"name":"Chat 1","createdAt":1764583200000,"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1}]}`)
	h.kv("bubbleId:stray:b2", `{"_v":3,"type":2,"text":"y","createdAt":"2025-12-01T10:00:01.000Z"}`)
	h.put("workspaceStorage/aaaa", "ItemTable", "workbench.panel.aichat.view.aichat.chatdata",
		`{"tabs":[{"tabId":"t1","lastSendTime":1710061200000,"bubbles":[{"type":"user","id":"u1","text":"Grown"}]}]}`)
	h.close()
	after := stamps(t, h.dir)
	for id, want := range map[string]bool{"c000": false, "c001": true, "c002": false, "stray": true, "t1": true} {
		if changed := before[id] != after[id]; changed != want {
			t.Errorf("%s: changed %v, want %v", id, changed, want)
		}
	}
}
