package journal_test

import (
	"testing"

	"github.com/retold-history/retold"
)

// Scenarios mean what they say: the library reads every conversation with as many
// turns and edits as were played, and without a problem.
func checkTold(t *testing.T, all *told, stages []*stage) {
	t.Helper()
	bySession := map[string]*retold.SessionDetail{}
	for key, d := range all.details {
		bySession[key.ID] = d
	}
	for _, st := range stages {
		for _, k := range st.order {
			d := bySession[k.id]
			if d == nil {
				t.Errorf("%s: the library has no session %s", st.s.name, k.name)
				continue
			}
			want, have := map[string]int{}, map[string]int{}
			for _, s := range k.steps {
				if s.orphan {
					continue
				}
				switch s.kind {
				case "user":
					want["turns"]++
				case "edit", "write", "delete":
					want["edits"]++
					if k.shape == "transcript" { // a call for each place
						want["edits"] += max(0, len(s.hunks)-1)
					}
				}
			}
			for _, m := range d.Messages {
				if m.Orphan {
					continue
				}
				if m.Role == retold.RoleUser {
					have["turns"]++
				}
				if m.Tool != nil && m.Tool.Kind == retold.ToolEdit {
					have["edits"]++
				}
			}
			if want["turns"] != have["turns"] || want["edits"] != have["edits"] || len(d.ProblemList) > 0 || want["turns"] == 0 {
				t.Errorf("%s: session %s has %v, not %v; problems %v", st.s.name, k.name, have, want, d.ProblemList)
			}
		}
	}
}
