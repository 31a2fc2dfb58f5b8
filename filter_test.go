package retold_test

import (
	"testing"

	"github.com/retold-history/retold"
)

func TestBranchPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, branch string
		want            bool
	}{
		{"main", "main", true},
		{"main", "main2", false},
		{"*", "feature/offline", true},
		{"*", "", false},
		{"feature*", "feature/offline", true},
		{"feature/*", "feature/a/b", true},
		{"*line", "feature/offline", true},
		{"f*e*e", "feature/offline", true},
		{"f*x", "feature/offline", false},
		{"fix-?", "fix-1", true},
		{"fix-?", "fix-12", false},
		{"fix-?", "fix-", false},
		{"[odd", "[odd", true},
		{"ä?", "äö", true},
		{"**", "x", true},
	} {
		f := retold.Filter{Branches: []string{c.pattern}}
		if got := f.MatchHeader(retold.Header{Session: retold.Session{Branch: c.branch}}); got != c.want {
			t.Errorf("%q fits %q: %v, want %v", c.branch, c.pattern, got, c.want)
		}
	}
}
