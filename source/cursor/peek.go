package cursor

import (
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
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
)

// How many bubbles are read to find the folder of a conversation that no list
// and no record gives one.
const (
	peekBubbles = 48
	peekFiles   = 4 // paths that are enough to tell
)

// errSeen ends a look that has seen enough.
var errSeen = errors.New("seen enough")

// outlineBubbles reads the few bubbles that a listing needs: the last one where
// its time stands nowhere else, the first of the user where there is no name,
// some for their paths where the folder is unknown.
func (g *catalog) outlineBubbles(ctx context.Context, db *livedb.DB) error {
	ids := slices.Sorted(maps.Keys(g.chats))
	ids = slices.DeleteFunc(ids, func(id string) bool {
		return !g.chats[id].bubbles || g.only != "" && id != g.only
	})
	for batch := range slices.Chunk(ids, 32) {
		peeks := make([]peek, len(batch))
		err := db.Read(ctx, func(conn *sqlite.Conn) error {
			for i, id := range batch {
				peeks[i] = peek{chat: g.chats[id]}
				if err := peeks[i].look(conn); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("read bubbles: %w", err)
		}
		for _, p := range peeks {
			p.apply()
		}
	}
	return nil
}

// A peek collects what a look at the bubbles adds to a chat. It is thrown away
// when the read has to be repeated.
type peek struct {
	chat        *chat
	first, last time.Time
	preview     string
	spoken      paths.Location
	files       []string
}

func (p *peek) look(conn *sqlite.Conn) error {
	c := p.chat
	prefix := "bubbleId:" + c.id + ":"
	if c.headers == 0 && c.inline == 0 { // nothing orders them: look at all
		return p.each(conn, prefix, -1, p.seeUnordered)
	}
	want := map[string]func(*bubble){}
	if c.lastAt.IsZero() && c.last != "" {
		want[prefix+c.last] = func(b *bubble) { p.last, _ = b.moment(time.Time{}) }
	}
	if c.meta.name == nil || *c.meta.name == "" || c.meta.created.IsZero() {
		if see := want[prefix+c.firstUser]; c.firstUser != "" && see == nil {
			want[prefix+c.firstUser] = func(b *bubble) { p.first, _ = b.moment(time.Time{}); p.seeText(b) }
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if err := p.each(conn, key, 1, want[key]); err != nil {
			return err
		}
	}
	if c.ownID != "" || c.listID != "" || c.explicit.Path != "" {
		return nil
	}
	err := p.each(conn, prefix, peekBubbles, p.seePlace)
	if errors.Is(err, errSeen) {
		return nil
	}
	return err
}

// each reads up to limit bubbles whose keys start with prefix; -1 means all.
func (p *peek) each(conn *sqlite.Conn, prefix string, limit int, see func(*bubble)) error {
	return sqlitex.Execute(conn, "SELECT value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key LIMIT ?", &sqlitex.ExecOptions{
		Args: []any{prefix, end(prefix), limit},
		ResultFunc: func(s *sqlite.Stmt) error {
			v, err := jscan.Parse(column(s, 0))
			if err == nil { // a malformed one is told when the session is read
				b := decodeBubble(v)
				see(&b)
			}
			if limit == peekBubbles && (p.spoken.Path != "" || len(p.files) >= peekFiles) {
				return errSeen
			}
			return nil
		},
	})
}

func (p *peek) seeUnordered(b *bubble) {
	at, _ := b.moment(time.Time{})
	if !at.IsZero() && (p.first.IsZero() || at.Before(p.first)) {
		p.first = at
		p.preview = ""
	}
	if p.preview == "" {
		p.seeText(b)
	}
	if at.After(p.last) {
		p.last = at
	}
	p.seePlace(b)
}

func (p *peek) seeText(b *bubble) {
	if role, text := b.said(); role == retold.RoleUser {
		p.preview = retold.Preview(text)
	}
}

func (p *peek) seePlace(b *bubble) {
	if p.spoken.Path == "" {
		for uri := range b.place.uris.Items() {
			p.spoken = location(uri)
			break
		}
	}
	if len(p.files) >= maxHintFiles {
		return
	}
	for v := range b.context.Get("fileSelections").Items() {
		p.files = append(p.files, uriPath(v.Get("uri")))
	}
	for v := range b.place.relevant.Items() {
		p.files = append(p.files, v.Text())
	}
	if isTool(b.tool) {
		t := toolData{name: b.tool.Get("name").Str(), params: b.tool.Get("params").Embedded()}
		t.id, _ = b.tool.Get("tool").Int()
		if t.params.Empty() {
			t.args = b.tool.Get("rawArgs").Embedded()
		}
		p.files = append(p.files, t.files(toolKind(t.id, t.name))...)
		for _, key := range []string{"cwd", "workingDirectory"} {
			if dir := t.params.Get(key).Str(); dir != "" {
				p.files = append(p.files, strings.TrimRight(dir, "/")+"/.")
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
		c.meta.created = p.first
	}
	if c.preview == "" {
		c.preview = p.preview
	}
	c.spoken = p.spoken
	if len(c.files) == 0 {
		c.files = p.files
	}
}
