package cursor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
)

// loadRecords reads what the global database holds of conversations: which ids
// have bubbles, which an agent state, and every composerData record, or the one
// that is wanted.
func (g *catalog) loadRecords(ctx context.Context) error {
	if !g.tables.disk {
		return nil
	}
	var found owned
	err := g.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		found, err = g.owners(conn)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range found.bubbles {
		if c := g.chat(id); c != nil {
			c.bubbles = true
		}
	}
	if err := g.loadComposers(ctx); err != nil {
		return err
	}
	for _, id := range found.states {
		if c := g.chat(id); c != nil {
			c.state = true
		}
	}
	for _, id := range found.clouds {
		if c := g.chat(id); c != nil {
			c.state, c.cloud = true, true
		}
	}
	return g.outlineStates(ctx)
}

// owned lists the ids that have records of a family.
type owned struct{ bubbles, states, clouds []string }

const (
	checkpointPrefix = "agentKv:checkpoint:"
	cloudSuffix      = ":cloudAgent:metadata"
)

func (g *catalog) owners(conn *sqlite.Conn) (o owned, err error) {
	if g.only != "" {
		return g.owns(conn)
	}
	if o.bubbles, err = bubbleOwners(conn); err != nil {
		return o, err
	}
	states, err := keys(conn, checkpointPrefix)
	if err != nil {
		return o, err
	}
	for _, k := range states {
		o.states = append(o.states, k.key[len(checkpointPrefix):])
	}
	clouds, err := keys(conn, "bc-")
	for _, k := range clouds {
		if id, ok := strings.CutSuffix(k.key, cloudSuffix); ok {
			o.clouds = append(o.clouds, id)
		}
	}
	return o, err
}

// owns asks for the one id that is wanted.
func (g *catalog) owns(conn *sqlite.Conn) (o owned, err error) {
	for _, ask := range []struct {
		sql, arg string
		to       *[]string
	}{
		{"SELECT 1 FROM cursorDiskKV WHERE key >= ?1 || ':' AND key < ?1 || ';' LIMIT 1", "bubbleId:" + g.only, &o.bubbles},
		{"SELECT 1 FROM cursorDiskKV WHERE key = ?1", checkpointPrefix + g.only, &o.states},
		{"SELECT 1 FROM cursorDiskKV WHERE key = ?1", g.only + cloudSuffix, &o.clouds},
	} {
		ok, err := exists(conn, ask.sql, ask.arg)
		if err != nil {
			return o, err
		}
		if ok {
			*ask.to = []string{g.only}
		}
	}
	return o, nil
}

// loadComposers reads every composerData record, a page at a time, or the one
// that is wanted.
func (g *catalog) loadComposers(ctx context.Context) error {
	const family = "composerData:"
	if g.only == "" {
		return scan(ctx, g.db, "cursorDiskKV", family, 64, func(r row) error {
			if c := g.chat(r.key[len(family):]); c != nil {
				c.rowid = r.rowid
				c.take(g.db.Path(), r)
				c.stored = len(r.value) > 4
			}
			return nil
		})
	}
	var found map[string]row
	err := g.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
		found, err = get(conn, "cursorDiskKV", family+g.only)
		return err
	})
	if r, ok := found[family+g.only]; ok && err == nil {
		if c := g.chat(g.only); c != nil {
			c.rowid = r.rowid
			g.full, _ = c.take(g.db.Path(), r)
			c.stored = len(r.value) > 4
		}
	}
	return err
}

// take reads a composerData record into the chat. ok is false when the record
// says nothing: deleted, or not an object.
func (c *chat) take(path string, r row) (full composer, ok bool) {
	v, err := jscan.Parse(r.value)
	if r.err != nil {
		err = r.err
	}
	if r.null || errors.Is(err, jscan.ErrEmpty) || err == nil && v.Kind() == jscan.Null {
		c.tombstone = true
		return composer{}, false
	}
	if err == nil && v.Kind() != jscan.Object {
		err = errors.New("not a JSON object")
	}
	if err != nil {
		c.problems = append(c.problems, retold.Problem{Path: path, Key: r.key, Kind: retold.ProblemMalformed, Reason: reason(err)})
	}
	if v.Kind() != jscan.Object {
		return composer{}, false
	}
	record := decodeComposer(v)
	full = record
	full.id, record.id = c.id, c.id
	c.absorb(record)
	if _, err := inlineState(record.state); err != nil {
		c.problems = append(c.problems, retold.Problem{Path: path, Key: r.key, Kind: retold.ProblemUnknown, Reason: reason(err)})
	}
	return full, true
}

// findParent completes what a record says of the conversation that started it:
// whether that one is stored, and, for a sub-agent that names none, which record
// lists it (formats D.4). Only for such a one are other records read.
func (g *catalog) findParent(ctx context.Context, c *chat) error {
	if g.db == nil || !g.tables.disk {
		return nil
	}
	if c.meta.parent != "" {
		parent := c.meta.parent
		var stored bool
		err := g.db.Read(ctx, func(conn *sqlite.Conn) (err error) {
			stored, err = exists(conn, "SELECT 1 FROM cursorDiskKV WHERE key = ?1 AND octet_length(value) > 4", "composerData:"+parent)
			return err
		})
		if p := g.chat(parent); stored && p != nil {
			p.stored = true
		}
		return err
	}
	if !c.orphaned() {
		return nil
	}
	return scan(ctx, g.db, "cursorDiskKV", "composerData:", 64, func(r row) error {
		v, err := jscan.Parse(r.value)
		record := decodeComposer(v)
		if err != nil { // that record's trouble, told when it is read itself
			record.children = nil
		}
		parent := g.chat(r.key[len("composerData:"):])
		if parent != nil && parent != c && c.meta.parent == "" && slices.Contains(record.childIDs(), c.id) {
			c.meta.parent, parent.stored = parent.id, true
		}
		return nil
	})
}

// orphaned reports a sub-agent whose record does not name its parent.
func (c *chat) orphaned() bool {
	return c.meta.parent == "" && (c.meta.subagent || strings.HasPrefix(c.id, "task-"))
}

// adopt gives sub-agents that name no parent the first that lists them.
func (g *catalog) adopt() {
	for _, id := range slices.Sorted(maps.Keys(g.chats)) {
		for _, child := range g.chats[id].childIDs {
			if c := g.chats[child]; c != nil && c.orphaned() && child != id {
				c.meta.parent = id
			}
		}
	}
}

// kvRead reads one record of the global database; nil when it is not stored, or
// emptied.
func kvRead(ctx context.Context, db *livedb.DB, key string) (value []byte, err error) {
	err = db.Read(ctx, func(conn *sqlite.Conn) error {
		all, err := get(conn, "cursorDiskKV", key)
		if value = nil; !all[key].null {
			value = all[key].value
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return value, nil
}
