package cursor

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/internal/relocate"
)

// PlanRecover moves conversations to the folder, as PlanMove does; beyond that it
// makes an order for messages that have none, ends what counts as under way, and
// adds a head where no list has one (formats F.4).
func (s *Source) PlanRecover(ctx context.Context, m retold.Recovery) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		v := &mover{ctx: ctx, move: retold.Move{Place: m.Place, To: m.Folder}, user: m.Place, items: map[[2]string]*item{}, yield: yield}
		err := v.recover(m.Sessions)
		if v.global != nil {
			err = errors.Join(err, v.global.Close())
		}
		if err != nil && !v.stopped {
			yield(retold.Step{}, err)
		}
	}
}

func (v *mover) recover(ids []string) (err error) {
	if v.g, err = buildCatalog(v.ctx, v.user); err != nil {
		return err
	}
	if err := v.g.unreadable(); err != nil {
		return err
	}
	var chats []*chat
	for _, id := range ids {
		if c := v.g.chats[id]; c != nil && c.kind == bodyGlobal && c.record && !c.empty() {
			chats = append(chats, c)
		}
	}
	if len(chats) == 0 {
		return nil
	}
	v.to = paths.ParseAddress(v.move.To)
	if v.home, err = v.findTarget(); err != nil {
		return err
	}
	if v.global, err = livedb.Open(v.ctx, globalDB(v.user)); err != nil {
		return fmt.Errorf("plan to recover: %w", err)
	}
	if err := v.makeTarget(); err != nil {
		return err
	}
	for _, c := range chats {
		if err := v.reattach(c); err != nil {
			return fmt.Errorf("plan to recover %s: %w", c.id, err)
		}
	}
	return v.giveItems()
}

// reattach plans one conversation.
func (v *mover) reattach(c *chat) error {
	from := v.from(c)
	mv := &moving{chat: c, to: c.id}
	mv.m = relocate.Map{From: from, To: v.to, Projects: map[string]string{paths.Slug(from.FSPath()): paths.Slug(v.to.FSPath())}}
	if err := v.give(retold.Step{Session: c.id}); err != nil {
		return err
	}
	order, err := v.lostOrder(c)
	if err != nil {
		return err
	}
	v.mend = func(doc []byte) []byte { return mended(doc, order) }
	defer func() { v.mend = nil }()
	if err := v.records(mv); err != nil {
		return err
	}
	if err := v.leaveLists(mv); err != nil {
		return err
	}
	if err := v.enterLists(mv); err != nil {
		return err
	}
	if mv.placed || mv.listed {
		return nil
	}
	return v.enterOwn(c.id, v.assign(v.newHead(mv), &mv.m, true))
}

// mended is a record that Cursor shows: with an order, and at an end.
func mended(doc, order []byte) []byte {
	record, err := jscan.Parse(doc)
	if err != nil || record.Kind() != jscan.Object {
		return doc
	}
	if order != nil {
		doc = setMember(doc, "fullConversationHeadersOnly", order)
	}
	switch record.Get("status").Str() {
	case "generating", "aborted":
		doc = setMember(doc, "status", []byte(`"completed"`))
	}
	if record.Get("unfinishedRunAt").Kind() > jscan.Null {
		doc = setMember(doc, "unfinishedRunAt", []byte("null"))
	}
	if !record.Get("generatingBubbleIds").Empty() {
		doc = setMember(doc, "generatingBubbleIds", []byte("[]"))
	}
	return doc
}

// lostOrder makes the list of messages for a conversation that has lost it: its
// bubbles by their times, as reading it does. Nil when there is a list.
func (v *mover) lostOrder(c *chat) ([]byte, error) {
	if c.headers > 0 || c.inline > 0 || !c.bubbles {
		return nil, nil
	}
	type entry struct {
		header members
		at     time.Time
	}
	prefix := "bubbleId:" + c.id + ":"
	var all []entry
	err := v.global.Read(v.ctx, func(conn *sqlite.Conn) error {
		all = nil
		list, err := ownKeysIn(conn, c.id)
		if err != nil {
			return err
		}
		for _, k := range list {
			if len(k.key) <= len(prefix) || k.key[:len(prefix)] != prefix {
				continue
			}
			found, err := get(conn, "cursorDiskKV", k.key)
			if err != nil {
				return err
			}
			record, err := jscan.Parse(found[k.key].value)
			if err != nil || record.Kind() != jscan.Object {
				continue // a tombstone, or damaged: no message
			}
			b := decodeBubble(record)
			at, _ := b.moment(time.Time{})
			all = append(all, entry{headerOf(k.key[len(prefix):], &b, at), at})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sortByTime(all, func(e *entry) *time.Time { return &e.at })
	headers := []members{}
	for _, e := range all {
		headers = append(headers, e.header)
	}
	return encode(headers)
}

// headerOf is a message's entry in the list of messages.
func headerOf(id string, b *bubble, at time.Time) members {
	grouping := members{"isRenderable": true, "hasText": b.hasText(isTool(b.tool))}
	if b.marker != 0 {
		grouping["capabilityType"] = b.marker
	}
	if b.hasThinking() {
		grouping["hasThinking"] = true
	}
	if isTool(b.tool) {
		t := decodeTool(b.tool)
		grouping["toolFormerTool"], grouping["toolCallId"] = t.id, t.callID
	}
	kind := b.kind
	if kind != 1 {
		kind = 2
	}
	h := members{"bubbleId": id, "type": kind, "grouping": grouping}
	if !at.IsZero() {
		h["createdAt"] = isoTime(at)
	}
	return h
}
