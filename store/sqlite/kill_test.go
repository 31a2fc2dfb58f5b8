package sqlite_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/store/sqlite"
)

var now = time.UnixMilli(1_760_000_000_000).UTC()

// TestKilled kills a process that writes, again and again at random moments, and
// holds the library to its last commit each time. RETOLD_TEST_KILLS sets how
// often.
func TestKilled(t *testing.T) {
	kills := 20
	if n, err := strconv.Atoi(os.Getenv("RETOLD_TEST_KILLS")); err == nil {
		kills = n
	}
	path := filepath.Join(t.TempDir(), "library.db")
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 7))
	for range kills {
		said := writeAndDie(t, path, time.Duration(r.IntN(60_000))*time.Microsecond)
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n, err := commits(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if n < said {
			t.Fatalf("commit %d was done, the library holds %d", said, n)
		}
		checkHistory(t, s, n)
		w, err := s.Writer(t.Context())
		if err != nil {
			t.Fatalf("after a kill: %v", err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		s.Audit(t)
		checkHistory(t, s, n)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// writeAndDie lets another process write for a while after its first commit and
// returns the last commit that it told of.
func writeAndDie(t *testing.T, path string, after time.Duration) (said int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "RETOLD_TEST_PART=write", "RETOLD_TEST_PATH="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if said == 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // it may have ended
		}
		if _, err := fmt.Sscan(lines.Text(), &said); err != nil {
			t.Errorf("the writer said %q", lines.Text())
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Log("the writer finished before it was killed")
	}
	if said == 0 {
		t.Fatal("the writer said nothing")
	}
	return said
}

// checkHistory holds a library to what it must hold after n commits.
func checkHistory(t *testing.T, s *sqlite.Store, n int) {
	t.Helper()
	want := historyAt(n)
	total, sessions := 0, 0
	for session, messages := range want {
		if len(messages) == 0 {
			continue
		}
		sessions++
		total += len(messages)
		var got []retold.Message
		for m, err := range s.Messages(t.Context(), keptSession(session, n).Key, 0) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, m)
		}
		if diff := cmp.Diff(messages, got); diff != "" {
			t.Fatalf("session %d after %d commits (-want +got):\n%s", session, n, diff)
		}
	}
	if _, listed, err := s.List(t.Context(), retold.Filter{Empty: true}, 1, 0); err != nil || listed != sessions {
		t.Fatalf("%d sessions after %d commits, want %d: %v", listed, n, sessions, err)
	}
	for q, want := range map[string]int{"common": total, "titled": sessions, fmt.Sprint("at", n): 1, fmt.Sprint("at", n+1): 0} {
		if got := find(t, s, q).Pagination.Total; got != want {
			t.Fatalf("%q is found %d times after %d commits, want %d", q, got, n, want)
		}
	}
}

func find(t *testing.T, s *sqlite.Store, q string) *retold.SearchResult {
	t.Helper()
	parsed, err := retold.ParseQuery(q, now)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Search(t.Context(), parsed, now, 20, 0)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
