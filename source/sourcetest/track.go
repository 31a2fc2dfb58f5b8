package sourcetest

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
)

// track wants the first look to list what Headers lists, the second to find
// nothing changed, and one that trusts nothing to lose nothing.
func track(t *testing.T, s retold.Source) {
	tracker, ok := s.(retold.Tracker)
	if !ok {
		return
	}
	if tracker.Mapping() < 1 {
		t.Errorf("the mapping is %d", tracker.Mapping())
	}
	for _, p := range list(t, s) {
		if !p.Used {
			continue
		}
		first := mustTrack(t, tracker, p, nil, false)
		var want []retold.Header
		failed := 0
		for h, err := range s.Headers(t.Context(), p) {
			if err != nil {
				failed++
				continue
			}
			want = append(want, h)
		}
		if diff := gocmp.Diff(byID(want), byID(first.Changed)); diff != "" {
			t.Errorf("%s: the first look differs from Headers (-headers +changed)\n%s", p.Path, diff)
		}
		if len(first.Errors) != failed || first.Partial != (failed > 0) && failed == 0 {
			t.Errorf("%s: %d errors and Partial %v; Headers yields %d errors", p.Path, len(first.Errors), first.Partial, failed)
		}
		ids := slices.Sorted(slices.Values(first.All))
		if diff := gocmp.Diff(idsOf(want), ids); diff != "" {
			t.Errorf("%s: All differs from Headers (-headers +all)\n%s", p.Path, diff)
		}
		if failed > 0 {
			continue
		}
		second := mustTrack(t, tracker, p, first.Memory, false)
		if !second.Same || len(second.Changed)+len(second.All)+len(second.Errors) > 0 || !bytes.Equal(first.Memory, second.Memory) {
			t.Errorf("%s: the second look is not Same: %d changed, memory of %d bytes, then %d", p.Path, len(second.Changed), len(first.Memory), len(second.Memory))
		}
		full := mustTrack(t, tracker, p, first.Memory, true)
		if diff := gocmp.Diff(ids, slices.Sorted(slices.Values(full.All))); diff != "" && !full.Same {
			t.Errorf("%s: a full look lists others (-first +full)\n%s", p.Path, diff)
		}
		for _, bad := range [][]byte{{}, {0}, []byte("not a memory"), first.Memory[:len(first.Memory)/2], append(slices.Clone(first.Memory), 0)} {
			again := mustTrack(t, tracker, p, bad, false)
			if len(again.Changed) != len(want) {
				t.Errorf("%s: with a damaged memory of %d bytes %d of %d sessions are changed", p.Path, len(bad), len(again.Changed), len(want))
			}
		}
	}
}

func mustTrack(t *testing.T, s retold.Tracker, p retold.Place, memory []byte, full bool) *retold.Track {
	t.Helper()
	got, err := s.Track(t.Context(), p, memory, full)
	if err != nil {
		t.Fatalf("track %s: %v", p.Path, err)
	}
	return got
}

func byID(headers []retold.Header) []retold.Header {
	return slices.SortedFunc(slices.Values(headers), func(a, b retold.Header) int { return cmp.Compare(a.ID, b.ID) })
}

func idsOf(headers []retold.Header) (ids []string) {
	for _, h := range byID(headers) {
		ids = append(ids, h.ID)
	}
	return ids
}

// resume wants a reading without memory to be a Stream, and one with its own
// memory to change nothing.
func resume(t *testing.T, s retold.Source) {
	resumer, ok := s.(retold.Resumer)
	if !ok {
		return
	}
	for _, h := range Headers(t, s) {
		d, err := s.Session(t.Context(), h.Ref)
		if err != nil {
			t.Fatal(err)
		}
		got := CheckResume(t, resumer, h.Ref, nil, nil)
		if got == nil {
			continue
		}
		if diff := gocmp.Diff(d.Messages, got.Messages); diff != "" {
			t.Errorf("%s: without a memory (-session +resumed)\n%s", h.ID, diff)
		}
		again := CheckResume(t, resumer, h.Ref, got.Memory, got.Messages)
		if again == nil {
			continue
		}
		if diff := gocmp.Diff(got.Messages, again.Messages); diff != "" {
			t.Errorf("%s: with its own memory (-first +second)\n%s", h.ID, diff)
		}
		bad := CheckResume(t, resumer, h.Ref, []byte("not a memory"), got.Messages)
		if diff := gocmp.Diff(got.Messages, bad.Messages); diff != "" {
			t.Errorf("%s: with a damaged memory (-first +third)\n%s", h.ID, diff)
		}
	}
}

// A Copy is what a library would hold of a session after readings that each went
// on from the one before.
type Copy struct {
	Messages []retold.Message
	Memory   []byte
	Read     int // messages that the last reading yielded
}

// CheckResume reads a session with the memory of an earlier reading, puts what is
// yielded behind what stays of have, and wants the result to be what Session
// reads, with the same session around it. Nil when the test failed.
func CheckResume(t testing.TB, s retold.Resumer, ref retold.Ref, memory []byte, have []retold.Message) *Copy {
	t.Helper()
	var fresh []retold.Message
	first := -1
	got, err := s.Resume(t.Context(), ref, memory, func(m retold.Message) error {
		if first < 0 {
			first = m.Index
		}
		if m.Index != first+len(fresh) {
			t.Errorf("%s: message %d has index %d", ref.ID, first+len(fresh), m.Index)
		}
		fresh = append(fresh, m)
		return nil
	})
	if err != nil {
		t.Errorf("resume %s: %v", ref.ID, err)
		return nil
	}
	if first < 0 {
		first = got.From
	}
	if first != got.From || first > len(have) {
		t.Errorf("%s: reads from %d, the first message has index %d; %d were there", ref.ID, got.From, first, len(have))
		return nil
	}
	all := append(slices.Clone(have[:first]), fresh...)
	want, err := s.(retold.Source).Session(t.Context(), ref)
	if err != nil {
		t.Errorf("session %s: %v", ref.ID, err)
		return nil
	}
	if diff := gocmp.Diff(want.Messages, nonNil(all, want.Messages)); diff != "" {
		t.Errorf("%s: messages (-session +resumed)\n%s", ref.ID, diff)
	}
	if diff := gocmp.Diff(want.ProblemList, got.ProblemList); diff != "" {
		t.Errorf("%s: problems (-session +resumed)\n%s", ref.ID, diff)
	}
	if diff := gocmp.Diff(want.Session, got.Header.Session); diff != "" || got.Header.Ref != ref {
		t.Errorf("%s: header of %+v (-session +resumed)\n%s", ref.ID, got.Header.Ref, diff)
	}
	stop := errors.New("enough")
	_, err = s.Resume(t.Context(), ref, nil, func(retold.Message) error { return stop })
	if len(all) > 0 && !errors.Is(err, stop) {
		t.Errorf("%s: the receiver's error came back as %v", ref.ID, err)
	}
	return &Copy{Messages: all, Memory: got.Memory, Read: len(fresh)}
}

// nonNil makes an empty list what the other is, as only their entries matter.
func nonNil(list, other []retold.Message) []retold.Message {
	if len(list) == 0 {
		return other[:0]
	}
	return list
}
