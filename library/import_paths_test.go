package library_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
)

// elsewhere is a conversation about a folder that is not on this machine.
func elsewhere() *retold.SessionDetail {
	call := func(c retold.ToolCall) *retold.ToolCall { c.Status = retold.StatusCompleted; return &c }
	d := &retold.SessionDetail{Session: retold.Session{ID: "talk", Agent: "codex", Title: "Tides", WorkspacePath: "/home/ada/old"}}
	d.Messages = []retold.Message{
		{Role: retold.RoleUser, Content: "read /home/ada/old/a.txt", Attachments: []retold.Attachment{{Kind: "file", Name: "a.txt", Path: "/home/ada/old/a.txt", Text: "/home/ada/old/a.txt"}}},
		{Role: retold.RoleTool, Tool: call(retold.ToolCall{
			Name: "Read", Kind: retold.ToolRead, CallID: "call_1", Params: json.RawMessage(`{"file_path":"/home/ada/old/a.txt","explanation":"/home/ada/old"}`),
			Result: json.RawMessage(`"/home/ada/old/a.txt says hi"`), Files: []string{"/home/ada/old/a.txt", "/home/ada/older/b.txt"},
		})},
		{Role: retold.RoleTool, Tool: call(retold.ToolCall{
			Name: "Edit", Kind: retold.ToolEdit, CallID: "call_2", Params: json.RawMessage(`{"file_path":"/home/ada/old/a.txt"}`),
			Result: json.RawMessage(`{"path":"/home/ada/old/a.txt","content":"/home/ada/old/x"}`), Files: []string{"/home/ada/old/a.txt"},
			Diff: "--- /home/ada/old/a.txt\n+++ /home/ada/old/a.txt\n@@ -1,2 +1,2 @@\n--- /home/ada/old/a.txt\n+++ /home/ada/old/a.txt\n same\n",
		})},
		{Role: retold.RoleTool, Tool: call(retold.ToolCall{Name: "Bash", Kind: retold.ToolShell, CallID: "call_3", Params: json.RawMessage(`{"command":"ls /home/ada/old","cwd":"/home/ada/old/sub"}`), Result: json.RawMessage(`"ok"`)})},
		{Role: retold.RoleAssistant, Content: "/home/ada/old/a.txt says hi."},
	}
	for i := range d.Messages {
		d.Messages[i].ID, d.Messages[i].Index = "m"+string(rune('0'+i)), i
	}
	return d
}

// TestImportRewritesPaths imports a conversation of another folder to each agent:
// the paths below it are below the new one where they stand as paths.
func TestImportRewritesPaths(t *testing.T) {
	for _, agent := range []string{"cursor", "cursor-cli"} {
		t.Run(agent, func(t *testing.T) {
			r := newRemoval(t)
			real, err := filepath.EvalSymlinks(r.to)
			if err != nil {
				t.Fatal(err)
			}
			r.to = real
			l := r.open(r.options)
			given := elsewhere()
			result := r.apply(l.PlanImport(t.Context(), library.ImportOptions{Details: []*retold.SessionDetail{given}, To: agent, Workspace: r.to}))
			if result.SuccessCount != 1 {
				t.Fatalf("%+v", result)
			}
			if diff := cmp.Diff(elsewhere(), given); diff != "" {
				t.Errorf("what was given was changed: %s", diff)
			}
			page, err := l.List(t.Context(), retold.Filter{Agents: []string{agent}, Workspaces: []string{r.to}}, 10, 0)
			if err != nil || len(page.Data) != 1 {
				t.Fatalf("%+v, %v", page, err)
			}
			d, err := l.Show(t.Context(), page.Data[0].ID)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range d.Messages {
				line := []string{string(m.Role), m.Content}
				for _, a := range m.Attachments {
					line = append(line, a.Path, a.Text)
				}
				if c := m.Tool; c != nil {
					line = append(line, string(c.Params), string(c.Result), strings.Join(c.Files, ","), c.Diff)
				}
				got = append(got, strings.ReplaceAll(strings.Join(line, "|"), r.to, "NEW"))
			}
			want := []string{
				"user|read /home/ada/old/a.txt|NEW/a.txt|/home/ada/old/a.txt",
				`tool||{"file_path":"NEW/a.txt","explanation":"/home/ada/old"}|"/home/ada/old/a.txt says hi"|NEW/a.txt,/home/ada/older/b.txt|`,
				`tool||{"file_path":"NEW/a.txt"}|{"path":"NEW/a.txt","content":"/home/ada/old/x"}|NEW/a.txt|` +
					"--- NEW/a.txt\n+++ NEW/a.txt\n@@ -1,2 +1,2 @@\n--- /home/ada/old/a.txt\n+++ /home/ada/old/a.txt\n same\n",
				`tool||{"command":"ls /home/ada/old","cwd":"NEW/sub"}|"ok"||`,
				"assistant|/home/ada/old/a.txt says hi.",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
