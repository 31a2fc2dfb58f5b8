package sqlite

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/retold-history/retold"
)

func TestScratchSearch(t *testing.T) {
	if os.Getenv("SEARCH") == "" {
		t.Skip()
	}
	now := time.Now()
	for round := range 3 {
		for _, q := range []string{"porucbanka", "sensspurprocess", "nakag*", `"return error"`, "error", "ucban", "json.Unmar", "を", "日本", "test role:tool", "/func \\w+Handler/", "has:error", "tool:edit deadlock", "retry -timeout"} {
			start, c0 := time.Now(), cpu()
			s, err := Open(t.Context(), "/tmp/store_lib2/library.db", Options{})
			must(t, err)
			open := time.Since(start)
			pq, err := retold.ParseQuery(q, now)
			must(t, err)
			start = time.Now()
			r, err := s.Search(t.Context(), pq, now, 20, 0)
			must(t, err)
			first := time.Since(start)
			w := [3]int64{s.work.rows.Load(), s.work.pages.Load(), s.work.sessions.Load()}
			start = time.Now()
			_, err = s.Search(t.Context(), pq, now, 20, 0)
			must(t, err)
			second := time.Since(start)
			if round == 2 {
				fmt.Printf("%-22s open %6v first %8v second %8v cpu %v total %d est %v rows/pages/sessions %v\n", q, open.Round(time.Microsecond*10), first.Round(time.Microsecond*10), second.Round(time.Microsecond*10), cpu()-c0, r.Pagination.Total, r.Estimated, w)
				if len(r.Data) > 0 {
					fmt.Printf("      %s %v\n", r.Data[0].Match, r.Data[0].Highlights)
				}
			}
			s.Close()
		}
	}
}
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
