package library

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/retold-history/retold"
)

// keyOf is what makes two headers one session.
func keyOf(h retold.Header) retold.Key { return retold.KeyOf(h.Agent, h.ID) }

// An entry is what the looks say about one session.
type entry struct {
	key     retold.Key
	told    []retold.Header
	gone    []retold.Ref
	memory  bool // what the source remembers of it holds
	changed bool
	moved   bool // its headers say something else than before, or it was told of without being asked for everything
}

// enter puts what the looks found into the store: new and changed headers, what
// is gone, and what the places want to be reminded of. It returns the sessions
// whose messages are to be read, in the order of the looks.
func (l *Library) enter(ctx context.Context, store retold.Store, w retold.StoreWriter, looks []look) (pending []retold.Key, report entered, err error) {
	entries, order, err := gather(ctx, store, looks)
	if err != nil {
		return nil, report, err
	}
	used := map[string]bool{}
	for _, p := range l.located() {
		used[p.Path] = used[p.Path] || p.Used
	}
	var unmade *unmade // once something is gone
	for _, key := range order {
		if w.Forgotten(key) {
			continue
		}
		kept, fresh, err := l.update(ctx, store, entries[key], used)
		if err != nil {
			return nil, report, err
		}
		if kept.Gone && !fresh {
			if unmade == nil {
				if unmade, err = l.unmade(ctx, store); err != nil {
					return nil, report, err
				}
			}
			if unmade.has(kept) {
				if err := w.Remove(ctx, key); err != nil {
					return nil, report, err
				}
				continue
			}
		}
		report.count(kept, fresh, entries[key].moved)
		if kept.Pending {
			pending = append(pending, key)
		}
		if err := w.Put(ctx, kept, nil); err != nil {
			return nil, report, err
		}
	}
	for _, k := range looks {
		if k.err != nil || k.Same {
			continue
		}
		place := retold.KeptPlace{Place: k.Place, Mapping: k.mapping, Memory: k.Memory, Synced: l.now().UTC()}
		for _, err := range k.Errors {
			place.Problems = append(place.Problems, problemOf(err, k.Path))
		}
		if err := w.PutPlace(ctx, place); err != nil {
			return nil, report, err
		}
	}
	return pending, report, nil
}

// entered counts what a sync found.
type entered struct{ fresh, changed, gone int }

func (e *entered) count(k *retold.Kept, fresh, moved bool) {
	switch {
	case fresh && k.Empty: // nothing to find in it yet
	case fresh:
		e.fresh++
	case k.Gone:
		e.gone++
	case moved:
		e.changed++
	}
}

// gather joins the looks by session.
func gather(ctx context.Context, store retold.Store, looks []look) (map[retold.Key]*entry, []retold.Key, error) {
	entries := map[retold.Key]*entry{}
	var order []retold.Key
	of := func(key retold.Key) *entry {
		e := entries[key]
		if e == nil {
			e = &entry{key: key, memory: true}
			entries[key] = e
			order = append(order, key)
		}
		return e
	}
	for _, k := range looks {
		if k.err != nil || k.Same {
			continue
		}
		for _, h := range k.Changed {
			e := of(keyOf(h))
			e.told = append(e.told, h)
			e.changed, e.moved = true, e.moved || !k.anew
			e.memory = e.memory && !k.anew
		}
		if k.Partial { // what is not there may only be unreadable
			continue
		}
		known, err := store.Parts(ctx, k.Agent, k.Path)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range k.All {
			delete(known, id)
		}
		for _, h := range k.Changed {
			delete(known, h.Ref.ID)
		}
		lost := make([]string, 0, len(known))
		for id := range known {
			lost = append(lost, id)
		}
		slices.Sort(lost)
		for _, id := range lost {
			e := of(known[id])
			e.gone = append(e.gone, retold.Ref{Agent: k.Agent, Place: k.Path, ID: id})
		}
	}
	return entries, order, nil
}

// update makes of an entry what the store is to keep of the session; used are the
// places that are read.
func (l *Library) update(ctx context.Context, store retold.Store, e *entry, used map[string]bool) (kept *retold.Kept, fresh bool, err error) {
	kept, err = store.Get(ctx, e.key)
	if errors.Is(err, retold.ErrSessionNotFound) {
		kept, fresh, err = &retold.Kept{Key: e.key}, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	for _, h := range e.told {
		i := slices.IndexFunc(kept.Parts, func(p retold.Part) bool { return p.Ref == h.Ref })
		if i < 0 {
			kept.Parts = append(kept.Parts, retold.Part{})
			i = len(kept.Parts) - 1
		}
		e.moved = e.moved || kept.Parts[i].Stamp != h.Stamp
		kept.Parts[i].Header, kept.Parts[i].Gone = h, false
		moveOut(kept.Parts, h.Ref, used)
		if !e.memory {
			kept.Parts[i].Memory = nil
		}
	}
	for i := range kept.Parts {
		if slices.Contains(e.gone, kept.Parts[i].Ref) {
			kept.Parts[i].Gone = true
		}
	}
	slices.SortStableFunc(kept.Parts, func(a, b retold.Part) int { return richer(a.Header, b.Header) })
	live := liveParts(kept)
	kept.Pending = kept.Pending || e.changed
	if len(live) == 0 { // what was kept stays as it was
		kept.Gone, kept.Pending = true, false
		return kept, fresh, nil
	}
	old := kept.Session
	headers := make([]retold.Header, len(live))
	for i, p := range live {
		headers[i] = p.Header
	}
	merged := mergeHeaders(headers)
	// What was said before and is no longer in its source is still something said; a
	// draft that was none of that stays a draft.
	kept.Empty = merged.Empty && (fresh || kept.Empty || old.MessageCount <= 0)
	kept.Session, kept.Draft = merged.Session, merged.Draft
	kept.MessageCount = cmp.Or(old.MessageCount, -1)
	if fresh {
		kept.MessageCount = merged.MessageCount
	}
	if !fresh { // what only the messages tell, until they are read again
		fill(&kept.Session, retold.Session{Title: old.Title, FirstMessagePreview: old.FirstMessagePreview, Model: old.Model, Tokens: old.Tokens})
		kept.Problems = old.Problems
	}
	return kept, fresh, nil
}

// moveOut marks the parts as gone that are the same record at a place which is not
// read any more: a restore, or a home of another name, took it to where it is now.
func moveOut(parts []retold.Part, now retold.Ref, used map[string]bool) {
	for i := range parts {
		old := parts[i].Ref
		if old.Agent == now.Agent && old.ID == now.ID && old.Place != now.Place && !used[old.Place] {
			parts[i].Gone = true
		}
	}
}

func liveParts(k *retold.Kept) []retold.Part {
	return slices.DeleteFunc(slices.Clone(k.Parts), func(p retold.Part) bool { return p.Gone })
}
