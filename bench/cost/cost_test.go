package cost_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/bench/cost"
)

func TestQuantile(t *testing.T) {
	var list []time.Duration
	for i := range 40 {
		list = append(list, time.Duration(40-i)*time.Millisecond)
	}
	if p50, p95 := cost.Quantile(list, 50), cost.Quantile(list, 95); p50 != 20*time.Millisecond || p95 != 38*time.Millisecond {
		t.Errorf("p50 %v, p95 %v of 1…40 ms", p50, p95)
	}
	if cost.Quantile(nil, 50) != 0 {
		t.Error("a quantile of nothing")
	}
}

func TestMedian(t *testing.T) {
	samples := []cost.Sample{{Wall: 9, CPU: 1, Peak: 5}, {Wall: 1, CPU: 3, Peak: 7}, {Wall: 5, CPU: 2, Peak: 6}}
	if w, c, p := cost.Median(samples, cost.Wall), cost.Median(samples, cost.CPU), cost.Median(samples, cost.Peak); w != 5 || c != 2 || p != 6 {
		t.Errorf("medians %d, %d, %d", w, c, p)
	}
}

// When the test binary is run as a command, it works for a while on 64 MB, or
// fails.
func TestMain(m *testing.M) {
	switch os.Getenv("RETOLD_COST_TEST") {
	case "work":
		held := make([]byte, 64<<20)
		for start := time.Now(); time.Since(start) < 50*time.Millisecond; {
			for i := 0; i < len(held); i += 4096 {
				held[i]++
			}
		}
		fmt.Println("done", held != nil)
	case "fail":
		fmt.Fprintln(os.Stderr, "no such luck")
		os.Exit(3)
	default:
		os.Exit(m.Run())
	}
}

func TestRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s, err := cost.Run(t.Context(), []string{self}, []string{"RETOLD_COST_TEST=work"}, &out)
	if err != nil || out.String() != "done true\n" {
		t.Fatalf("%q, %v", out.String(), err)
	}
	if s.Wall < 50*time.Millisecond || s.CPU < 5*time.Millisecond || s.Peak != 0 && s.Peak < 64<<20 {
		t.Errorf("%+v for 50 ms of work on 64 MB", s)
	}
	if _, err := cost.Run(t.Context(), []string{self}, []string{"RETOLD_COST_TEST=fail"}, nil); err == nil || !strings.Contains(err.Error(), "no such luck") {
		t.Errorf("the error is %v", err)
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "12345", "sub/b": "678"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if size, files, err := cost.Folder(dir); size != 8 || files != 2 || err != nil {
		t.Errorf("%d bytes in %d files, %v", size, files, err)
	}
	if _, _, err := cost.Folder(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there weighs something")
	}
}
