package digest

import (
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// A Todo is an entry of the agent's to-do list.
type Todo struct {
	Finding
	Status string // the agent's word: pending, in_progress, completed, cancelled
}

// Open reports whether it is still to be done.
func (t *Todo) Open() bool {
	s := strings.ToLower(t.Status)
	for _, over := range []string{"completed", "done", "cancelled", "canceled"} {
		if strings.HasSuffix(s, over) {
			return false
		}
	}
	return true
}

// Todos is the list as the last call left it: a call that merges changes the
// entries it names, any other replaces the list. A call that failed changes
// nothing.
func Todos(messages []retold.Message) []Todo {
	var now []Todo
	var ids []string
	for _, m := range live(messages) {
		if m.Tool == nil || m.Tool.Kind != retold.ToolTodo || m.Tool.Status == retold.StatusFailed {
			continue
		}
		params := object(m.Tool.Params)
		merge := params.Get("merge").Bool()
		entries := items(params.Get("todos"))
		if len(entries) == 0 {
			result := object(m.Tool.Result)
			if entries = items(result.Get("finalTodos")); len(entries) == 0 {
				entries = items(result.Get("todos"))
			}
			merge = false
		}
		if len(entries) == 0 {
			continue
		}
		if !merge {
			now, ids = nil, nil
		}
		for i, e := range entries {
			id := first(e, "id")
			if id == "" {
				id = "#" + strconv.Itoa(i)
			}
			t := Todo{Finding{m, first(e, "content", "text", "title", "task")}, first(e, "status", "state")}
			at := indexOf(ids, id)
			if at < 0 {
				now, ids = append(now, t), append(ids, id)
				continue
			}
			if t.Text == "" {
				t.Text = now[at].Text
			}
			if t.Status == "" {
				t.Status = now[at].Status
			}
			now[at] = t
		}
	}
	return now
}

// OpenTodos are those of Todos that are still to be done.
func OpenTodos(messages []retold.Message) (out []Todo) {
	for _, t := range Todos(messages) {
		if t.Open() && t.Text != "" {
			out = append(out, t)
		}
	}
	return out
}

// items are the objects of a JSON list, or of a string that holds one.
func items(v jscan.Value) (out []jscan.Value) {
	if v.Kind() == jscan.String {
		v = v.Embedded()
	}
	for item := range v.Items() {
		if item.Kind() == jscan.Object {
			out = append(out, item)
		}
	}
	return out
}

func indexOf(list []string, s string) int {
	for i, have := range list {
		if have == s {
			return i
		}
	}
	return -1
}
