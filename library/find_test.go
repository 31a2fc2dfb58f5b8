package library_test

import (
	"strings"
	"testing"

	"github.com/retold-history/retold"
)

func TestFind(t *testing.T) {
	l := open(t, &memory{agent: "cursor", sessions: []memorySession{
		session("abcd-1", day(9), "composer", "u:first"),
		session("abcd-2", day(8), "composer", "u:second"),
		session("abcd", day(7), "composer", "u:third"),
		session("ABCD-1", day(6), "composer", "u:other case"),
		session("12345", day(5), "composer", "u:digits"),
		session("draft-1", day(9), "composer"),
	}})
	for selector, want := range map[string]string{
		"1": "abcd-1", "5": "12345", "6": "draft-1",
		"abcd": "abcd", "abcd-2": "abcd-2", "ABCD": "ABCD-1", "1234": "12345", "draf": "draft-1",
	} {
		h, err := l.Find(t.Context(), selector)
		if err != nil || h.ID != want {
			t.Errorf("Find(%q) = %q, %v; want %q", selector, h.ID, err, want)
		}
	}
	for selector, want := range map[string]retold.Code{
		"": retold.CodeSessionNotFound, "7": retold.CodeSessionNotFound, "0": retold.CodeSessionNotFound, "-1": retold.CodeSessionNotFound,
		"abc": retold.CodeSessionNotFound, "zzzz": retold.CodeSessionNotFound, "abcd-": retold.CodeSessionAmbiguous,
		"99999999999999999999999": retold.CodeSessionNotFound,
	} {
		h, err := l.Find(t.Context(), selector)
		if retold.CodeOf(err) != want {
			t.Errorf("Find(%q) = %q, %v; want %s", selector, h.ID, err, want)
		}
	}
	_, err := l.Find(t.Context(), "abcd-")
	for _, candidate := range []string{"1  abcd-1", "2  abcd-2"} {
		if !strings.Contains(err.Error(), candidate) {
			t.Errorf("%q does not name %q", err, candidate)
		}
	}
}
