package cursor_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/sourcetest"
)

// big makes a home with conversations whose bubbles all begin a page of their own.
func big(t *testing.T, chats, bubbles int) *home {
	h := newHome(t)
	for c := range chats {
		for i := range bubbles {
			h.kv(fmt.Sprintf("bubbleId:s%d:b%d", c, i), bubbleText(i, pad))
		}
		h.kv(fmt.Sprintf("composerData:s%d", c), record(fmt.Sprintf("Chat %d", c), bubbles))
	}
	h.close()
	return h
}

// TestFiveMessagesReadFive appends to a conversation and destroys the pages of
// all messages before: what is read of the conversation is the five that are new.
func TestFiveMessagesReadFive(t *testing.T) {
	h := big(t, 3, 40)
	k := newKeeper(t, h.dir)
	k.source.SpendNothing()
	found, err := k.source.Track(t.Context(), k.place, nil, false)
	if err != nil || len(found.Changed) != 3 {
		t.Fatalf("%+v, %v", found, err)
	}
	ref := retold.Ref{Agent: "cursor", Place: h.dir, ID: "s1"}
	first, err := k.source.Resume(t.Context(), ref, nil, func(retold.Message) error { return nil })
	if err != nil || first.Memory == nil {
		t.Fatal(err)
	}
	w := startScribe(t, h.dir, "delete")
	var rows []string
	for i := range 5 {
		rows = append(rows, replace(fmt.Sprintf("bubbleId:s1:b%d", 40+i), bubbleText(40+i, "new")))
	}
	w.do(append(rows, replace("composerData:s1", record("Chat 1", 45)))...)
	w.stop()
	h.poison()
	next, err := k.source.Track(t.Context(), k.place, found.Memory, false)
	if err != nil || !slices.Equal(changedIDs(next), []string{"s1"}) || len(next.Errors) > 0 || next.Partial {
		t.Fatalf("%+v, %v", next, err)
	}
	var got []retold.Message
	reading, err := k.source.Resume(t.Context(), ref, first.Memory, func(m retold.Message) error { got = append(got, m); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if reading.From != 40 || len(got) != 5 || got[0].Content != "new" || got[0].Index != 40 || len(reading.ProblemList) > 0 || reading.Header.MessageCount != 45 {
		t.Errorf("from %d, %d messages, %+v", reading.From, len(got), reading.ProblemList)
	}
	if d, err := k.source.Session(t.Context(), ref); err != nil || len(d.ProblemList) == 0 {
		t.Errorf("the pages were not destroyed: %v", err)
	}
}

// TestUnrelatedWrites wants what does not concern conversations to change none of
// them and to cost no look at their keys: the index of the table is destroyed but
// for the pages that the other families need.
func TestUnrelatedWrites(t *testing.T) {
	h := newHome(t)
	for i := range 4000 {
		h.kv(fmt.Sprintf("bubbleId:s%d:%s%d", i%4, strings.Repeat("POISON", 20), i), bubbleText(i, "x"))
	}
	for c := range 4 {
		h.kv(fmt.Sprintf("composerData:s%d", c), record("Chat", 0))
	}
	h.put("globalStorage", "ItemTable", "some.setting", "on")
	h.close()
	k := newKeeper(t, h.dir)
	k.source.SpendNothing()
	found, err := k.source.Track(t.Context(), k.place, nil, false)
	if err != nil || len(found.Changed) != 4 {
		t.Fatalf("%+v, %v", found, err)
	}
	w := startScribe(t, h.dir, "delete")
	w.do("INSERT OR REPLACE INTO ItemTable VALUES ('some.setting', 'off')", replace("agentKv:blob:aa", "blob"))
	w.stop()
	path := filepath.Join(h.dir, "globalStorage", "state.vscdb")
	destroyIndex(t, path)
	next, err := k.source.Track(t.Context(), k.place, found.Memory, false)
	if err != nil || next.Same || len(next.Changed) > 0 || len(next.All) != 4 || next.Partial || len(next.Errors) > 0 {
		t.Fatalf("changed %v, all %v, %v, %v", changedIDs(next), next.All, next.Errors, err)
	}
	if whole, err := k.source.Track(t.Context(), k.place, nil, false); err != nil || len(whole.Errors) == 0 {
		t.Errorf("the index was not destroyed: %v", err)
	}
}

// destroyIndex overwrites the pages of the keys' index that hold bubbles in the
// middle of their range.
func destroyIndex(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for at := 4096; at+4096 <= len(b); at += 4096 {
		page := b[at : at+4096]
		if page[0] == 10 && bytes.Count(page, []byte("bubbleId:s1:")) > 5 && bytes.Count(page, []byte("bubbleId:s0:")) == 0 && bytes.Count(page, []byte("bubbleId:s2:")) == 0 { // a leaf of an index
			clear(page)
			n++
		}
	}
	if n == 0 {
		t.Fatal("nothing to destroy")
	}
	if err := os.WriteFile(path, b, 0o644); err != nil { //nolint:gosec // a test's own file
		t.Fatal(err)
	}
}

// TestSameOpensNothing looks again at files that SQLite could not read any more.
func TestSameOpensNothing(t *testing.T) {
	h := big(t, 2, 10)
	s := source(h.dir)
	place := retold.Place{Agent: "cursor", Path: h.dir}
	found, err := s.Track(t.Context(), place, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(h.dir, "globalStorage", "state.vscdb")
	info, err := os.Stat(path)
	h.check(err)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	h.check(err)
	_, err = f.WriteAt(make([]byte, 2048), 100)
	h.check(err)
	h.check(f.Close())
	h.check(os.Chtimes(path, info.ModTime(), info.ModTime()))
	again, err := s.Track(t.Context(), place, found.Memory, false)
	if err != nil || !again.Same || !bytes.Equal(again.Memory, found.Memory) {
		t.Errorf("%+v, %v", again, err)
	}
}

// TestTrackHandsOff looks and reads while another process writes: no byte, file,
// time or mode changes, and what it finds is what was committed.
func TestTrackHandsOff(t *testing.T) {
	h := three(t, 30)
	w := startScribe(t, h.dir, "wal")
	k := newKeeper(t, h.dir)
	for i := range 5 {
		w.do(replace(fmt.Sprintf("bubbleId:s1:b%d", 30+i), bubbleText(30+i, "new")), replace("composerData:s1", record("Chat s1", 31+i)))
		before := sourcetest.Tree(t, h.dir)
		k.sync(i == 3)
		k.sync(false)
		if diff := gocmp.Diff(before, sourcetest.Tree(t, h.dir)); diff != "" {
			t.Errorf("looking changed the folder\n%s", diff)
		}
		k.check("a live writer")
	}
	w.stop()
}

// TestPartial wants a database that cannot be read, or only in part, never to
// make a conversation look gone.
func TestPartial(t *testing.T) {
	h := big(t, 2, 3)
	s := source(h.dir)
	place := retold.Place{Agent: "cursor", Path: h.dir}
	found, err := s.Track(t.Context(), place, nil, false)
	if err != nil || found.Partial {
		t.Fatalf("%+v, %v", found, err)
	}
	path := filepath.Join(h.dir, "globalStorage", "state.vscdb")
	h.check(os.WriteFile(path, []byte("overwritten by something else"), 0o644))
	next, err := s.Track(t.Context(), place, found.Memory, false)
	if err != nil || !next.Partial || len(next.Errors) == 0 {
		t.Errorf("%+v, %v", next, err)
	}
	if _, err := s.Track(t.Context(), retold.Place{Agent: "cursor", Path: filepath.Join(h.dir, "none")}, nil, false); retold.CodeOf(err) != retold.CodeDatabaseNotFound {
		t.Errorf("a place that is not there: %v", err)
	}
}
