package library

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"time"

	"github.com/retold-history/retold"
)

// WatchOptions say what to follow.
type WatchOptions struct {
	Filter retold.Filter

	// Every is how often the sources are looked at when nothing hints at a change;
	// 0 means half a second.
	Every time.Duration

	Started func() // called once everything written from then on will be told; may be nil
}

// An Event is something that was just said or done.
type Event struct {
	Time    time.Time // when it was noticed
	Kind    string    // "session": a new one; "message": a new one; "update": a message that grew or changed
	Session retold.Session
	Message *retold.Message // nil for a session
}

// eventJSON has the public names of an event.
type eventJSON struct {
	Time    *timestamp      `json:"time"`
	Kind    string          `json:"kind"`
	Session retold.Session  `json:"session"`
	Message *retold.Message `json:"message"`
}

// MarshalJSON writes the public names; an event about a session has the message
// null.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(eventJSON{stamp(e.Time), e.Kind, e.Session, e.Message})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Event) UnmarshalJSON(b []byte) error {
	var j eventJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return fmt.Errorf("read an event's JSON: %w", err)
	}
	*e = Event{Kind: j.Kind, Session: j.Session, Message: j.Message}
	if j.Time != nil {
		e.Time = time.Time(*j.Time)
	}
	return nil
}

// Watch follows sessions as they are written and calls tell for each event, in
// the order of the conversation and from one goroutine, until ctx ends (whose
// error it returns) or tell returns an error (which it returns as it is). Before
// that it returns the usual errors. What is there when it starts is no event.
// Changes in files are a hint to look at once; looking at times is what finds
// everything.
func (l *Library) Watch(ctx context.Context, o WatchOptions, tell func(Event) error) (err error) {
	defer l.call(&ctx, &err)()
	if o.Every <= 0 {
		o.Every = 500 * time.Millisecond
	}
	store, _, err := l.current(ctx, true)
	if err != nil {
		return err
	}
	w := &watcher{l: l, store: store, o: o, tell: tell, since: l.now(), seen: map[retold.Key]map[string]uint64{}, seed: maphash.MakeSeed()}
	if err := w.learn(ctx); err != nil {
		return err
	}
	hints, stop := l.hints()
	defer stop()
	if o.Started != nil {
		o.Started()
	}
	tick := time.NewTicker(o.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-hints:
		case <-tick.C:
		}
		if err := w.look(ctx); err != nil {
			return err
		}
	}
}

// A watcher remembers what was said so far.
type watcher struct {
	l        *Library
	store    retold.Store
	o        WatchOptions
	tell     func(Event) error
	since    time.Time
	revision int64
	seen     map[retold.Key]map[string]uint64 // messages told or there before, by id: a hash of what they say
	known    map[retold.Key]int               // how many messages each session had when it was first met
	seed     maphash.Seed
}

// learnedSessions is how many of the newest sessions a watcher knows by heart
// when it starts. Of older ones it tells messages by their times.
const learnedSessions = 30

func (w *watcher) learn(ctx context.Context) (err error) {
	if _, w.revision, err = w.store.Changed(ctx, math.MaxInt64); err != nil {
		return err
	}
	list, _, err := w.store.List(ctx, retold.Filter{Empty: true}, -1, 0)
	if err != nil {
		return err
	}
	w.known = make(map[retold.Key]int, len(list))
	for i, k := range list {
		w.known[k.Key] = k.MessageCount
		if i < learnedSessions {
			if err := w.compare(ctx, k, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// look brings the library up to date and tells what is new in it, whoever put it
// there.
func (w *watcher) look(ctx context.Context) error {
	if _, err := w.l.refresh(ctx, w.store, refreshing{all: true, wait: true}); err != nil {
		return err
	}
	changed, now, err := w.store.Changed(ctx, w.revision)
	if err != nil {
		return err
	}
	w.revision = now
	for _, k := range changed {
		if k.Pending {
			continue // its messages will raise the revision again
		}
		if err := w.session(ctx, k); err != nil {
			return err
		}
	}
	return nil
}

func (w *watcher) session(ctx context.Context, k retold.Kept) error {
	wanted := w.o.Filter.MatchHeader(headerOf(k))
	tell := func(e Event) error {
		if !wanted || e.Message != nil && !w.o.Filter.MatchMessage(e.Message) {
			return nil
		}
		if err := ctx.Err(); err != nil { // ended by what was told last
			return err
		}
		if k.Index == 0 {
			index, err := w.index(ctx, k.Key)
			if err != nil {
				return err
			}
			k.Index = index
		}
		e.Time, e.Session = w.l.now(), k.Session
		return w.tell(e)
	}
	if _, known := w.known[k.Key]; !known {
		w.known[k.Key] = 0
		w.seen[k.Key] = map[string]uint64{}
		if err := tell(Event{Kind: "session"}); err != nil {
			return err
		}
	}
	return w.compare(ctx, k, tell)
}

// index is a session's number in the listing now; 0 when it was forgotten since.
func (w *watcher) index(ctx context.Context, key retold.Key) (int, error) {
	found, err := w.store.Find(ctx, key.ID, false, -1)
	if err != nil {
		return 0, err
	}
	for _, k := range found {
		if k.Key == key {
			return k.Index, nil
		}
	}
	return 0, nil
}

// compare tells what a session says beyond what was seen of it; without tell it
// only learns.
func (w *watcher) compare(ctx context.Context, k retold.Kept, tell func(Event) error) error {
	before, learned := w.seen[k.Key]
	if before == nil {
		before = map[string]uint64{}
		w.seen[k.Key] = before
	}
	for m, err := range w.store.Messages(ctx, k.Key, 0) {
		if errors.Is(err, retold.ErrSessionNotFound) { // forgotten since
			return nil
		}
		if err != nil {
			return err
		}
		sum := w.sum(&m)
		old, was := before[m.ID]
		before[m.ID] = sum
		event := Event{Kind: "message", Message: &m}
		switch {
		case tell == nil || was && old == sum:
			continue
		case was:
			event.Kind = "update"
		case !learned && w.old(k.Key, &m):
			continue
		}
		if err := tell(event); err != nil {
			return err
		}
	}
	return nil
}

// old reports whether a message of a session that was not learned by heart was
// there before the watch began, as far as its time or its place tell.
func (w *watcher) old(key retold.Key, m *retold.Message) bool {
	if m.TimestampSource == retold.TimeStored {
		return m.Timestamp.Before(w.since)
	}
	return m.Index < w.known[key]
}

// sum is a hash of what a message says.
func (w *watcher) sum(m *retold.Message) uint64 {
	var h maphash.Hash
	h.SetSeed(w.seed)
	h.WriteString(string(m.Role))
	h.WriteString(m.Content)
	if t := m.Tool; t != nil {
		for _, part := range [][]byte{t.Params, t.Result, []byte(t.Status), []byte(t.Diff)} {
			_, _ = h.Write(part) // a hash never fails
			h.WriteByte(0)
		}
	}
	return h.Sum64()
}

// watched are the folders in which a change is a hint.
func (l *Library) watched() []string {
	var dirs []string
	for _, p := range l.located() {
		if !p.Used {
			continue
		}
		for _, dir := range hintFolders(p.Place) {
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}
