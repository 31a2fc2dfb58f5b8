package cursorcli_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/cursorcli"
)

// A follower keeps up with a home by Track alone.
type follower struct {
	t       testing.TB
	s       *cursorcli.Source
	place   retold.Place
	memory  []byte
	headers map[string]retold.Header
	partial bool
}

func follow(t testing.TB, home string) *follower {
	f := &follower{t: t, s: source(home), place: retold.Place{Agent: "cursor-cli", Path: home, Kind: "home", Used: true}, headers: map[string]retold.Header{}}
	f.track(false)
	return f
}

// track takes one Track over, and returns it.
func (f *follower) track(full bool) *retold.Track {
	f.t.Helper()
	k, err := f.s.Track(f.t.Context(), f.place, f.memory, full)
	if err != nil {
		f.t.Fatal(err)
	}
	if k.Same {
		if string(k.Memory) != string(f.memory) || len(k.Changed) > 0 || k.All != nil {
			f.t.Errorf("nothing changed, but %d sessions did, and %d are listed", len(k.Changed), len(k.All))
		}
		return k
	}
	f.memory, f.partial = k.Memory, k.Partial
	for _, h := range k.Changed {
		f.headers[h.ID] = h
	}
	if !k.Partial {
		maps.DeleteFunc(f.headers, func(id string, _ retold.Header) bool { return !slices.Contains(k.All, id) })
	}
	return k
}

// changed tracks and returns the ids that changed.
func (f *follower) changed() []string {
	f.t.Helper()
	var ids []string
	for _, h := range f.track(false).Changed {
		ids = append(ids, h.ID)
	}
	slices.Sort(ids)
	return ids
}

// agrees wants what was followed to be what a fresh source sees.
func (f *follower) agrees() {
	f.t.Helper()
	if diff := f.diff(); diff != "" {
		f.t.Errorf("what was followed is not what is there (-there +followed)\n%s", diff)
	}
}

// diff compares what was followed with what a fresh source sees. Where a part
// could not be read, what was known before stays.
func (f *follower) diff() string {
	fresh := map[string]retold.Header{}
	for h, err := range source(f.place.Path).Headers(f.t.Context(), f.place) {
		if err == nil {
			fresh[h.ID] = h
		}
	}
	have := maps.Clone(f.headers)
	if f.partial {
		maps.DeleteFunc(have, func(id string, _ retold.Header) bool { _, ok := fresh[id]; return !ok })
	}
	return cmp.Diff(fresh, have)
}

// sessionsAgree wants each session to be read as a source reads it that has
// followed nothing.
func (f *follower) sessionsAgree() {
	f.t.Helper()
	fresh := source(f.place.Path)
	for _, h := range f.headers {
		want, wantErr := fresh.Session(f.t.Context(), h.Ref)
		got, err := f.s.Session(f.t.Context(), h.Ref)
		if want != nil && want.WorkspacePath == "" { // following also learns from what other stores hold
			want.WorkspacePath, want.WorkspaceName = h.WorkspacePath, h.WorkspaceName
		}
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (wantErr == nil) || retold.CodeOf(err) != retold.CodeOf(wantErr) {
			f.t.Errorf("%s: %v, want %v (-fresh +followed)\n%s", h.ID, err, wantErr, diff)
		}
	}
}
