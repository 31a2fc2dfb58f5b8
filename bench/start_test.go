package bench_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// known are the packages that make their tables at start, whoever needs them:
// those behind the Markdown and colours of an export, and the schemas of the MCP
// SDK. What that costs is in docs/benchmarks.md; nothing may join them unnoticed.
var known = []string{
	"github.com/alecthomas/chroma/v2/lexers", "github.com/microcosm-cc/bluemonday", "github.com/gorilla/css/scanner",
	"github.com/yuin/goldmark/", "golang.org/x/net/html", "github.com/google/jsonschema-go/jsonschema",
}

// What packages do before main begins is paid by every command. Time varies
// from run to run; the bytes that they allocate do not, and a table made or a
// regular expression compiled at start shows in them.
func TestLittleIsMadeAtStart(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "retold")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../cmd/retold").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), binary, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	const each, all = 64 << 10, 5 << 20
	total, packages := 0, 0
	for line := range strings.Lines(trace.String()) {
		// init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs
		fields := strings.Fields(line)
		if len(fields) < 10 || fields[0] != "init" {
			continue
		}
		size, err := strconv.Atoi(fields[7])
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		packages++
		total += size
		if size > each && !slices.ContainsFunc(known, func(p string) bool { return strings.HasPrefix(fields[1], p) }) {
			t.Errorf("%s allocates %d bytes before main begins", fields[1], size)
		}
	}
	if packages < 10 {
		t.Fatalf("only %d packages in the trace:\n%s", packages, trace.String())
	}
	if total > all {
		t.Errorf("%d bytes are allocated before main begins", total)
	}
}
