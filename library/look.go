package library

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/retold-history/retold"
)

// A look is what one place has to tell since the library last read it.
type look struct {
	located
	*retold.Track
	mapping int
	anew    bool             // its sessions are read from their beginning: records are mapped otherwise now, or no sign is to be trusted
	err     error            // nothing was learned
	known   []retold.Problem // what could not be read at the look before
}

// lookAround asks every used place what changed, all at once.
func (l *Library) lookAround(ctx context.Context, store retold.Store, full bool) ([]look, error) {
	known, err := store.Places(ctx)
	if err != nil {
		return nil, err
	}
	var looks []look
	for _, p := range l.located() {
		if p.Used {
			looks = append(looks, look{located: p})
		}
	}
	var group sync.WaitGroup
	for i := range looks {
		group.Go(func() { looks[i].take(ctx, known, full) })
	}
	group.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return looks, nil
}

func (k *look) take(ctx context.Context, known []retold.KeptPlace, full bool) {
	tracker, ok := k.source.(retold.Tracker)
	if !ok {
		tracker = stamps{k.source}
	}
	k.mapping, k.anew = tracker.Mapping(), full
	var memory []byte
	if i := slices.IndexFunc(known, func(p retold.KeptPlace) bool { return p.Agent == k.Agent && p.Path == k.Path }); i >= 0 {
		memory, k.known = known[i].Memory, known[i].Problems
		if known[i].Mapping != k.mapping {
			memory, k.anew = nil, true
		}
	}
	if k.Track, k.err = tracker.Track(ctx, k.Place, memory, full); k.err != nil {
		k.err = fmt.Errorf("look at %s: %w", k.Path, k.err)
	}
}

// stamps makes a Tracker of any source: it reads all headers and compares their
// stamps.
type stamps struct{ retold.Source }

func (stamps) Mapping() int { return 1 }

func (s stamps) Track(ctx context.Context, place retold.Place, memory []byte, full bool) (*retold.Track, error) {
	before, now := map[string]string{}, map[string]string{}
	if len(memory) > 0 {
		if err := json.Unmarshal(memory, &before); err != nil {
			return nil, fmt.Errorf("read what was remembered: %w", err)
		}
	}
	t := &retold.Track{}
	for h, err := range s.Headers(ctx, place) {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			t.Errors, t.Partial = append(t.Errors, err), true
		default:
			if old, ok := before[h.Ref.ID]; !ok || full || h.Stamp == "" || old != h.Stamp {
				t.Changed = append(t.Changed, h)
			}
			now[h.Ref.ID] = h.Stamp
			t.All = append(t.All, h.Ref.ID)
		}
	}
	if len(t.Changed)+len(t.Errors) == 0 && len(memory) > 0 && maps.Equal(before, now) {
		return &retold.Track{Same: true, Memory: memory}, nil
	}
	var err error
	t.Memory, err = json.Marshal(now)
	return t, err
}

// failures are the errors of all looks.
func failures(looks []look) (errs []error) {
	for _, k := range looks {
		if k.err != nil {
			errs = append(errs, k.err)
		} else {
			errs = append(errs, k.Errors...)
		}
	}
	return errs
}

// unchanged reports that no look has anything to enter.
func unchanged(looks []look) bool {
	return !slices.ContainsFunc(looks, func(k look) bool { return k.err == nil && !k.Same })
}
