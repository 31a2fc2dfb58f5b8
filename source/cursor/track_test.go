package cursor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/cursor"
	"github.com/retold-history/retold/source/sourcetest"
)

// A keeper does what a library does: it tracks a place and keeps a copy of each
// session, brought up to date by what Track names and Resume yields.
type keeper struct {
	t       testing.TB
	source  *cursor.Source
	place   retold.Place
	memory  []byte
	headers map[string]retold.Header
	copies  map[string]*sourcetest.Copy
}

func newKeeper(t testing.TB, user string) *keeper {
	return &keeper{t: t, source: source(user), place: retold.Place{Agent: "cursor", Path: user}, headers: map[string]retold.Header{}, copies: map[string]*sourcetest.Copy{}}
}

// sync brings the copies up to date and returns what changed.
func (k *keeper) sync(full bool) *retold.Track {
	k.t.Helper()
	found, err := k.source.Track(k.t.Context(), k.place, k.memory, full)
	if err != nil {
		k.t.Fatal(err)
	}
	k.memory = found.Memory
	if found.Same {
		return found
	}
	for id := range k.headers {
		if !slices.Contains(found.All, id) {
			delete(k.headers, id)
			delete(k.copies, id)
		}
	}
	for _, h := range found.Changed {
		k.headers[h.ID] = h
		have := k.copies[h.ID]
		if have == nil {
			have = &sourcetest.Copy{}
		}
		k.copies[h.ID] = k.resume(h.Ref, have)
	}
	return found
}

func (k *keeper) resume(ref retold.Ref, have *sourcetest.Copy) *sourcetest.Copy {
	k.t.Helper()
	if next := sourcetest.CheckResume(k.t, k.source, ref, have.Memory, have.Messages); next != nil {
		return next
	}
	k.t.FailNow()
	return nil
}

// check wants the copies to be what a fresh look and fresh readings give.
func (k *keeper) check(what string) {
	k.t.Helper()
	fresh := map[string]retold.Header{}
	for h, err := range source(k.place.Path).Headers(k.t.Context(), k.place) {
		if err != nil {
			k.t.Fatalf("%s: %v", what, err)
		}
		fresh[h.ID] = h
	}
	if diff := gocmp.Diff(fresh, k.headers); diff != "" {
		k.t.Fatalf("%s: headers (-fresh +kept)\n%s", what, diff)
	}
	for id, h := range fresh {
		d, err := k.source.Session(k.t.Context(), h.Ref)
		if err != nil {
			k.t.Fatalf("%s: %v", what, err)
		}
		if diff := gocmp.Diff(d.Messages, k.copies[id].Messages); diff != "" && len(d.Messages)+len(k.copies[id].Messages) > 0 {
			k.t.Fatalf("%s: messages of %s (-fresh +kept)\n%s", what, id, diff)
		}
	}
}

func changedIDs(found *retold.Track) (ids []string) {
	for _, h := range found.Changed {
		ids = append(ids, h.ID)
	}
	slices.Sort(ids)
	return ids
}

// record is a conversation whose bubbles b0 to bn-1 are listed, and bubbleText one
// of them.
func record(name string, n int) string {
	var headers []string
	for i := range n {
		headers = append(headers, fmt.Sprintf(`{"bubbleId":"b%d","type":%d}`, i, 1+i%2))
	}
	return fmt.Sprintf(`{"_v":10,"name":"%s","createdAt":1764583200000,"lastUpdatedAt":%d,"fullConversationHeadersOnly":[%s]}`, name, 1764583200000+n, strings.Join(headers, ","))
}

func bubbleText(i int, text string) string {
	return fmt.Sprintf(`{"_v":3,"type":%d,"text":"%s","createdAt":"2025-12-01T10:%02d:%02d.000Z"}`, 1+i%2, text, i/60%60, i%60)
}

// three makes a home with three conversations of n messages and a workspace.
func three(t testing.TB, n int) *home {
	h := newHome(t)
	for s := range 3 {
		id := fmt.Sprintf("s%d", s)
		for i := range n {
			h.kv(fmt.Sprintf("bubbleId:%s:b%d", id, i), bubbleText(i, fmt.Sprintf("message %d", i)))
		}
		h.kv("composerData:"+id, record("Chat "+id, n))
	}
	h.put("globalStorage", "ItemTable", "some.setting", "on")
	h.kv("agentKv:blob:"+strings.Repeat("ab", 32), []byte("blob"))
	h.close()
	return h
}

// TestRowids does to a database all that was found to happen to rowids, in both
// journal modes, to a small file and as if to a large one: each is noticed, and
// the conversation it happened to is brought up to date.
func TestRowids(t *testing.T) {
	const n = 40
	grown := func(size int) string { return bubbleText(20, strings.Repeat("grows ", size)) }
	upsert := "INSERT OR IGNORE INTO cursorDiskKV (key, value) VALUES ('x', 'y')"
	for _, c := range []struct {
		name string
		do   [][]string
		want string // the conversation it happens to; "" where rows of all moved
	}{
		{"insert", [][]string{{replace("bubbleId:s1:b40", bubbleText(40, "new")), replace("composerData:s1", record("Chat s1", n+1))}}, "s1"},
		{"insert a bubble alone", [][]string{{replace("bubbleId:s1:stray", bubbleText(3, "stray"))}}, "s1"},
		{"replace", [][]string{{replace("bubbleId:s1:b20", bubbleText(20, "rewritten"))}}, "s1"},
		{"replace the newest", [][]string{{replace("bubbleId:s2:b39", bubbleText(39, "rewritten"))}}, "s2"},
		{"update", [][]string{{overwrite("bubbleId:s1:b20", bubbleText(20, "longer than before"))}}, "s1"},
		{"update to the same length", [][]string{{overwrite("bubbleId:s1:b20", bubbleText(20, "message xx"))}}, "s1"},
		{"upsert", [][]string{{"INSERT INTO cursorDiskKV (key, value) VALUES ('bubbleId:s1:b20', " + quoted(bubbleText(20, "upserted")) + ") ON CONFLICT (key) DO UPDATE SET value = excluded.value"}}, "s1"},
		{"stream in place", [][]string{{overwrite("bubbleId:s1:b20", grown(2))}, {overwrite("bubbleId:s1:b20", grown(40))}, {overwrite("bubbleId:s1:b20", grown(4000))}}, "s1"},
		{"delete", [][]string{{remove("bubbleId:s1:b20")}}, "s1"},
		{"delete the newest, reuse its rowid", [][]string{{replace("bubbleId:s1:b98", bubbleText(9, "x")), replace("bubbleId:s1:b99", bubbleText(9, "x"))}, {
			remove("bubbleId:s1:b98"), remove("bubbleId:s1:b99"), replace("bubbleId:s1:b7", bubbleText(7, "again")), replace("agentKv:blob:other", "z"),
		}}, "s1"},
		{"delete the newest, insert it again", [][]string{{replace("bubbleId:s1:b99", bubbleText(9, "x"))}, {remove("bubbleId:s1:b99"), replace("bubbleId:s1:b99", bubbleText(9, "yy"))}}, "s1"},
		{"tombstone", [][]string{{"UPDATE cursorDiskKV SET value = NULL WHERE key = 'bubbleId:s1:b20'"}}, "s1"},
		{"rename", [][]string{{replace("composerData:s1", record("Another name", n))}}, "s1"},
		{"rename in place", [][]string{{overwrite("composerData:s1", record("Chat z1", n))}}, "s1"},
		{"delete all, insert", [][]string{{"DELETE FROM cursorDiskKV", replace("bubbleId:s1:b0", bubbleText(0, "alone")), replace("composerData:s1", record("Chat s1", 1))}}, ""},
		{"vacuum", [][]string{{overwrite("bubbleId:s1:b20", bubbleText(20, "message yy"))}, {"VACUUM"}}, "s1"},
		{"renumber", [][]string{{
			"CREATE TABLE again (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)", "INSERT INTO again SELECT key, value FROM cursorDiskKV ORDER BY key DESC",
			"DROP TABLE cursorDiskKV", "ALTER TABLE again RENAME TO cursorDiskKV", overwrite("bubbleId:s1:b20", bubbleText(20, "message zz")),
		}}, ""},
		{"checkpoint", [][]string{{replace("bubbleId:s1:b20", bubbleText(20, "one"))}, {"PRAGMA wal_checkpoint(TRUNCATE)"}, {replace("bubbleId:s1:b20", bubbleText(20, "two"))}}, "s1"},
		{"log started over", [][]string{{overwrite("bubbleId:s1:b20", bubbleText(20, "message 1x"))}, {"PRAGMA wal_checkpoint(RESTART)"}, {overwrite("bubbleId:s1:b20", bubbleText(20, "message 2x"))}}, "s1"},
		{"another journal", [][]string{{"PRAGMA journal_mode=persist"}, {overwrite("bubbleId:s1:b20", bubbleText(20, "message 1x"))}}, "s1"},
		{"something else", [][]string{{upsert}, {"INSERT OR REPLACE INTO ItemTable VALUES ('some.setting', 'off')"}}, "none"},
	} {
		for _, mode := range []string{"wal", "delete"} {
			for _, large := range []bool{false, true} {
				name := fmt.Sprintf("%s/%s/large=%v", c.name, mode, large)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					h := three(t, n)
					w := startScribe(t, h.dir, mode)
					k := newKeeper(t, h.dir)
					if large {
						k.source.SpendNothing()
					}
					k.sync(false)
					k.sync(true) // so that the values are known
					for _, statements := range c.do {
						w.do(statements...)
						found := k.sync(false)
						if ids := changedIDs(found); c.want != "" && !found.Same && len(ids) > 0 && !slices.Equal(ids, []string{c.want}) {
							t.Errorf("%q: changed are %v", statements, ids)
						}
						k.check(name)
						if again := k.sync(false); !again.Same {
							t.Errorf("%q: the next look is not Same", statements)
						}
					}
					w.stop()
					k.sync(false)
					k.check("after the writer closed it")
				})
			}
		}
	}
}

// TestOlderCopy puts an older copy of the database in its place, as a restore or a
// synchronised folder does.
func TestOlderCopy(t *testing.T) {
	for _, how := range []string{"renamed", "written over"} {
		t.Run(how, func(t *testing.T) {
			h := three(t, 20)
			k := newKeeper(t, h.dir)
			k.source.SpendNothing()
			path := filepath.Join(h.dir, "globalStorage", "state.vscdb")
			older, err := os.ReadFile(path)
			h.check(err)
			k.sync(false)
			w := startScribe(t, h.dir, "delete")
			w.do(replace("bubbleId:s1:b20", bubbleText(20, "new")), replace("composerData:s1", record("Chat s1", 21)))
			w.stop()
			k.sync(false)
			k.check("before")
			to := path
			if how == "renamed" {
				to += ".new"
			}
			h.check(os.WriteFile(to, older, 0o644))
			if how == "renamed" {
				h.check(os.Rename(to, path))
			}
			k.sync(false)
			k.check("with the older copy")
		})
	}
}

// TestWorkspaces moves conversations about by what the workspaces and lists say.
func TestWorkspaces(t *testing.T) {
	h := three(t, 4)
	h.put("workspaceStorage/aaaa", "ItemTable", "composer.composerData", `{"allComposers":[{"composerId":"s1"}]}`)
	h.put("workspaceStorage/bbbb", "ItemTable", "aiService.prompts", `[{"text":"only a prompt","commandType":4}]`)
	h.close()
	locate := func(ws, folder string) {
		h.check(os.WriteFile(filepath.Join(h.dir, "workspaceStorage", ws, "workspace.json"), []byte(`{"folder":"file:///home/ada/`+folder+`"}`), 0o644))
	}
	locate("aaaa", "shop")
	k := newKeeper(t, h.dir)
	k.source.SpendNothing()
	k.sync(false)
	k.check("at first")
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"the workspace is another folder", func() { locate("aaaa", "another") }, []string{"s1"}},
		{"a list names another", func() {
			h.put("workspaceStorage/aaaa", "ItemTable", "composer.composerData", `{"allComposers":[{"composerId":"s1"},{"composerId":"s2"}]}`)
		}, []string{"s2"}},
		{"a setting of the workspace", func() { h.put("workspaceStorage/aaaa", "ItemTable", "some.setting", "x") }, nil},
		{"a prompt where there is a conversation", func() {
			h.put("workspaceStorage/aaaa", "ItemTable", "aiService.prompts", `[{"text":"unseen","commandType":4}]`)
		}, nil},
		{"a prompt where there is none", func() {
			h.put("workspaceStorage/bbbb", "ItemTable", "aiService.prompts", `[{"text":"only a prompt","commandType":4},{"text":"and another","commandType":4}]`)
		}, []string{"prompts-bbbb"}},
		{"a head", func() {
			h.put("globalStorage", "ItemTable", "composer.composerHeaders", `{"allComposers":[{"composerId":"s0","isArchived":true}]}`)
		}, []string{"s0"}},
		{"another head", func() {
			h.put("globalStorage", "ItemTable", "composer.composerHeaders", `{"allComposers":[{"composerId":"s0","isArchived":true},{"composerId":"s2","unifiedMode":"plan"}]}`)
		}, []string{"s2"}},
		{"a parent", func() {
			h.kv("composerData:s0", strings.Replace(record("Chat s0", 4), "{", `{"subagentInfo":{"parentComposerId":"s2"},`, 1))
		}, []string{"s0"}},
		{"a new workspace", func() { h.put("workspaceStorage/cccc", "ItemTable", "x", "y") }, nil},
		{"a new conversation", func() { h.kv("composerData:new", record("New", 0)) }, []string{"new"}},
	}
	for _, s := range steps {
		s.do()
		h.close()
		found := k.sync(false)
		k.check(s.name)
		if ids := changedIDs(found); !slices.Equal(ids, s.want) {
			t.Errorf("%s: changed are %v, want %v", s.name, ids, s.want)
		}
	}
}
