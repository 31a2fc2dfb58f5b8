package library_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// longSession is one of n messages of which every third is the user's.
func longSession(n int) memorySession {
	one := session("long", day(1), "warp")
	one.header.Empty = n == 0
	for i := range n {
		m := retold.Message{ID: fmt.Sprintf("m-%d", i), Role: retold.RoleAssistant, Content: fmt.Sprint("text ", i)}
		if i%3 == 0 {
			m.Role = retold.RoleUser
		}
		one.messages = append(one.messages, m)
	}
	return one
}

func indexes(ms []retold.Message) []int {
	out := []int{}
	for _, m := range ms {
		out = append(out, m.Index)
	}
	return out
}

func TestWindows(t *testing.T) {
	l := open(t, &memory{agent: "warp", sessions: []memorySession{longSession(30)}})
	user := []retold.Role{retold.RoleUser}
	for name, c := range map[string]struct {
		w    library.Window
		want []int
		page retold.Pagination
	}{
		"first":              {library.Window{Limit: 3}, []int{0, 1, 2}, retold.Pagination{Total: 30, Limit: 3, HasMore: true}},
		"from":               {library.Window{From: 28, Limit: 5}, []int{28, 29}, retold.Pagination{Total: 30, Limit: 5, Offset: 28}},
		"beyond the end":     {library.Window{From: 99, Limit: 5}, []int{}, retold.Pagination{Total: 30, Limit: 5, Offset: 30}},
		"last":               {library.Window{From: -2, Limit: 5}, []int{28, 29}, retold.Pagination{Total: 30, Limit: 5, Offset: 28}},
		"more than there is": {library.Window{From: -99, Limit: 1}, []int{0}, retold.Pagination{Total: 30, Limit: 1, HasMore: true}},
		"around an index":    {library.Window{Around: "10", Limit: 3}, []int{9, 10, 11}, retold.Pagination{Total: 30, Limit: 3, Offset: 9, HasMore: true}},
		"around an id":       {library.Window{Around: "m-29", Limit: 3}, []int{27, 28, 29}, retold.Pagination{Total: 30, Limit: 3, Offset: 27}},
		"around the first":   {library.Window{Around: "#0", Limit: 3}, []int{0, 1, 2}, retold.Pagination{Total: 30, Limit: 3, HasMore: true}},
		"of a role":          {library.Window{Roles: user, Limit: 3}, []int{0, 3, 6}, retold.Pagination{Total: 10, Limit: 3, HasMore: true}},
		"of a role, from":    {library.Window{Roles: user, From: 7, Limit: 2}, []int{9, 12}, retold.Pagination{Total: 10, Limit: 2, Offset: 3, HasMore: true}},
		"of a role, last":    {library.Window{Roles: user, From: -2}, []int{24, 27}, retold.Pagination{Total: 10, Limit: 20, Offset: 8}},
		"of a role, around":  {library.Window{Roles: user, Around: "13", Limit: 3}, []int{12, 15, 18}, retold.Pagination{Total: 10, Limit: 3, Offset: 4, HasMore: true}},
		"of no role":         {library.Window{Roles: []retold.Role{retold.RoleError}}, []int{}, retold.Pagination{Limit: 20}},
		"all":                {library.Window{Roles: user, Limit: -1}, []int{0, 3, 6, 9, 12, 15, 18, 21, 24, 27}, retold.Pagination{Total: 10, Limit: 10}},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := l.Read(t.Context(), "long", c.w)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, indexes(e.Messages)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.page, e.Pagination); diff != "" {
				t.Error(diff)
			}
			if e.MessageCount != 30 {
				t.Errorf("messageCount is %d, want the whole session's", e.MessageCount)
			}
			b, err := json.Marshal(e)
			if err != nil || !strings.Contains(string(b), `"pagination":{"total":`) || !json.Valid(b) {
				t.Errorf("%v, %s", err, b)
			}
		})
	}
}

// Pages of whatever size hold every message of the roles once, in order.
func TestWindowsAddUp(t *testing.T) {
	one := longSession(50)
	for i := range one.messages { // so long that a store keeps it in several pieces
		one.messages[i].Content += strings.Repeat(fmt.Sprint(" more ", i), 2000)
	}
	l := open(t, &memory{agent: "warp", sessions: []memorySession{one}})
	rapid.Check(t, func(t *rapid.T) {
		w := library.Window{Limit: rapid.IntRange(1, 20).Draw(t, "limit")}
		if rapid.Bool().Draw(t, "users") {
			w.Roles = []retold.Role{retold.RoleUser}
		}
		var got []int
		w.From = rapid.IntRange(0, 55).Draw(t, "from")
		first := w.From
		for {
			e, err := l.Read(t.Context(), "long", w)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, indexes(e.Messages)...)
			if !e.Pagination.HasMore || len(e.Messages) == 0 {
				break
			}
			w.From = got[len(got)-1] + 1
		}
		whole, err := l.Show(t.Context(), "long")
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(whole.Messages), func(m retold.Message) bool {
			return w.Roles != nil && m.Role != retold.RoleUser || m.Index < first
		})
		if diff := cmp.Diff(indexes(want), got, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMessage(t *testing.T) {
	l := open(t, &memory{agent: "warp", sessions: []memorySession{longSession(30)}})
	for _, name := range []string{"7", "#7", "m-7"} {
		s, m, err := l.Message(t.Context(), "long", name)
		if err != nil || m.Content != "text 7" || s.ID != "long" {
			t.Errorf("message %s: %v, %+v of %+v", name, err, m, s)
		}
	}
	for _, name := range []string{"", "30", "-1", "m-30", "07"} {
		if _, _, err := l.Message(t.Context(), "long", name); retold.CodeOf(err) != retold.CodeUsage {
			t.Errorf("message %q: %v", name, err)
		}
	}
	if _, _, err := l.Message(t.Context(), "nobody", "1"); retold.CodeOf(err) != retold.CodeSessionNotFound {
		t.Error(err)
	}
}
