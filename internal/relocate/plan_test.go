package relocate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/internal/relocate"
)

func TestPlans(t *testing.T) {
	for value, want := range map[string][]string{
		"":           nil,
		".plan.md":   nil,
		"/.plan.md":  nil,
		"no plan.md": nil,
		`{"planUri":"file:///home/ada/.cursor/plans/tide_table-0a1b2c3d.plan.md"}`:      {"tide_table-0a1b2c3d.plan.md"},
		`{"p":"C:\\Users\\ada\\.cursor\\plans\\tides-0a1b2c3d.plan.md","q":1}`:          {"tides-0a1b2c3d.plan.md"},
		`"file:///plans/m%C3%B6we-0a1b2c3d.plan.md"`:                                    {"m%C3%B6we-0a1b2c3d.plan.md", "möwe-0a1b2c3d.plan.md"},
		"see a-0a1b2c3d.plan.md and /x/b-0a1b2c3d.plan.md, /x/b-0a1b2c3d.plan.md again": {"see a-0a1b2c3d.plan.md", "a-0a1b2c3d.plan.md", "b-0a1b2c3d.plan.md"},
	} {
		if diff := cmp.Diff(want, relocate.Plans([]byte(value))); diff != "" {
			t.Errorf("%s: %s", value, diff)
		}
	}
}
