package library_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
)

// Whatever two stores tell of one session: the backbone's messages come first
// and unchanged, only recovered ones follow, no question asked in either store
// is lost, and a store adds nothing to itself.
func TestMergeProperties(t *testing.T) {
	message := rapid.SampledFrom([]string{"u:go on", "u:why?", "u:fix the parser", "a:done", "a:because the lock is never released", "t:c1", "t:c2", "k:hm", "e:boom", "a:", "u: "})
	telling := rapid.SliceOfN(message, 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		base, other := telling.Draw(t, "composer"), telling.Draw(t, "transcript")
		merged := show(t, base, other)
		if len(base) > 0 && !slices.Equal(base, merged[:min(len(base), len(merged))]) {
			t.Fatalf("the backbone %v became %v", base, merged)
		}
		start := len(base)
		if start == 0 {
			start = len(merged) // the transcript is the backbone then
		}
		for _, m := range merged[start:] {
			if !strings.HasPrefix(m, "+") {
				t.Fatalf("%q comes after the backbone and is not marked: %v", m, merged)
			}
		}
		for _, m := range other {
			if strings.HasPrefix(m, "u:") && strings.TrimSpace(m[2:]) != "" && count(other, m) > count(merged, m)+count(merged, "+"+m) && !answered(base, other) {
				t.Fatalf("%q was asked %d times in %v and is %d times in %v", m, count(other, m), other, count(merged, m)+count(merged, "+"+m), merged)
			}
		}
		if len(base) > 0 {
			if diff := cmp.Diff(base, show(t, base, base)); diff != "" {
				t.Fatalf("a store adds to itself: %s", diff)
			}
		}
	})
}

func count(list []string, want string) int {
	n := 0
	for _, s := range list {
		if s == want {
			n++
		}
	}
	return n
}

// answered reports whether the tellings share a long answer or a tool call, by
// which turns may be known without their question.
func answered(base, other []string) bool {
	return slices.ContainsFunc(other, func(m string) bool { return (len(m) > 24 || strings.HasPrefix(m, "t:")) && slices.Contains(base, m) })
}

func show(t *rapid.T, composer, transcript []string) []string {
	ide := &memory{agent: "cursor", sessions: []memorySession{session("s1", day(1), "composer", composer...)}}
	cli := &memory{agent: "cursor-cli", sessions: []memorySession{session("s1", day(1), "transcript", transcript...)}}
	home, err := os.MkdirTemp("", "retold-merge-*")
	if err != nil {
		t.Fatal(err)
	}
	l, err := openAll(t.Context(), home, []retold.Source{ide, cli})
	if err != nil {
		t.Fatal(err)
	}
	d, err := l.Show(t.Context(), "s1")
	if err := errors.Join(err, l.Close(), os.RemoveAll(home)); err != nil {
		t.Fatal(err)
	}
	return told(d.Messages)
}
