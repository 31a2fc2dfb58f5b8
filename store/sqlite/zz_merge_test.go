package sqlite

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestScratchMerge(t *testing.T) {
	if os.Getenv("MERGE") == "" {
		t.Skip()
	}
	must(t, exec.Command("rm", "-rf", "/tmp/store_lib2").Run())
	must(t, exec.Command("cp", "-r", "/tmp/store_lib", "/tmp/store_lib2").Run())
	s, err := Open(t.Context(), "/tmp/store_lib2/library.db", Options{})
	must(t, err)
	wr, err := s.Writer(t.Context())
	must(t, err)
	w := wr.(*Writer)
	var ids []int64
	var tokens int64
	for _, g := range w.segments {
		ids = append(ids, g.id)
		tokens += g.info.Tokens
	}
	start, c0 := time.Now(), cpu()
	must(t, w.merge(t.Context(), ids))
	fmt.Println("merged", len(ids), "tokens", tokens, time.Since(start), cpu()-c0)
	must(t, w.Close())
	must(t, s.Close())
}
