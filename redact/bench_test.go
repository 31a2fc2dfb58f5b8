package redact_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/redact/redacttest"
)

// source is Go source, the densest ordinary text there is in words like "token"
// and "key".
func source(b *testing.B) string {
	b.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("no source of Go's library here")
	}
	var text strings.Builder
	for _, folder := range []string{"go/parser", "net/http", "encoding/json", "go/types"} {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", folder, "*.go"))
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue // made-up keys
			}
			data, err := os.ReadFile(f)
			if err != nil {
				b.Fatal(err)
			}
			text.Write(data)
		}
	}
	if text.Len() == 0 {
		b.Skip("no source of Go's library here")
	}
	return text.String()
}

// story is prose and code as the made-up history has it.
func story(b *testing.B) string {
	b.Helper()
	files, err := filepath.Glob("../demo/story/*.txtar")
	if err != nil || len(files) == 0 {
		b.Fatal(err, len(files))
	}
	var text strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		text.Write(data)
	}
	return text.String()
}

func BenchmarkText(b *testing.B) {
	var keys strings.Builder
	for _, c := range redacttest.Cases(1) {
		keys.WriteString(c.Text + "\n\n")
	}
	for _, c := range []struct{ name, text string }{
		{"conversation", story(b)},
		{"source", source(b)},
		{"secrets-only", keys.String()},
		{"secret-per-10KB", secretEach(story(b), 10<<10)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				redact.Text(c.text)
			}
		})
	}
}

// secretEach puts a secret into a text after every so many bytes.
func secretEach(text string, every int) string {
	tokens := redacttest.Tokens(3)
	var b strings.Builder
	for i := 0; len(text) > every; i++ {
		b.WriteString(text[:every] + "\n" + tokens[i%len(tokens)].Name + "=" + tokens[i%len(tokens)].Value + "\n")
		text = text[every:]
	}
	b.WriteString(text)
	return b.String()
}
