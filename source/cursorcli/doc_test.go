package cursorcli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumentation wants every golden linked from docs/cursor-format.md, which
// is the format documentation's way in.
func TestDocumentation(t *testing.T) {
	doc, err := os.ReadFile("../../docs/cursor-format.md")
	if err != nil {
		t.Fatal(err)
	}
	goldens, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(goldens) == 0 {
		t.Fatal(err, len(goldens))
	}
	for _, file := range goldens {
		if link := "(../source/cursorcli/testdata/" + filepath.Base(file) + ")"; !strings.Contains(string(doc), link) {
			t.Errorf("%s is not linked", file)
		}
	}
}
