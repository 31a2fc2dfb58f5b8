package mcp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/retold-history/retold/ui/mcp"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// Every golden is a list of calls, one a line, and the texts of their answers on
// the made-up history.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c := connect(t, openDemo(t), mcp.Options{Version: "1.0"}, nil)
			golden, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: golden.Comment}
			for _, f := range golden.Files {
				got.Files = append(got.Files, txtar.File{Name: f.Name, Data: []byte(c.answer(f.Name) + "\n")})
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for i, f := range golden.Files {
				if diff := cmp.Diff(string(f.Data), string(got.Files[i].Data)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, diff)
				}
			}
		})
	}
}

// answer is the text of the answer to a line of a golden: the name of a tool, a
// prompt or "resource", and what it is given.
func (c *client) answer(line string) string {
	c.t.Helper()
	name, args, _ := strings.Cut(line, " ")
	var out string
	switch {
	case name == "resource":
		res, err := c.ReadResource(c.t.Context(), &sdk.ReadResourceParams{URI: args})
		if err != nil {
			return "protocol error: " + err.Error()
		}
		out = res.Contents[0].Text
	case name == "prompt":
		name, args, _ = strings.Cut(args, " ")
		given := map[string]string{}
		if err := json.Unmarshal([]byte(args), &given); err != nil {
			c.t.Fatal(err)
		}
		res, err := c.GetPrompt(c.t.Context(), &sdk.GetPromptParams{Name: name, Arguments: given})
		if err != nil {
			return "protocol error: " + err.Error()
		}
		out = res.Messages[0].Content.(*sdk.TextContent).Text
	case strings.HasPrefix(name, "json:"):
		var b bytes.Buffer
		if err := json.Indent(&b, c.call(strings.TrimPrefix(name, "json:"), args).body, "", "  "); err != nil {
			c.t.Fatal(err)
		}
		out = b.String()
	default:
		out = c.call(name, args).text
	}
	return neutral(out)
}
