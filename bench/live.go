package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Live adds to a made history the way a running Cursor does: through one
// connection in write-ahead-log mode that stays open, a transaction for each
// step of the conversation.
type Live struct {
	conn *sqlite.Conn
	rng  *rand.Rand
	at   time.Time
	n    int
}

// OpenLive opens a made database for writing. Close it.
func OpenLive(ctx context.Context, path string) (*Live, error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenWAL)
	if err != nil {
		return nil, fmt.Errorf("write to %s: %w", path, err)
	}
	conn.SetInterrupt(ctx.Done())
	if err := sqlitex.ExecuteTransient(conn, "PRAGMA synchronous=NORMAL", nil); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Live{conn: conn, rng: rand.New(rand.NewPCG(7, 0x6c697665)), at: time.UnixMilli(anchor).Add(time.Hour)}, nil //nolint:gosec // made-up text
}

// Close ends writing, and the write-ahead log with it.
func (l *Live) Close() error { return l.conn.Close() }

// Append adds n messages to the end of a session in one transaction and returns
// a word that occurs in the last of them and nowhere else.
func (l *Live) Append(session string, n int) (word string, err error) {
	end, err := sqlitex.ImmediateTransaction(l.conn)
	if err != nil {
		return "", err
	}
	defer end(&err)
	composer, err := sqlitex.ResultText(l.conn.Prep("SELECT value FROM cursorDiskKV WHERE key = 'composerData:" + session + "'"))
	if err != nil {
		return "", fmt.Errorf("read session %s: %w", session, err)
	}
	head, tail, found := strings.Cut(composer, `],"conversationMap"`)
	if !found {
		return "", fmt.Errorf("read session %s: it has no list of messages", session)
	}
	for range n {
		l.n++
		l.at = l.at.Add(3 * time.Second)
		word = "zqlive" + strconv.Itoa(l.n)
		id := (&writer{rng: l.rng}).uuid()
		if err := l.put("bubbleId:"+session+":"+id, l.bubble(id, word)); err != nil {
			return "", err
		}
		head += `,{"bubbleId":"` + id + `","type":2}`
	}
	composer = touched(head+`],"conversationMap"`+tail, l.at)
	if err := l.put("composerData:"+session, []byte(composer)); err != nil {
		return "", err
	}
	return word, l.list(session)
}

// bubble is a reply of a few sentences.
func (l *Live) bubble(id, word string) []byte {
	b := append([]byte(`{"_v":3,"type":2`), emptyA...)
	b = fmt.Appendf(b, `,"bubbleId":"%s","text":"The check still fails here and the cause is the same as before (%s), so the next step is to read the log of the last run again.","conversationState":"~"`, id, word)
	b = append(b, emptyB...)
	return fmt.Appendf(b, `,"requestId":"%s","createdAt":"%s","tokenCount":{"inputTokens":0,"outputTokens":0},"unifiedMode":2,"isAgentic":true,"modelInfo":{"modelName":"default"}}`,
		id, l.at.UTC().Format("2006-01-02T15:04:05.000Z"))
}

// list brings the session's entry in the list of all sessions up to date, where
// this version of Cursor has one.
func (l *Live) list(session string) error {
	var head string
	err := sqlitex.Execute(l.conn, "SELECT value FROM composerHeaders WHERE composerId = ?", &sqlitex.ExecOptions{
		Args: []any{session}, ResultFunc: func(stmt *sqlite.Stmt) error { head = stmt.ColumnText(0); return nil },
	})
	if err != nil || head == "" {
		return err
	}
	head = touched(head, l.at)
	if !json.Valid([]byte(head)) {
		return fmt.Errorf("the entry of session %s is no JSON", session)
	}
	return sqlitex.Execute(l.conn, "UPDATE composerHeaders SET lastUpdatedAt = ?1, recency = ?1, value = ?2 WHERE composerId = ?3", &sqlitex.ExecOptions{
		Args: []any{l.at.UnixMilli(), head, session},
	})
}

func (l *Live) put(key string, value []byte) error {
	return sqlitex.Execute(l.conn, "INSERT INTO cursorDiskKV (key, value) VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{key, string(value)}})
}

// touched sets the time of the last change in a record.
func touched(record string, at time.Time) string {
	const name = `"lastUpdatedAt":`
	i := strings.LastIndex(record, name)
	if i < 0 {
		return record
	}
	rest := strings.TrimLeft(record[i+len(name):], "0123456789")
	return record[:i+len(name)] + strconv.FormatInt(at.UnixMilli(), 10) + rest
}
