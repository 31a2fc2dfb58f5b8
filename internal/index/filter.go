package index

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// Sessions returns the sessions that f.MatchMessages lets pass: those with a
// message that fits Roles, Tools and Files at once, and with an error or an edit
// where that is asked. Other fields of f do not matter; nil means that f asks for
// none of these. dead tells the docs of a segment that are no more; nil: none.
func Sessions(ctx context.Context, segs []*Reader, f retold.Filter, dead func(seg int, doc uint32) bool) (map[uint32]bool, error) {
	var sets []map[uint32]bool
	for _, ask := range asksOf(f) {
		set := map[uint32]bool{}
		for n, r := range segs {
			docs, err := ask(ctx, r)
			if err != nil {
				return nil, err
			}
			if err := r.sessionsOf(docs, n, dead, set); err != nil {
				return nil, err
			}
		}
		sets = append(sets, set)
	}
	if sets == nil {
		return nil, nil
	}
	first := sets[0]
	for session := range first {
		for _, set := range sets[1:] {
			if !set[session] {
				delete(first, session)
			}
		}
	}
	return first, nil
}

// asksOf returns what a filter asks of a session's messages, each as the docs of
// which the session must have one.
func asksOf(f retold.Filter) (asks []func(context.Context, *Reader) (bitset, error)) {
	if fitsMessage(f) {
		asks = append(asks, func(ctx context.Context, r *Reader) (bitset, error) { return r.fitting(ctx, f) })
	}
	for kind, asked := range map[byte]bool{fieldFailed: f.HasError, fieldEdit: f.HasEdit} {
		if asked {
			asks = append(asks, func(ctx context.Context, r *Reader) (bitset, error) {
				return r.union(ctx, fieldWant(kind, "", wantExact))
			})
		}
	}
	return asks
}

func fitsMessage(f retold.Filter) bool { return len(f.Roles)+len(f.Tools)+len(f.Files) > 0 }

func fieldWant(kind byte, text string, how wantKind) want {
	return want{field: string([]byte{fieldMark, kind}), text: []byte(text), kind: how}
}

// fitting returns the docs that f.MatchMessage lets pass. f asks for a role, tool
// or file.
func (r *Reader) fitting(ctx context.Context, f retold.Filter) (bitset, error) {
	all := fullBitset(r.docs)
	var roles, tools, files []want
	for _, role := range f.Roles {
		roles = append(roles, fieldWant(fieldRole, string(role), wantExact))
	}
	for _, t := range f.Tools {
		t = strings.ToLower(t)
		tools = append(tools, fieldWant(fieldKind, t, wantExact), fieldWant(fieldTool, t, wantInside))
	}
	for _, p := range f.Files {
		files = append(files, fieldWant(fieldFile, strings.ToLower(p), wantInside))
	}
	for _, wants := range [][]want{roles, tools, files} {
		if wants == nil {
			continue
		}
		docs, err := r.union(ctx, wants...)
		if err != nil {
			return nil, err
		}
		all.and(docs)
	}
	return all, nil
}

func (r *Reader) sessionsOf(docs bitset, seg int, dead func(int, uint32) bool, into map[uint32]bool) error {
	var err error
	docs.each(func(i int) bool {
		var c *columns
		if c, err = r.columns(i / chunkDocs); err != nil {
			return false
		}
		k := i % chunkDocs
		if s := c.session(k); !into[s] && (dead == nil || !dead(seg, c.doc(k))) {
			into[s] = true
		}
		return true
	})
	return err
}

// millisUp rounds up, so that comparing a message's whole milliseconds with it is
// comparing with t.
func millisUp(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.Add(time.Millisecond - 1).UnixMilli()
}

// A passing is a filter of a query, ready to decide docs.
type passing struct {
	filter       retold.Filter
	sessions     map[uint32]bool           // those with an error or edit, when asked; else nil
	timed        func(session uint32) bool // for messages that have a time; nil: all
	untimed      func(session uint32) bool // for those that have none
	since, until int64                     // noTime: open
}

func newPassing(ctx context.Context, segs []*Reader, f retold.Filter, env *Env) (*passing, error) {
	p := &passing{filter: f, since: millisUp(f.Since), until: millisUp(f.Until)}
	var err error
	if f.HasError || f.HasEdit {
		asked := retold.Filter{HasError: f.HasError, HasEdit: f.HasEdit}
		if p.sessions, err = Sessions(ctx, segs, asked, env.Dead); err != nil {
			return nil, err
		}
	}
	if env.Sessions == nil {
		return p, nil
	}
	f.Roles, f.Tools, f.Files, f.HasError, f.HasEdit = nil, nil, nil, false, false
	if p.untimed, err = env.Sessions(f); err != nil {
		return nil, fmt.Errorf("filter sessions: %w", err)
	}
	if p.since == noTime && p.until == noTime {
		p.timed = p.untimed
		return p, nil
	}
	f.Since, f.Until = retold.Filter{}.Since, retold.Filter{}.Until
	if p.timed, err = env.Sessions(f); err != nil {
		return nil, fmt.Errorf("filter sessions: %w", err)
	}
	return p, nil
}

// docs returns the docs of a segment that pass.
func (p *passing) docs(ctx context.Context, r *Reader) (bitset, error) {
	all := fullBitset(r.docs)
	if fitsMessage(p.filter) {
		var err error
		if all, err = r.fitting(ctx, p.filter); err != nil {
			return nil, err
		}
	}
	if p.sessions == nil && p.timed == nil && p.untimed == nil && p.since == noTime && p.until == noTime {
		return all, nil
	}
	known := map[uint32][2]bool{}
	for _, one := range r.runs {
		has, ok := known[one.session]
		if !ok {
			fits := p.sessions == nil || p.sessions[one.session]
			has = [2]bool{fits && (p.untimed == nil || p.untimed(one.session)), fits && (p.timed == nil || p.timed(one.session))}
			known[one.session] = has
		}
		for i := one.at; has == [2]bool{} && i < one.at+one.n; i++ {
			all.drop(i)
		}
	}
	if p.since == noTime && p.until == noTime {
		return all, nil
	}
	err := r.columnsOf(ctx, all, func(base int, c *columns) {
		for i := range c.n {
			if all.has(base+i) && !p.passes(c.when(i), known[c.session(i)]) {
				all.drop(base + i)
			}
		}
	})
	return all, err
}

func (p *passing) passes(when int64, session [2]bool) bool {
	if when == noTime {
		return session[0]
	}
	return session[1] && (p.since == noTime || when >= p.since) && (p.until == noTime || when < p.until)
}
