package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/redact/redacttest"
)

// No token of the corpus leaves by any door, whatever field it was in.
func TestNothingLeaks(t *testing.T) {
	s := &tales{}
	var ids []string
	var counts []int
	tokens := redacttest.Tokens(7)
	for i, k := range tokens {
		line := k.Name + "=" + k.Value
		raw := func(v any) string {
			out, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(out)
		}
		shell := ran(retold.ToolShell, "sh", raw(map[string]string{"command": "export " + line}), "harbour\n"+line+"\n")
		shell.Tool.Status = retold.StatusFailed
		edit := ran(retold.ToolEdit, "edit", raw(map[string]any{"contents": line, "env": map[string]string{k.Name: k.Value}}), "done")
		edit.Tool.Diff = "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-x\n+" + line
		edit.Tool.Files = []string{"/home/ada/harbour/" + line}
		todo := ran(retold.ToolTodo, "todo_write", raw(map[string]any{"todos": []any{map[string]string{"id": "1", "content": "set " + line, "status": "pending"}}}), "ok")
		ask := said(retold.RoleUser, "harbour: let's use "+line+" instead of the old one")
		ask.Attachments = []retold.Attachment{{Kind: "selection", Name: ".env", Path: "/home/ada/" + line, Text: line}}
		id := fmt.Sprintf("%08x-aaaa-4bbb-8ccc-0123456789ab", 0x5eaf0000+i)
		s.tell(retold.Session{
			ID: id, Title: "harbour " + line, WorkspacePath: "/home/ada/harbour", WorkspaceName: "harbour", Branch: line,
			FirstMessagePreview: retold.Preview(line), Mode: line,
		}, ask, said(retold.RoleThinking, line), said(retold.RoleAssistant, "It is set:\n"+line), shell, edit, todo, said(retold.RoleError, "refused: "+line))
		ids, counts = append(ids, id), append(counts, 7)
	}
	c := serveTales(t, s)
	all := c.everything(ids, counts)
	for _, k := range tokens {
		if k.Named { // its shape alone says nothing, so that it may be in an answer under another name
			for what, got := range all {
				if strings.Contains(got, k.Name+"="+k.Value) {
					t.Errorf("%s tells the token of %s", what, k.Provider)
				}
			}
			continue
		}
		for what, got := range all {
			if at := strings.Index(got, k.Value); at >= 0 {
				t.Errorf("%s tells the token of %s: %q", what, k.Provider, got[max(0, at-60):at+10])
			}
		}
	}
}
