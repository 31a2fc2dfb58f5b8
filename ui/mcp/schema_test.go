package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/retold-history/retold/ui/mcp"
)

// schemas are the schemas that the server tells of its tools.
func schemas(t *testing.T, c *client) (input, output map[string]*jsonschema.Resolved) {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	input, output = map[string]*jsonschema.Resolved{}, map[string]*jsonschema.Resolved{}
	resolve := func(v any) *jsonschema.Resolved {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		return r
	}
	for _, tool := range list.Tools {
		input[tool.Name], output[tool.Name] = resolve(tool.InputSchema), resolve(tool.OutputSchema)
	}
	return input, output
}

// valid holds an answer against the schema of its tool.
func valid(t *testing.T, schema *jsonschema.Resolved, r result, what string) {
	t.Helper()
	var v any
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%s: %v\n%.2000s", what, err, r.body)
	}
}

// Every tool, asked in many ways about the made-up history, answers what its
// schema says, in both forms and within its bounds.
func TestAnswersKeepTheirPromises(t *testing.T) {
	c := connect(t, openDemo(t), mcp.Options{}, nil)
	input, output := schemas(t, c)
	ids := decode[struct {
		Data []struct {
			ID           string
			MessageCount int
		}
	}](t, c.call("list_sessions", `{"limit": 1000, "max_chars": 400000, "empty": true}`)).Data
	if len(ids) < 30 {
		t.Fatalf("%d sessions", len(ids))
	}
	calls := [][2]string{
		{"list_sessions", `{}`},
		{"list_sessions", `{"limit": 1000}`},
		{"list_sessions", `{"agent": "cursor-cli", "offset": 2, "limit": 2}`},
		{"search_sessions", `{"query": "the", "limit": 100}`},
		{"search_sessions", `{"query": "a* role:tool"}`},
		{"search_sessions", `{"query": "zzzzqq"}`},
		{"list_workspaces", `{}`},
		{"list_workspaces", `{"offset": 3, "limit": 2}`},
		{"get_stats", `{}`},
		{"get_stats", `{"since": "2030"}`},
		{"doctor", `{}`},
		{"get_session", `{"session": "no such"}`},
		{"get_message", `{}`},
	}
	for _, id := range ids {
		for _, more := range []string{``, `, "limit": 1000`, `, "roles": ["user", "assistant"], "from": 1`} {
			calls = append(calls, [2]string{"get_session", fmt.Sprintf(`{"session": %q%s}`, id.ID, more)})
		}
		for n := range id.MessageCount {
			calls = append(calls, [2]string{"get_message", fmt.Sprintf(`{"session": %q, "message": "%d"}`, id.ID, n)})
		}
		for _, format := range []string{"md", "json", "html"} {
			calls = append(calls, [2]string{"export_session", fmt.Sprintf(`{"session": %q, "format": %q}`, id.ID, format)})
		}
	}
	for _, call := range calls {
		tool, args := call[0], call[1]
		var given map[string]any
		if err := json.Unmarshal([]byte(args), &given); err != nil {
			t.Fatal(err)
		}
		for _, most := range []int{20_000, 2_000, 6_000} {
			what := fmt.Sprintf("%s %s max_chars %d", tool, args, most)
			if most != 20_000 {
				given["max_chars"] = float64(most)
			}
			r := c.call(tool, string(unescaped(t, given)))
			valid(t, output[tool], r, what)
			if !r.isError {
				if err := input[tool].Validate(given); err != nil {
					t.Errorf("%s: its own input schema: %v", what, err)
				}
			}
			if n := utf8.RuneCount(r.body); n > most {
				t.Errorf("%s: structured form of %d characters", what, n)
			}
			if n := utf8.RuneCountInString(r.text); n > most {
				t.Errorf("%s: text of %d characters", what, n)
			}
		}
	}
}

// The annotations tell a client what it may call without asking.
func TestAnnotations(t *testing.T) {
	c := connect(t, openDemo(t), mcp.Options{}, nil)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		a := tool.Annotations
		writes := slices.Contains([]string{"export_session", "create_backup", "restore_backup", "migrate_session", "migrate_workspace", "undo_change", "add_reflection"}, tool.Name)
		destroys := slices.Contains([]string{"restore_backup", "migrate_session", "migrate_workspace", "undo_change"}, tool.Name)
		if a == nil || a.ReadOnlyHint == writes || a.IdempotentHint == writes || a.DestructiveHint == nil || *a.DestructiveHint != destroys || a.OpenWorldHint == nil || *a.OpenWorldHint {
			t.Errorf("%s: %+v", tool.Name, a)
		}
		if tool.Title == "" || tool.Description == "" || tool.OutputSchema == nil {
			t.Errorf("%s is not told of", tool.Name)
		}
	}
	if len(names) != 20 {
		t.Errorf("tools are %v", names)
	}
	caps := c.InitializeResult().Capabilities
	if caps.Tools == nil || caps.Tools.ListChanged || caps.Prompts == nil || caps.Resources == nil || caps.Resources.Subscribe || caps.Completions == nil || caps.Logging == nil {
		t.Errorf("capabilities %s", unescaped(t, caps))
	}
	if c.InitializeResult().Instructions == "" {
		t.Error("no instructions")
	}
}
