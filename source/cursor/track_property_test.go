package cursor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A model is what a made-up Cursor knows of its conversations.
type model struct {
	t     *rapid.T
	conn  *sqlite.Conn
	path  string
	chats []*modelChat
	next  int
	saved []byte // an older copy of the database
}

type modelChat struct {
	id      string
	name    string
	listed  []string // bubbles in the headers
	stored  []string // bubbles that have a record
	extra   string   // further members of the record
	created int
}

func (m *model) exec(statements ...string) {
	m.t.Helper()
	if err := transact(m.conn, statements); err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) open() {
	m.t.Helper()
	var err error
	if m.conn, err = sqlite.OpenConn(m.path, sqlite.OpenReadWrite); err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) close() {
	m.t.Helper()
	if err := m.conn.Close(); err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) draw(n int) int { return rapid.IntRange(0, n-1).Draw(m.t, "n") }

func (m *model) chat() *modelChat { return m.chats[m.draw(len(m.chats))] }

// record is the composerData of a chat. Some headers are dated.
func (c *modelChat) record() string {
	var headers []string
	for i, id := range c.listed {
		at := ""
		if i%5 == 4 {
			at = fmt.Sprintf(`,"createdAt":"2025-12-01T11:%02d:00.000Z"`, i%60)
		}
		headers = append(headers, fmt.Sprintf(`{"bubbleId":"%s","type":%d%s}`, id, 1+i%2, at))
	}
	return fmt.Sprintf(`{"_v":10,"name":"%s","createdAt":1764583200000,"lastUpdatedAt":%d%s,"fullConversationHeadersOnly":[%s]}`,
		c.name, 1764583200000+c.created, c.extra, strings.Join(headers, ","))
}

// bubble makes a record of some kind; n tells it from others.
func (m *model) bubble(n int) string {
	at := fmt.Sprintf(`,"createdAt":"2025-12-01T10:%02d:%02d.000Z"`, n/60%60, n%60)
	switch m.draw(12) {
	case 0:
		return fmt.Sprintf(`{"_v":3,"type":2,"text":"undated %d"}`, n)
	case 1:
		return fmt.Sprintf(`{"_v":3,"type":1,"text":"asked %d","requestId":"r%d"}`, n, n%3)
	case 2:
		return fmt.Sprintf(`{"_v":3,"type":1,"text":"with a model %d","requestId":"r%d","modelInfo":{"modelName":"m%d"}%s}`, n, n%3, n%3, at)
	case 3:
		return fmt.Sprintf(`{"_v":3,"type":2,"thinking":{"text":"hm %d"},"text":"said","tokenCount":{"inputTokens":%d,"outputTokens":1}%s}`, n, n%7, at)
	case 4:
		return fmt.Sprintf(`{"_v":3,"type":2,"toolFormerData":{"tool":7,"name":"edit_file","toolCallId":"t%d","status":"completed","params":"{\"relativeWorkspacePath\":\"a.py\"}","additionalData":{"codeblockId":"blk%d"}}%s}`, n, n%3, at)
	case 5:
		return fmt.Sprintf(`{"_v":3,"type":2,"toolFormerData":{"tool":15,"name":"run_terminal_cmd","toolCallId":"t%d","status":"running","params":"{\"command\":\"ls\"}"}%s}`, n, at)
	case 6:
		return fmt.Sprintf(`{"_v":3,"type":2,"text":"cut %d`, n)
	case 7:
		return fmt.Sprintf(`{"_v":3,"type":1,"text":"at a checkpoint %d","checkpointId":"k%d"%s}`, n, n%2, at)
	}
	return fmt.Sprintf(`{"_v":3,"type":%d,"text":"message %d"%s}`, 1+n%2, n, at)
}

func (m *model) key(c *modelChat, bubble string) string { return "bubbleId:" + c.id + ":" + bubble }

func (m *model) number() int {
	m.next++
	return m.next
}

// add appends bubbles; some are left out of the headers, some have no record.
func (m *model) add(c *modelChat, n int) []string {
	var out []string
	for range n {
		i := m.number()
		id := fmt.Sprintf("b%d", i)
		kind := m.draw(8)
		if kind != 0 {
			c.listed = append(c.listed, id)
		}
		if kind != 1 {
			c.stored = append(c.stored, id)
			out = append(out, replace(m.key(c, id), m.bubble(i)))
		}
	}
	c.created += n
	return append(out, replace("composerData:"+c.id, c.record()))
}

// step does one thing that happens to a history.
func (m *model) step() string {
	c := m.chat()
	stored := func(do func(key string) string) string {
		if len(c.stored) == 0 {
			return "SELECT 1"
		}
		return do(m.key(c, c.stored[m.draw(len(c.stored))]))
	}
	steps := []struct {
		name string
		do   func() []string
	}{
		{"append", func() []string { return m.add(c, 1+m.draw(5)) }},
		{"append", func() []string { return m.add(c, 1+m.draw(5)) }},
		{"replace", func() []string {
			return []string{stored(func(key string) string { return replace(key, m.bubble(m.number())) })}
		}},
		{"update", func() []string {
			return []string{stored(func(key string) string { return overwrite(key, m.bubble(m.number())) })}
		}},
		{"tombstone", func() []string {
			return []string{stored(func(key string) string { return "UPDATE cursorDiskKV SET value = NULL WHERE key = " + quoted(key) })}
		}},
		{"delete", func() []string { return []string{stored(remove)} }},
		{"delete the newest", func() []string {
			return []string{
				"DELETE FROM cursorDiskKV WHERE rowid > (SELECT max(rowid) - 3 FROM cursorDiskKV) AND key GLOB 'bubbleId:" + c.id + ":*'",
				stored(func(key string) string { return replace(key, m.bubble(m.number())) }),
			}
		}},
		{"rewind", func() []string {
			c.listed = c.listed[:len(c.listed)-min(len(c.listed), m.draw(4))]
			return []string{replace("composerData:"+c.id, c.record())}
		}},
		{"rename", func() []string {
			c.name = fmt.Sprintf("Name %d", m.number())
			return []string{replace("composerData:"+c.id, c.record())}
		}},
		{"new chat", func() []string {
			n := &modelChat{id: fmt.Sprintf("chat%d", m.number()), name: "New"}
			m.chats = append(m.chats, n)
			return m.add(n, m.draw(20))
		}},
		{"sub-agents and notes", func() []string {
			c.extra = fmt.Sprintf(`,"subagentComposerIds":["%s"],"todos":[{"content":"todo %d","status":"pending"}],"latestCheckpointId":"k%d"`, m.chat().id, m.number(), m.draw(2))
			return []string{replace("composerData:"+c.id, c.record())}
		}},
		{"code blocks", func() []string {
			c.extra = fmt.Sprintf(`,"codeBlockData":{"file:///home/ada/a.py":{"blk%d":{"diffId":"d%d"}}},"originalFileStates":{"file:///home/ada/a.py":{"content":"a\nb\nc"}}`, m.draw(3), m.draw(2))
			return []string{replace("composerData:"+c.id, c.record())}
		}},
		{"diff", func() []string {
			return []string{replace(fmt.Sprintf("codeBlockDiff:%s:d%d", c.id, m.draw(2)), fmt.Sprintf(`{"newModelDiffWrtV0":[{"original":{"startLineNumber":2,"endLineNumberExclusive":3},"modified":["n%d"]}],"originalModelDiffWrtV0":[]}`, m.number()))}
		}},
		{"checkpoint record", func() []string {
			return []string{replace(fmt.Sprintf("checkpointId:%s:k%d", c.id, m.draw(2)), fmt.Sprintf(`{"files":[{"uri":{"path":"/home/ada/a.py"},"originalModelDiffWrtV0":[{"original":{"startLineNumber":1,"endLineNumberExclusive":2},"modified":["k%d"]}]}]}`, m.number()))}
		}},
		{"head", func() []string {
			return []string{"INSERT OR REPLACE INTO ItemTable VALUES ('composer.composerHeaders', " + quoted(fmt.Sprintf(`{"allComposers":[{"composerId":"%s","unifiedMode":"mode%d"}]}`, c.id, m.number())) + ")"}
		}},
		{"setting", func() []string {
			return []string{fmt.Sprintf("INSERT OR REPLACE INTO ItemTable VALUES ('s%d', 'x')", m.draw(3))}
		}},
		{"blob", func() []string { return []string{replace(fmt.Sprintf("agentKv:blob:%d", m.number()), "b")} }},
		{"checkpoint", func() []string { return []string{"PRAGMA wal_checkpoint(TRUNCATE)"} }},
		{"journal", func() []string { return []string{"PRAGMA journal_mode=" + []string{"wal", "delete"}[m.draw(2)]} }},
		{"vacuum", func() []string { return []string{"VACUUM"} }},
		{"renumber", func() []string {
			return []string{
				"CREATE TABLE again (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)", "INSERT INTO again SELECT key, value FROM cursorDiskKV ORDER BY key",
				"DROP TABLE cursorDiskKV", "ALTER TABLE again RENAME TO cursorDiskKV",
			}
		}},
	}
	s := steps[m.draw(len(steps)+3)%len(steps)]
	m.exec(s.do()...)
	return s.name
}

// restart closes the database as Cursor does when it ends, sometimes to put an
// older copy in its place.
func (m *model) restart() string {
	m.close()
	defer m.open()
	now, err := os.ReadFile(m.path)
	if err != nil {
		m.t.Fatal(err)
	}
	if m.saved == nil || m.draw(2) == 0 {
		m.saved = now
		return "restart"
	}
	if err := os.WriteFile(m.path, m.saved, 0o644); err != nil {
		m.t.Fatal(err)
	}
	return "older copy"
}

// TestTrackProperty changes histories at random. After each batch of changes what
// Track and Resume keep up to date is what a fresh look finds, header by header
// and message by message.
func TestTrackProperty(t *testing.T) {
	for _, large := range []bool{false, true} {
		t.Run(fmt.Sprintf("large=%v", large), func(t *testing.T) {
			runs := 0
			rapid.Check(t, func(rt *rapid.T) {
				if runs++; runs > 12 && !testing.Verbose() {
					return
				}
				h := newHome(t)
				h.dir = filepath.Join(t.TempDir(), "User")
				h.db("globalStorage")
				h.close()
				m := &model{t: rt, path: filepath.Join(h.dir, "globalStorage", "state.vscdb")}
				m.open()
				defer func() { _ = m.conn.Close() }()
				if err := sqlitex.ExecuteTransient(m.conn, "PRAGMA journal_mode=wal", nil); err != nil {
					rt.Fatal(err)
				}
				for i := range 3 {
					c := &modelChat{id: fmt.Sprintf("c%d", i), name: fmt.Sprintf("Chat %d", i)}
					m.chats = append(m.chats, c)
					m.exec(m.add(c, 5+m.draw(60))...)
				}
				k := newKeeper(t, h.dir)
				if large {
					k.source.SpendNothing()
				}
				k.sync(false)
				k.check("at first")
				for range 6 {
					var names []string
					batch := 1
					if !large { // one change may hide another in place there
						batch += m.draw(4)
					}
					for range batch {
						if m.draw(10) == 0 {
							names = append(names, m.restart())
						} else {
							names = append(names, m.step())
						}
					}
					k.sync(large && names[0] == "older copy" || m.draw(20) == 0)
					k.check(strings.Join(names, ", "))
				}
			})
		})
	}
}
