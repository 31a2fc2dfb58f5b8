package cursor

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/livedb"
)

func someMemories() (*placeMemory, *sessionMemory) {
	place := &placeMemory{
		stamp: placeStamp{global: livedb.Stamp{Size: 4096, Time: -5, Counter: 7, WALSize: 32}, others: 3, workspaces: []workspaceStamp{{"aaaa", 1}, {"bbbb", 2}}},
		raced: true, whole: true, marks: marks{schema: 1, row: 900, key: 5, lists: 1 << 63}, reconciled: 1764583200, keys: 12,
		lists:    []workspaceLists{{lists: 1, owner: true}, {prompts: 9}},
		sessions: []sessionMark{{id: "a", record: 3, keys: 4, stored: true}, {id: "b", header: 1, empty: true}},
	}
	at := time.UnixMilli(1764583200000).UTC()
	session := &sessionMemory{
		header: 1, tail: 2,
		slots: []slotMemory{{1, 2, partAny}, {3, 4, partAny | partDeep}, {5, 6, 0}},
		points: []point{
			{slot: 1, count: 1, last: at, request: "r", model: "m", preview: "hello"},
			{slot: 3, count: 4, last: at.Add(time.Second), request: "r", tokens: retold.Tokens{Input: 5}, thought: true, model: "m", preview: "hello"},
		},
		end:      point{slot: 3, count: 9, preview: "hello"},
		problems: []slotProblem{{2, retold.ProblemMissing, "named, but not stored"}},
		said:     []uint64{1, 2, 3, 4},
	}
	return place, session
}

// TestMemories wants what is remembered to come back as it was.
func TestMemories(t *testing.T) {
	place, session := someMemories()
	all := cmp.Exporter(func(_ reflect.Type) bool { return true })
	if diff := cmp.Diff(place, decodePlace(place.encode()), all, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(session, decodeSession(session.encode()), all, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	for _, b := range [][]byte{place.encode(), session.encode()} {
		b[0]++
		if decodePlace(b) != nil || decodeSession(b) != nil {
			t.Error("another version's memory counts")
		}
	}
}

// FuzzMemory decodes anything; what it takes encodes to something that decodes
// to the same.
func FuzzMemory(f *testing.F) {
	place, session := someMemories()
	f.Add(place.encode())
	f.Add(session.encode())
	f.Add([]byte{memoryVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		if m := decodePlace(b); m != nil {
			again := decodePlace(m.encode())
			if again == nil || !bytes.Equal(again.encode(), m.encode()) {
				t.Errorf("%x decodes to %+v, then to %+v", b, m, again)
			}
		}
		if m := decodeSession(b); m != nil {
			again := decodeSession(m.encode())
			if again == nil || !bytes.Equal(again.encode(), m.encode()) {
				t.Errorf("%x decodes to %+v, then to %+v", b, m, again)
			}
		}
	})
}
