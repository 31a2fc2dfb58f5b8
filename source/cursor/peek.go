package cursor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// How many records are read to find the folder of a conversation that no list
// and no record gives one.
const (
	peekBubbles  = 48
	peekContexts = 3
	peekFiles    = 4 // paths that are enough to tell
)

// errSeen ends a look that has seen enough.
var errSeen = errors.New("seen enough")

// outlineBubbles reads the few bubbles that a listing needs: the last one where
// its time stands nowhere else, the first of the user where there is no name,
// some for their paths where the folder is unknown.
func (g *catalog) outlineBubbles(ctx context.Context) error {
	if g.db == nil || g.brief {
		return nil
	}
	ids := slices.Sorted(maps.Keys(g.chats))
	ids = slices.DeleteFunc(ids, func(id string) bool {
		c := g.chats[id]
		return !c.bubbles || c.kind != bodyGlobal || g.only != "" && id != g.only
	})
	for batch := range slices.Chunk(ids, 32) {
		peeks, err := g.peekAt(ctx, batch)
		if retold.CodeOf(err) == retold.CodeDatabaseCorrupt { // one of them lies in a damaged part of the file
			peeks, err = nil, nil
			for _, id := range batch {
				one, oneErr := g.peekAt(ctx, []string{id})
				if peeks = append(peeks, one...); retold.CodeOf(oneErr) != retold.CodeDatabaseCorrupt { // else told when it is read
					err = errors.Join(err, oneErr)
				}
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // these are listed without what their bubbles would add
			g.trouble(g.db.Path(), "", retold.ProblemUnreadable, fmt.Errorf("read bubbles: %w", err))
		}
		for _, p := range peeks {
			p.apply()
		}
	}
	return nil
}

// peekAt looks at the bubbles of a few conversations in one transaction. With an
// error the peeks hold what was seen before it.
func (g *catalog) peekAt(ctx context.Context, ids []string) ([]peek, error) {
	var peeks []peek
	err := g.db.Read(ctx, func(conn *sqlite.Conn) error {
		peeks = make([]peek, 0, len(ids))
		for _, id := range ids {
			c := g.chats[id]
			peeks = append(peeks, peek{chat: c, placed: g.place(c).Path != ""})
			if err := peeks[len(peeks)-1].look(conn); err != nil {
				return err
			}
		}
		return nil
	})
	return peeks, err
}

// A peek collects what a look at the bubbles adds to a chat. It is thrown away
// when the read has to be repeated.
type peek struct {
	chat        *chat
	placed      bool // its folder is known
	first, last time.Time
	firstSource retold.TimeSource
	preview     string
	saidAt      time.Time // of the preview, where nothing orders the bubbles
	saidRow     int64
	unsure      bool // an undated message of the person may have come first
	projectDir  string
	spoken      paths.Location
	files       []string
}

func (p *peek) look(conn *sqlite.Conn) error {
	c := p.chat
	prefix := "bubbleId:" + c.id + ":"
	if c.headers == 0 && c.inline == 0 { // nothing orders them: look at all
		return p.each(conn, prefix, -1, p.seeUnordered)
	}
	if c.lastAt.IsZero() && c.last != "" {
		if err := p.one(conn, prefix+c.last, func(b *bubble) { p.last, _ = b.moment(time.Time{}) }); err != nil {
			return err
		}
	}
	if c.firstUser != "" && (c.title() == "" || c.meta.created.IsZero()) {
		err := p.one(conn, prefix+c.firstUser, func(b *bubble) {
			p.first, p.firstSource = b.moment(time.Time{})
			p.seeText(b)
		})
		if err != nil {
			return err
		}
	}
	if p.placed {
		return nil
	}
	if err := p.each(conn, prefix, peekBubbles, p.seePlace); err != nil && !errors.Is(err, errSeen) {
		return err
	}
	if p.spoken.Path != "" || p.projectDir != "" {
		return nil
	}
	return p.layouts(conn)
}

// one reads one bubble.
func (p *peek) one(conn *sqlite.Conn, key string, see func(*bubble)) error {
	found, err := get(conn, "cursorDiskKV", key)
	if err != nil {
		return err
	}
	if v, parseErr := jscan.Parse(found[key].value); parseErr == nil { // a malformed one is told when the session is read
		b := decodeBubble(v)
		see(&b)
	}
	return nil
}

// each reads up to limit bubbles whose keys start with prefix; -1 means all.
func (p *peek) each(conn *sqlite.Conn, prefix string, limit int, see func(*bubble, int64)) error {
	return sqlitex.Execute(conn, "SELECT rowid, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key LIMIT ?", &sqlitex.ExecOptions{
		Args: []any{prefix, end(prefix), limit},
		ResultFunc: func(s *sqlite.Stmt) error {
			v, err := jscan.Parse(column(s, 1))
			if err == nil { // a malformed one is told when the session is read
				b := decodeBubble(v)
				see(&b, s.ColumnInt64(0))
			}
			if limit == peekBubbles && (p.spoken.Path != "" || len(p.files) >= peekFiles) {
				return errSeen
			}
			return nil
		},
	})
}

// layouts looks into what was sent along with the first messages.
func (p *peek) layouts(conn *sqlite.Conn) error {
	prefix := "messageRequestContext:" + p.chat.id + ":"
	return sqlitex.Execute(conn, "SELECT value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key LIMIT ?", &sqlitex.ExecOptions{
		Args: []any{prefix, end(prefix), peekContexts},
		ResultFunc: func(s *sqlite.Stmt) error {
			v, err := jscan.Parse(column(s, 0))
			if err == nil && p.spoken.Path == "" { // nothing of a conversation is lost with a damaged one
				p.seeLayouts(v.Get("projectLayouts"))
			}
			return nil
		},
	})
}

func (p *peek) seeLayouts(layouts jscan.Value) {
	for layout := range layouts.Items() {
		if p.spoken = layoutRoot(layout); p.spoken.Path != "" {
			return
		}
	}
}

// seeUnordered takes what a listing needs from one of the bubbles that nothing
// orders but their times and, within one, the order of writing.
func (p *peek) seeUnordered(b *bubble, rowid int64) {
	at, source := b.moment(time.Time{})
	if !at.IsZero() && (p.first.IsZero() || at.Before(p.first)) {
		p.first, p.firstSource = at, source
	}
	if at.After(p.last) {
		p.last = at
	}
	if role, text := b.said(); role == retold.RoleUser && retold.Preview(text) != "" {
		p.unsure = p.unsure || at.IsZero()
		if p.preview == "" || cmp.Or(at.Compare(p.saidAt), cmp.Compare(rowid, p.saidRow)) < 0 {
			p.preview, p.saidAt, p.saidRow = retold.Preview(text), at, rowid
		}
	}
	p.seePlace(b, rowid)
}

func (p *peek) seeText(b *bubble) {
	if role, text := b.said(); role == retold.RoleUser {
		p.preview = retold.Preview(text)
	}
}

func (p *peek) seePlace(b *bubble, _ int64) {
	if p.projectDir == "" {
		p.projectDir = b.place.projectDir
	}
	if p.spoken.Path == "" {
		for uri := range b.place.uris.Items() {
			p.spoken = location(uri)
			break
		}
	}
	if p.spoken.Path == "" {
		p.seeLayouts(b.place.layouts)
	}
	if len(p.files) >= maxHintFiles {
		return
	}
	add := func(file string) {
		if isAbsolute(file) && !strings.Contains(strings.ReplaceAll(file, `\`, "/"), "/.cursor/") { // the agent's own: plans, captures
			p.files = append(p.files, file)
		}
	}
	for v := range b.context.Get("fileSelections").Items() {
		add(uriPath(v.Get("uri")))
	}
	for v := range b.place.relevant.Items() {
		add(v.Text())
	}
	if isTool(b.tool) {
		t := toolData{name: b.tool.Get("name").Str(), params: b.tool.Get("params").Embedded()} // results are long and not needed
		t.id, _ = b.tool.Get("tool").Int()
		if t.params.Empty() {
			t.args = b.tool.Get("rawArgs").Embedded()
		}
		for _, file := range t.paths(t.kind()) {
			add(file)
		}
		for _, key := range []string{"cwd", "workingDirectory"} {
			if dir := t.params.Get(key).Str(); dir != "" {
				add(strings.TrimRight(dir, "/") + "/.")
			}
		}
	}
}

func (p *peek) apply() {
	c := p.chat
	if c.lastAt.IsZero() {
		c.lastAt = p.last
	}
	if c.meta.created.IsZero() {
		c.meta.created, c.createdSource = p.first, p.firstSource
	}
	if c.preview == "" && !p.unsure {
		c.preview = p.preview
	}
	c.projectDir = p.projectDir
	if c.spoken.Path == "" {
		c.spoken = p.spoken
	}
	if len(c.files) == 0 {
		c.files = p.files
	}
}
