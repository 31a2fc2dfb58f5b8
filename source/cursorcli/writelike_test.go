package cursorcli_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A shape counts what records of one type have.
type shape struct {
	records int
	members map[string]int
}

// shapes are the records of a store by type, found by what refers to them.
type shapes map[string]*shape

func (s shapes) add(kind string, members ...string) {
	if s[kind] == nil {
		s[kind] = &shape{members: map[string]int{}}
	}
	s[kind].records++
	for _, m := range slices.Compact(slices.Sorted(slices.Values(members))) {
		s[kind].members[m]++
	}
}

// fieldsOf are the fields of a protobuf message by number, in order.
func fieldsOf(t *testing.T, b []byte) (all map[string][][]byte) {
	t.Helper()
	all = map[string][][]byte{}
	for last := protowire.Number(0); len(b) > 0; {
		num, typ, n := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(num, typ, b[n:])
		if n < 0 || size < 0 || num < last {
			t.Fatalf("field %d after %d: % x", num, last, b)
		}
		value := b[n : n+size]
		if typ == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		all[fmt.Sprint(num)] = append(all[fmt.Sprint(num)], value)
		b, last = b[n+size:], num
	}
	return all
}

// take adds the records of one store.
func (s shapes) take(t *testing.T, path string) {
	t.Helper()
	blobs, meta := rowsOf(t, path)
	self, err := hex.DecodeString(meta["0"])
	if err != nil {
		t.Fatal(err)
	}
	record := members(t, self)
	s.add("meta", record...)
	var m struct{ LatestRootBlobID string }
	if err := json.Unmarshal(self, &m); err != nil {
		t.Fatal(err)
	}
	at := func(ref []byte) []byte { return blobs[hex.EncodeToString(ref)] }
	add := func(kind string, b []byte) map[string][][]byte {
		f := fieldsOf(t, b)
		s.add(kind, slices.Collect(maps.Keys(f))...)
		return f
	}
	root := add("state", blobs[m.LatestRootBlobID])
	for _, ref := range root["1"] {
		s.prompt(t, at(ref))
	}
	for _, ref := range root["8"] {
		outer := fieldsOf(t, at(ref))
		for _, turn := range outer["1"] {
			f := add("turn", turn)
			add("user", at(f["1"][0]))
			for _, ref := range f["2"] {
				for num, step := range fieldsOf(t, at(ref)) {
					inner := fieldsOf(t, step[0])
					kind := "step " + num
					for variant, call := range inner {
						if num == "2" && len(variant) < 3 && variant < "54" {
							add("call", call[0])
							delete(inner, variant)
							break
						}
					}
					s.add(kind, slices.Collect(maps.Keys(inner))...)
				}
			}
		}
	}
}

func (s shapes) prompt(t *testing.T, doc []byte) {
	t.Helper()
	var m struct {
		Role    string
		Content json.RawMessage
	}
	if err := json.Unmarshal(doc, &m); err != nil {
		t.Fatal(err)
	}
	s.add("prompt "+m.Role, members(t, doc)...)
	var parts []json.RawMessage
	if json.Unmarshal(m.Content, &parts) != nil {
		return // a text
	}
	for _, p := range parts {
		var kind struct{ Type string }
		if err := json.Unmarshal(p, &kind); err != nil {
			t.Fatal(err)
		}
		s.add("part "+kind.Type, members(t, p)...)
	}
}

func members(t *testing.T, doc []byte) []string {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(doc, &m); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return slices.Collect(maps.Keys(m))
}

// TestImportIsLikeFixtures compares what is written with the stores that Cursor's
// own code made: no record has what none of theirs has, and each has what all of
// theirs have.
func TestImportIsLikeFixtures(t *testing.T) {
	theirs, ours := shapes{}, shapes{}
	stores, err := filepath.Glob(filepath.Join(copyOf(t, sdkHome), "chats", "*", "*", "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stores {
		if !strings.Contains(path, "32096c2e") && !strings.Contains(path, "e69f20e9") { // 2025, and damaged on purpose
			theirs.take(t, path)
		}
	}
	a := newArrivals(t)
	a.take(tidesTalk(), importedID)
	ours.take(t, a.store(importedID))
	also := map[string]string{ // known from the descriptors (formats E.4, E.6), and not in the fixtures
		"state": "19", "user": "5", "part tool-result": "isError",
	}
	lacks := map[string][]string{
		"meta":   {"blobEncryptionKey"}, // made by Cursor when it is needed
		"step 3": {"2", "4"},            // how long it thought, which nobody tells
	}
	for kind, s := range ours {
		like := theirs[kind]
		if like == nil {
			t.Errorf("no fixture has a %s", kind)
			continue
		}
		for m := range s.members {
			if like.members[m] == 0 && also[kind] != m {
				t.Errorf("%s has %s, which Cursor's have not", kind, m)
			}
		}
		for m, n := range like.members {
			if n == like.records && s.members[m] < s.records && !slices.Contains(lacks[kind], m) {
				t.Errorf("%s lacks %s, which all of Cursor's have (%d of %d have it)", kind, m, s.members[m], s.records)
			}
		}
	}
}

// TestImportIsReadByCursor holds what is written to what Cursor's own code
// (@cursor/sdk 1.0.32) read in the same bytes: testdata/import/cursor.json names
// the turns it was given and has what it made of them. It also wrote every blob
// again, to the same bytes. What only retold reads is taken away.
func TestImportIsReadByCursor(t *testing.T) {
	a := newArrivals(t)
	a.take(tidesTalk(), importedID)
	blobs, meta := rowsOf(t, a.store(importedID))
	writeDB(t, a.store(importedID), func(conn *sqlite.Conn) error { // what Cursor does not read
		return sqlitex.Execute(conn, "DELETE FROM meta WHERE key = 'retold'", nil)
	})
	got := a.read(importedID)
	doc, err := os.ReadFile("testdata/import/cursor.json")
	a.check(err)
	var want struct {
		Turns        []string
		Conversation struct{ Turns []oracleTurn }
	}
	a.check(json.Unmarshal(doc, &want))
	self, err := hex.DecodeString(meta["0"])
	a.check(err)
	var m struct{ LatestRootBlobID string }
	a.check(json.Unmarshal(self, &m))
	var turns []string
	for _, ref := range fieldsOf(t, blobs[m.LatestRootBlobID])["8"] {
		turns = append(turns, hex.EncodeToString(ref))
	}
	if diff := cmp.Diff(want.Turns, turns); diff != "" {
		t.Fatalf("other turns than Cursor read; see the comment (-want +got)\n%s", diff)
	}
	at, calls := 0, 0
	next := func() int { at++; return at - 1 }
	for _, turn := range want.Conversation.Turns {
		if u := turn.AgentConversationTurn.UserMessage; u.Text != got.Messages[at].Content || u.MessageID != got.Messages[next()].ID {
			t.Errorf("Cursor reads %+v", u)
		}
		for _, step := range turn.AgentConversationTurn.Steps {
			message := got.Messages[next()]
			switch {
			case step.ThinkingMessage != nil:
				if step.ThinkingMessage.Text != message.Content {
					t.Errorf("Cursor reads %q, want %q", step.ThinkingMessage.Text, message.Content)
				}
			case step.AssistantMessage != nil:
				if step.AssistantMessage.Text != message.Content {
					t.Errorf("Cursor reads %q, want %q", step.AssistantMessage.Text, message.Content)
				}
			default:
				calls++
				sameTool(t, message, step.ToolCall)
			}
		}
	}
	if at != len(got.Messages) || calls != 17 {
		t.Errorf("Cursor reads %d messages and %d calls", at, calls)
	}
}
