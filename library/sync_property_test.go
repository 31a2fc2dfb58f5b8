package library_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// Whatever a writer does to its database, and however often the library looks in
// between, what it then holds is what a new library would read, and all it ever
// held besides.
func TestSyncFollowsEveryEdit(t *testing.T) {
	root, runs := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		dir := filepath.Join(root, strconv.Itoa(runs))
		journal := rapid.SampledFrom([]string{"wal", "delete"}).Draw(rt, "journal")
		e := &editor{ide: newIDE(rt, filepath.Join(dir, "User"), journal), rt: rt, dir: dir}
		defer func() { e.close() }()
		e.say("session-a", "a01", "what does the parser do?")
		l := e.library(t, filepath.Join(dir, "library"))
		ever := map[string]bool{}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			silent := e.edit()
			if !silent && rapid.Bool().Draw(rt, "again before looking") {
				e.edit()
			}
			if _, err := l.Sync(t.Context(), library.SyncOptions{}); err != nil {
				rt.Fatal(err)
			}
			fresh := e.library(t, filepath.Join(dir, fmt.Sprintf("fresh%d", e.n)))
			want, got := contents(rt, fresh), contents(rt, l)
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("after %v (-fresh +kept)\n%s", e.done, diff)
			}
			e.nothingLost(ever, l)
			if err := fresh.Close(); err != nil {
				rt.Fatal(err)
			}
		}
	})
}

// contents is everything of a library that its sources still hold, session by
// session.
func contents(t tester, l *library.Library) map[string][]string {
	out := map[string][]string{}
	for d, err := range l.Each(context.Background(), retold.Filter{Empty: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if d.Gone {
			continue
		}
		title := d.Title
		if !strings.HasPrefix(title, "renamed") { // what was said first, which may be gone
			title = ""
		}
		lines := []string{fmt.Sprintf("%s %q %s %v %v", d.Agent, title, d.WorkspacePath, d.CreatedAt.UnixMilli(), d.UpdatedAt.UnixMilli())}
		for _, m := range d.Messages {
			if !m.Gone && !m.Stub {
				lines = append(lines, fmt.Sprintf("%s %s %s %q %v", m.ID, m.Role, m.Timestamp.Format("15:04:05.000"), m.Content, m.Orphan))
			}
		}
		out[d.ID] = lines
	}
	return out
}

// An editor does random things to a database.
type editor struct {
	*ide
	rt   *rapid.T
	dir  string
	n    int
	done []string
}

// nothingLost checks that every message that ever was still is.
func (e *editor) nothingLost(ever map[string]bool, l *library.Library) {
	now := map[string]bool{}
	for d, err := range l.Each(context.Background(), retold.Filter{Empty: true}) {
		if err != nil {
			e.rt.Fatal(err)
		}
		for _, m := range d.Messages {
			if !m.Stub {
				now[d.ID+" "+m.ID] = true
			}
		}
	}
	for key := range ever {
		if !now[key] {
			e.rt.Fatalf("after %v: %s is lost", e.done, key)
		}
	}
	maps.Copy(ever, now)
}

// pick chooses a session, and a bubble of it.
func (e *editor) pick() (session, id string, ok bool) {
	sessions := slices.Sorted(maps.Keys(e.order))
	if len(sessions) == 0 {
		return "", "", false
	}
	session = rapid.SampledFrom(sessions).Draw(e.rt, "session")
	if len(e.order[session]) == 0 {
		return session, "", false
	}
	return session, rapid.SampledFrom(e.order[session]).Draw(e.rt, "bubble"), true
}

// edit does one thing; silent says that no key and no other record shows it.
func (e *editor) edit() (silent bool) {
	e.n++
	what := rapid.SampledFrom([]string{
		"say", "say", "start", "replace", "grow", "update", "update same length", "upsert", "delete", "drop", "delete session", "rewind",
		"reuse", "vacuum", "renumber", "restore", "save", "move", "rename", "setting", "checkpoint",
	}).Draw(e.rt, "edit")
	session, id, ok := e.pick()
	if !ok && what != "start" && what != "setting" && what != "vacuum" && what != "save" && what != "restore" {
		what = "start"
	}
	e.done = append(e.done, what)
	text := fmt.Sprintf("text %d of the parser", e.n)
	switch what {
	case "start":
		e.say(fmt.Sprintf("session-%d", e.n), fmt.Sprintf("s%02d", e.n), text)
	case "say":
		e.say(session, fmt.Sprintf("b%02d%s", e.n, "x"[:e.n%2]), text)
	case "replace":
		e.put(bubbleKey(session, id), e.bubble(id, text))
	case "grow": // an answer as it streams in
		for range 3 {
			text += " and more"
			e.put(bubbleKey(session, id), e.bubble(id, text))
		}
	case "update":
		e.exec("UPDATE cursorDiskKV SET value = json_set(value, '$.text', ?) WHERE key = ?", text, bubbleKey(session, id))
		return true
	case "update same length":
		e.exec("UPDATE cursorDiskKV SET value = replace(value, 'parser', 'lexer!') WHERE key = ?", bubbleKey(session, id))
		return true
	case "upsert":
		e.exec("INSERT INTO cursorDiskKV (key, value) VALUES (?1, '{}') ON CONFLICT (key) DO UPDATE SET value = json_set(value, '$.text', ?2)", bubbleKey(session, id), text)
		return true
	case "delete":
		e.exec("DELETE FROM cursorDiskKV WHERE key = ?", bubbleKey(session, id))
		return true
	case "drop": // taken out of the conversation, too
		e.exec("DELETE FROM cursorDiskKV WHERE key = ?", bubbleKey(session, id))
		e.order[session] = slices.DeleteFunc(e.order[session], func(s string) bool { return s == id })
		e.record(session)
	case "rewind": // stored, but no longer part of it
		e.order[session] = e.order[session][:slices.Index(e.order[session], id)]
		e.record(session)
	case "delete session":
		e.exec("DELETE FROM cursorDiskKV WHERE key = ?1 OR key >= ?2 AND key < ?3", "composerData:"+session, "bubbleId:"+session+":", "bubbleId:"+session+";")
		delete(e.order, session)
		return true
	case "reuse": // the newest row goes, another takes its rowid
		e.exec("DELETE FROM cursorDiskKV WHERE rowid = (SELECT max(rowid) FROM cursorDiskKV)")
		e.put(bubbleKey(session, fmt.Sprintf("r%02d", e.n)), e.bubble(fmt.Sprintf("r%02d", e.n), text))
		return true
	default:
		e.file(what, session)
	}
	return false
}

// file does something to the file or to what surrounds the conversations.
func (e *editor) file(what, session string) {
	switch what {
	case "vacuum":
		e.exec("VACUUM")
	case "renumber":
		e.exec("CREATE TABLE fresh (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
		e.exec("INSERT INTO fresh SELECT key, value FROM cursorDiskKV ORDER BY key DESC")
		e.exec("DROP TABLE cursorDiskKV")
		e.exec("ALTER TABLE fresh RENAME TO cursorDiskKV")
	case "save":
		saved := filepath.Join(e.dir, "saved")
		e.check(os.RemoveAll(saved))
		e.exec("VACUUM INTO ?", saved)
	case "restore":
		saved, err := os.ReadFile(filepath.Join(e.dir, "saved"))
		if err != nil { // nothing was saved yet
			return
		}
		e.close()
		for _, suffix := range []string{"-wal", "-shm", "-journal"} {
			e.check(os.RemoveAll(e.db() + suffix))
		}
		e.check(os.WriteFile(e.db()+".new", saved, 0o644))
		e.check(os.Rename(e.db()+".new", e.db()))
		e.open()
		e.reload()
	case "move":
		e.place[session] = map[string]string{"": "lantern", "tidepool": "lantern", "lantern": "tidepool"}[e.place[session]]
		e.record(session)
	case "rename":
		e.name[session] = fmt.Sprintf("renamed %d", e.n)
		e.record(session)
	case "setting":
		e.exec("INSERT INTO ItemTable (key, value) VALUES ('window.zoom', ?)", e.n)
	case "checkpoint":
		e.exec("PRAGMA wal_checkpoint(TRUNCATE)")
	}
}

// reload learns which sessions and bubbles an older file has.
func (e *editor) reload() {
	e.order = map[string][]string{}
	e.keys("composerData:", func(id string) { e.order[id] = e.headers(id) })
}
