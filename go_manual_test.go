package retold_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/demo"
)

// The program in docs/go.md is a program: it builds, and on a machine with the
// made-up history in the usual places it says what it should.
func TestManualProgramRuns(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("builds a program, and lays out a home as Linux has it")
	}
	text, err := os.ReadFile("docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(text), "```go\npackage main")
	program, _, ok := strings.Cut(program, "\n```\n")
	if !ok {
		t.Fatal("docs/go.md holds no program")
	}
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte("package main"+program), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := demo.Make(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	var said, complaint bytes.Buffer
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "XDG_CONFIG_HOME=" + filepath.Join(dir, "config")}
	cmd.Stdout, cmd.Stderr = &said, &complaint
	if err := cmd.Run(); err != nil || complaint.Len() > 0 {
		t.Fatalf("%v: %s", err, complaint.String())
	}
	for _, want := range []string{
		"f2c5c0ba 2024-09-18 Gallery loads 40 MB at once\n", "44632825 #0: what does this do: awk", "2 messages, Composer 2\n", "# Explain this awk line\n",
	} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("no %q in\n%s", want, said.String())
		}
	}
}

// Every code has its row in the manual, and its sentinel.
func TestManualNamesEveryCode(t *testing.T) {
	text, err := os.ReadFile("docs/go.md")
	if err != nil {
		t.Fatal(err)
	}
	set, files := productFiles(t, ".")
	names, codes := exported(t, "retold", set, files), 0
	for name, value := range constants(files, "Code") {
		codes++
		sentinel := "Err" + strings.TrimPrefix(name, "Code")
		if retold.Code(value) == retold.CodeInterrupted {
			sentinel = "context.Canceled"
		} else if !slices.Contains(names, "var "+sentinel+" *Error") {
			t.Errorf("%s has no sentinel %s", name, sentinel)
		}
		if row := "| `" + value + "` | `" + sentinel + "`"; !strings.Contains(string(text), row) {
			t.Errorf("docs/go.md has no row %s", row)
		}
	}
	if codes < 14 {
		t.Errorf("found %d codes", codes)
	}
}
