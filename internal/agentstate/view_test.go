package agentstate_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// What stands for something that is not stored says so; what was filled in from
// the prompts does not.
func TestPlaceholdersAreStubs(t *testing.T) {
	for name, c := range map[string]struct {
		turns, prompts []string
		want           []bool
	}{
		"lost":      {[]string{"u hi", "a!", "u!", "a yo"}, nil, []bool{false, true, true, false}},
		"filled in": {[]string{"u!", "a!"}, []string{"u hi", "a yo"}, []bool{false, false}},
	} {
		conv := agentstate.Conversation{Turns: turnsOf(c.turns...), Prompts: promptsOf(c.prompts...)}
		var got []bool
		for _, m := range conv.Messages(agentstate.View{}) {
			got = append(got, m.Stub)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// A view of some calls is the full one for those, and the light one for the rest.
// Where the prompts complete a call it is always full.
func TestViewOfSomeCalls(t *testing.T) {
	turns := func() *agentstate.Conversation {
		c := decodeB(t)
		c.Prompts, c.Archives, c.Pending = nil, nil, nil
		return c
	}
	full, light := turns().Messages(agentstate.View{}), turns().Messages(agentstate.View{Light: true})
	var asked []string
	got := turns().Messages(agentstate.View{Wanted: func(m *retold.Message) bool {
		if asked = append(asked, m.ID); m.Tool == nil || m.Tool.Params != nil || m.Tool.Result != nil {
			t.Errorf("asked with %+v", m)
		}
		return len(asked)%2 == 1
	}})
	if len(asked) < 2 || len(got) != len(full) {
		t.Fatalf("asked %d times, %d messages, want %d", len(asked), len(got), len(full))
	}
	for i, m := range got {
		want := full[i]
		if n := slices.Index(asked, m.ID); n%2 == 1 {
			want = light[i]
		}
		if diff := cmp.Diff(want, m); diff != "" {
			t.Errorf("message %d (-want +got)\n%s", i, diff)
		}
	}
	whole := decodeB(t).Messages(agentstate.View{Wanted: func(*retold.Message) bool { return true }})
	if diff := cmp.Diff(decodeB(t).Messages(agentstate.View{}), whole); diff != "" {
		t.Errorf("all wanted (-want +got)\n%s", diff)
	}
}
