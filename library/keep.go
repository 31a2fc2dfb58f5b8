package library

import (
	"context"
	"hash/maphash"
	"strings"

	"github.com/retold-history/retold"
)

// A keeping passes a session's messages on to a sheet and holds on to what was
// kept before and is not there any more: a message whose record its source has
// lost comes after the conversation, one whose record is only a stub by now
// stays in its place; both are marked Gone.
type keeping struct {
	store retold.Store
	key   retold.Key
	sheet retold.Sheet

	known map[string][]keptMessage // of the messages kept before, by record
	order []string                 // their records, in order
	next  int                      // index of the next message

	// said is how often messages that nobody knew by their records say what they
	// say: one that was kept before and comes again under another id, from another
	// store of the same session, is not lost.
	said map[uint64]int
	seed maphash.Seed

	// held says that something stands in the place of a stub, so that indexes here
	// and in the source may differ from there on.
	held bool
}

// keptMessage is one message that was kept before.
type keptMessage struct {
	id    string
	index int
	stub  bool
	says  uint64 // saying
}

// newKeeping starts a sheet that replaces the messages from an index on.
func newKeeping(ctx context.Context, store retold.Store, w retold.StoreWriter, key retold.Key, from int) (*keeping, error) {
	k := &keeping{store: store, key: key, known: map[string][]keptMessage{}, said: map[uint64]int{}, seed: maphash.MakeSeed(), next: from}
	for m, err := range store.Messages(ctx, key, from) {
		if err != nil {
			return nil, storeError(err)
		}
		record := recordOf(m.ID)
		if k.known[record] == nil {
			k.order = append(k.order, record)
		}
		k.known[record] = append(k.known[record], keptMessage{m.ID, m.Index, m.Stub, k.saying(&m)})
	}
	var err error
	k.sheet, err = w.Sheet(ctx, key, from)
	return k, storeError(err)
}

// recordOf is the record that a message came from: one record may hold several
// (thinking, text, a tool call), told apart by what follows the last colon.
func recordOf(id string) string {
	if i := strings.LastIndexByte(id, ':'); i > 0 {
		switch part, _, _ := strings.Cut(id[i+1:], "~"); part {
		case "thinking", "text", "tool", "error":
			return id[:i]
		}
	}
	return id
}

// add takes the next message.
func (k *keeping) add(ctx context.Context, m *retold.Message) error {
	record := recordOf(m.ID)
	before, was := k.known[record]
	if was && m.Stub && !before[0].stub {
		delete(k.known, record)
		k.held = true
		return k.again(ctx, before)
	}
	if !was {
		k.said[k.saying(m)]++
	}
	delete(k.known, record)
	return k.put(ctx, *m)
}

func (k *keeping) put(ctx context.Context, m retold.Message) error {
	m.Index = k.next
	k.next++
	return storeError(k.sheet.Add(ctx, m))
}

// again puts what was kept of a record once more, marked Gone.
func (k *keeping) again(ctx context.Context, messages []keptMessage) error {
	for _, old := range messages {
		for m, err := range k.store.Messages(ctx, k.key, old.index) {
			if err != nil {
				return storeError(err)
			}
			m.Gone = true
			if err := k.put(ctx, m); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// finish puts, after the conversation, what its source has lost.
func (k *keeping) finish(ctx context.Context) error {
	if k == nil {
		return nil
	}
	for _, record := range k.order {
		var lost []keptMessage
		for _, old := range k.known[record] {
			switch {
			case old.stub:
			case k.said[old.says] > 0:
				k.said[old.says]--
			default:
				lost = append(lost, old)
			}
		}
		if err := k.again(ctx, lost); err != nil {
			return err
		}
	}
	return nil
}

// saying is the same for two messages that say or do the same.
func (k *keeping) saying(m *retold.Message) uint64 {
	var h maphash.Hash
	h.SetSeed(k.seed)
	h.WriteString(string(m.Role))
	switch t := m.Tool; {
	case t != nil && t.CallID != "":
		h.WriteString(t.CallID)
	case t != nil:
		h.WriteString(t.Name)
		_, _ = h.Write(t.Params) // a hash never fails
	}
	if m.Tool == nil {
		h.WriteString(strings.TrimSpace(m.Content))
	}
	return h.Sum64()
}
