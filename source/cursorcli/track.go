package cursorcli

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/retold-history/retold"
)

// mappingVersion grows when the same files come out as other messages.
const mappingVersion = 1

// Mapping returns the version of what becomes of the files.
func (s *Source) Mapping() int { return mappingVersion }

// Track looks again at every file and folder that the last look at the place
// depended on. When none of them moved nothing was done there. Else the folders
// that moved are listed again and the files that moved surveyed; what the rest
// said then is in memory, so that what headers take from each other (sub-agents,
// workspace folders, SDK indexes) comes out as from a fresh look. A session is
// changed when its header or one of its files is not what it was. full is a look
// without memory.
func (s *Source) Track(ctx context.Context, place retold.Place, memory []byte, full bool) (*retold.Track, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if g := look(place.Path); !g.found { // not the same as a place that is empty
		return nil, &retold.Error{Code: retold.CodeDatabaseNotFound, Op: "look at", Path: place.Path, Hint: "retold doctor", Err: errors.New("no such folder, or it cannot be looked at")}
	}
	m, err := decodeMemory(memory)
	switch {
	case full || err != nil: // of another version, or damaged: as good as none
		m = nil
	case !m.retry && m.holds(place.Path):
		return &retold.Track{Memory: memory, Same: true}, nil
	case m.open() != nil:
		m = nil
	}
	v := newView(place.Path, m)
	was := map[string]uint64{}
	if m != nil {
		was = m.sessions
	}
	c := scanIn(ctx, place, v)
	faults := append(c.faults, c.survey(ctx)...)
	t, next := c.compare(ctx, faults, was)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.keepPlan(c.planned())
	if t.Memory = next.encode(); m != nil && bytes.Equal(t.Memory, memory) {
		return &retold.Track{Memory: memory, Same: true}, nil
	}
	return t, nil
}

// compare makes the headers of all sessions and the memory of them. Those whose
// sum is not what it was changed, in the order of their files.
func (c *catalog) compare(ctx context.Context, faults []error, was map[string]uint64) (*retold.Track, *memory) {
	t := &retold.Track{Errors: faults, Partial: len(faults) > 0}
	next := &memory{sessions: map[string]uint64{}}
	where := map[string]string{}
	for _, id := range c.ids() {
		if ctx.Err() != nil {
			return t, next
		}
		r := c.records[id]
		h, ok := c.header(ctx, r)
		t.Partial = t.Partial || r.noted()
		if !ok && !r.unread() {
			continue
		}
		t.All = append(t.All, id)
		if !ok {
			continue
		}
		now := headerSum(h)
		next.sessions[id] = now
		if before, known := was[id]; !known || before != now {
			where[id] = r.place()
			t.Changed = append(t.Changed, h)
		}
	}
	slices.SortStableFunc(t.Changed, func(a, b retold.Header) int { return strings.Compare(where[a.ID], where[b.ID]) })
	next.retry = slices.ContainsFunc(faults, transient)
	next.notes, next.looks = c.view.notes, c.view.sorted()
	c.view.settle(ctx)
	return t, next
}

// transient reports whether reading may come out otherwise though no file moved.
// A damaged file stays damaged until somebody writes to it.
func transient(err error) bool { return retold.CodeOf(err) != retold.CodeDatabaseCorrupt }

// noted reports whether a store was read without a part of its log, in which
// there may be sub-agents.
func (r *record) noted() bool {
	return slices.ContainsFunc(r.stores, func(s *storeRef) bool { return s.facts != nil && s.facts.noted })
}

// unread reports whether a store of the session is there and could not be read:
// then the session may be there too.
func (r *record) unread() bool {
	return slices.ContainsFunc(r.stores, func(s *storeRef) bool { return s.failed })
}

// place is where the session's first file lies.
func (r *record) place() string {
	switch {
	case len(r.stores) > 0:
		return r.stores[0].dir
	case len(r.states) > 0:
		return r.states[0].store.dir
	case len(r.transcripts) > 0:
		return r.transcripts[0].path
	}
	return ""
}

// headerSum is equal for equal headers of unchanged files.
func headerSum(h retold.Header) uint64 {
	var b []byte
	for _, s := range []string{
		h.ID, h.Title, h.WorkspacePath, h.WorkspaceName, string(h.TimeSource), h.FirstMessagePreview,
		h.Model, h.Mode, h.Branch, h.ParentID, h.Stamp, strings.Join(h.Sources, "\x00"),
	} {
		b = appendText(b, s)
	}
	for _, t := range []time.Time{h.CreatedAt, h.UpdatedAt} {
		b = appendTime(b, t)
	}
	if h.Tokens != nil {
		b = appendInt(appendInt(b, h.Tokens.Input), h.Tokens.Output)
	}
	return sum(appendBool(appendBool(b, h.Tokens != nil), h.Empty))
}

func newView(root string, m *memory) *view {
	v := &view{root: root, seen: map[string]glance{}, looks: map[string]uint64{}, notes: map[string]note{}, was: map[string]uint64{}}
	if m != nil {
		v.had = m.notes
		for _, l := range m.looks {
			v.was[l.key] = l.stamp
		}
	}
	return v
}

// sorted are the looks of a view by key.
func (v *view) sorted() []stamped {
	out := make([]stamped, 0, len(v.looks))
	for _, key := range slices.Sorted(maps.Keys(v.looks)) {
		out = append(out, stamped{key, v.looks[key]})
	}
	return out
}

// lookers is how many looks are taken at a time: most of a look is waiting for
// the kernel.
const lookers = 4

// holds reports whether every look comes out as it did.
func (m *memory) holds(root string) bool {
	var moved atomic.Bool
	var wg sync.WaitGroup
	share := len(m.looks)/lookers + 1
	for part := range slices.Chunk(m.looks, share) {
		wg.Go(func() {
			for i := range part {
				if i%64 == 0 && moved.Load() {
					return
				}
				if part[i].again(root) != part[i].stamp {
					moved.Store(true)
					return
				}
			}
		})
	}
	wg.Wait()
	return !moved.Load()
}

// again takes a look once more.
func (l stamped) again(root string) uint64 {
	path, outside := strings.CutPrefix(l.key[1:], "\x00")
	if !outside {
		path = root + path
	}
	if l.key[0] == lookDatabase {
		stamp, _ := databaseStamp(path)
		return stamp
	}
	return sum(look(path).append(nil))
}
