package cursorcli

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// factsStamp is what a store's facts depend on: its database, its meta.json and
// its row in the SDK's index.
func (r *storeRef) factsStamp(v *view) uint64 {
	b := binary.LittleEndian.AppendUint64(nil, v.database(r.db()))
	if !r.astray {
		b = binary.LittleEndian.AppendUint64(b, v.stamp(r.side()))
	}
	if r.sdk != nil {
		b = r.sdk.append(b)
	}
	return sum(b)
}

// gatherIn is gather for a view that may remember the facts.
func (r *storeRef) gatherIn(ctx context.Context, v *view) error {
	if v == nil || r.lines || r.facts != nil {
		return r.gather(ctx)
	}
	where, stamp := r.db(), r.factsStamp(v)
	if r.sdk != nil {
		where += "\x00" + r.sdk.id
	}
	if data, ok := v.recall(noteFacts, where, stamp); ok {
		if f, ok := decodeFacts(data, r); ok {
			r.facts = f
			return nil
		}
	}
	err := r.gather(ctx)
	if r.failed = err != nil; !r.failed {
		v.keep(noteFacts, where, stamp, r.facts.append(nil))
	}
	return err
}

// append writes facts without their problems, which only reading the session
// tells.
func (f *facts) append(b []byte) []byte {
	b = f.appendOwn(b)
	b = appendInt(b, int64(len(f.subagents)))
	for _, s := range f.subagents {
		b = appendText(appendText(b, s.sub.ID), s.parent)
		b = s.outline().appendOwn(b)
	}
	return b
}

func (f *facts) appendOwn(b []byte) []byte {
	for _, s := range []string{f.title, f.cwd, f.model, f.mode, f.branch} {
		b = appendText(b, s)
	}
	b = appendTime(appendTime(b, f.created), f.updated)
	b = appendInt(b, int64(len(f.parents)))
	for _, p := range f.parents {
		b = appendText(b, p)
	}
	b = appendBool(b, f.tokens != nil)
	if f.tokens != nil {
		b = appendInt(appendInt(b, f.tokens.Input), f.tokens.Output)
	}
	b = appendInt(appendInt(appendInt(b, int64(f.turns)), int64(f.prompts)), f.blobs)
	for _, v := range []bool{f.timing, f.pending, f.silent, f.hasDB, f.noted} {
		b = appendBool(b, v)
	}
	return b
}

func decodeFacts(b []byte, r *storeRef) (*facts, bool) {
	d := decoder{b: b}
	f := d.facts()
	for n := d.count(); n > 0 && !d.bad; n-- {
		s := stateRef{store: r, sub: agentstate.Subagent{ID: d.text()}, parent: d.text()}
		s.known = d.facts()
		f.subagents = append(f.subagents, s)
	}
	return f, !d.bad
}

func (d *decoder) facts() *facts {
	f := &facts{}
	for _, s := range []*string{&f.title, &f.cwd, &f.model, &f.mode, &f.branch} {
		*s = d.text()
	}
	f.created, f.updated = d.time(), d.time()
	for n := d.count(); n > 0 && !d.bad; n-- {
		f.parents = append(f.parents, d.text())
	}
	if d.bool() {
		f.tokens = &retold.Tokens{Input: d.int(), Output: d.int()}
	}
	f.turns, f.prompts, f.blobs = int(d.int()), int(d.int()), d.int()
	for _, v := range []*bool{&f.timing, &f.pending, &f.silent, &f.hasDB, &f.noted} {
		*v = d.bool()
	}
	return f
}

// append writes an agent as its index has it.
func (a *sdkAgent) append(b []byte) []byte {
	for _, s := range []string{a.id, a.cwd, a.name, a.root, a.model} {
		b = appendText(b, s)
	}
	b = appendTime(appendTime(b, a.created), a.updated)
	return appendInt(appendInt(b, a.tokens.Input), a.tokens.Output)
}

func decodeAgents(b []byte, index string) (map[string]*sdkAgent, bool) {
	d := decoder{b: b}
	agents := map[string]*sdkAgent{}
	for n := d.count(); n > 0 && !d.bad; n-- {
		name := d.text()
		a := &sdkAgent{index: index}
		for _, s := range []*string{&a.id, &a.cwd, &a.name, &a.root, &a.model} {
			*s = d.text()
		}
		a.created, a.updated = d.time(), d.time()
		a.tokens = retold.Tokens{Input: d.int(), Output: d.int()}
		agents[name] = a
	}
	return agents, !d.bad
}

// index returns the agents of an index, from the view where it knows them.
func (v *view) index(ctx context.Context, path string, stamp uint64, read func() (map[string]*sdkAgent, error)) (map[string]*sdkAgent, error) {
	if data, ok := v.recall(noteIndex, path, stamp); ok {
		if agents, ok := decodeAgents(data, path); ok {
			return agents, nil
		}
	}
	v.settle(ctx)
	agents, err := read()
	if v == nil || err != nil {
		return agents, err
	}
	b := appendInt(nil, int64(len(agents)))
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		b = agents[name].append(appendText(b, name))
	}
	v.keep(noteIndex, path, stamp, b)
	return agents, nil
}
