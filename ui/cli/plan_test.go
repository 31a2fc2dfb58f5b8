package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/migrate"
)

// A plan of very many rows shows the first of them and says how many there are.
func TestLongPlan(t *testing.T) {
	for rows, more := range map[int]string{mostRows: "", mostRows + 25: "and 25 rows more;"} {
		d := &change.Description{Title: "import", Rows: rows}
		for i := range rows {
			d.Steps = append(d.Steps, change.Sentence{Do: "add row", Table: "t", Key: fmt.Sprint(i)})
		}
		d.Steps = append(d.Steps, change.Sentence{Do: "make", Path: "/home/ada/last"})
		text := printed(t, 0, func(a *app) { a.showPlan(d, true) })
		if n := strings.Count(text, "add row t "); n != mostRows || !strings.Contains(text, "make /home/ada/last") || strings.Contains(text, " more;") != (more != "") || !strings.Contains(text, more) {
			t.Errorf("of %d rows %d are shown: %.300s", rows, n, text[max(0, len(text)-300):])
		}
	}
}

// A sum of sessions that the title counts in two parts says that it is one.
func TestResultCountsAsItsTitle(t *testing.T) {
	for title, want := range map[string]string{
		"move 3 sessions and 2 without messages to /home/ada/x": ": 5 sessions in all, 1 row",
		"move 5 sessions to /home/ada/x":                        ": 5 sessions, 1 row",
	} {
		text := printed(t, 0, func(a *app) {
			a.tellResult(&change.Description{Title: title}, &migrate.Result{SuccessCount: 5, Rows: 1})
		})
		if !strings.Contains(text, want) {
			t.Errorf("it says %q", text)
		}
	}
}
