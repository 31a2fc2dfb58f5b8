package library_test

import (
	"slices"
	"testing"

	"github.com/retold-history/retold"
)

// A message that comes again under another id, from another store of the same
// session, is not lost; one of several that say the same is.
func TestComesAgainUnderAnotherID(t *testing.T) {
	src := &memory{agent: "cursor", sessions: []memorySession{session("s1", day(1), "composer", "u:why?", "a:because", "u:continue", "u:continue", "t:c1")}}
	home := t.TempDir()
	look := func(want ...string) {
		t.Helper()
		l, err := openAll(t.Context(), home, []retold.Source{src})
		if err != nil {
			t.Fatal(err)
		}
		d, err := l.Show(t.Context(), "s1")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range d.Messages {
			mark := ""
			if m.Gone {
				mark = "gone "
			}
			got = append(got, mark+m.ID+" "+m.Content)
		}
		if !slices.Equal(got, want) {
			t.Errorf("shown are %q, want %q", got, want)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	look("m0 why?", "m1 because", "m2 continue", "m3 continue", "m4 c1")
	from := src.sessions[0].messages
	other := slices.Clone(from)
	for i := range other {
		other[i].ID = "state-" + string(other[i].Role) + string(rune('a'+i))
	}
	src.sessions[0].messages = other
	look("state-usera why?", "state-assistantb because", "state-userc continue", "state-userd continue", "state-toole c1")
	src.sessions[0].messages = other[:3]
	look("state-usera why?", "state-assistantb because", "state-userc continue", "gone state-userd continue", "gone state-toole c1")
}
