package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
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
	for some := range slices.Chunk(tokens, 8) {
		id := fmt.Sprintf("%08x-aaaa-4bbb-8ccc-0123456789ab", 0x5eaf0000+len(ids))
		session, messages := leaky(id, some)
		s.tell(session, messages...)
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

// leaky is a session with tokens in every field.
func leaky(id string, tokens []redacttest.Token) (retold.Session, []retold.Message) {
	var lines, files []string
	env := map[string]string{}
	for _, k := range tokens {
		lines, files = append(lines, k.Name+"="+k.Value), append(files, "/home/ada/harbour/"+k.Name+"="+k.Value)
		env[k.Name] = k.Value
	}
	all := strings.Join(lines, "\n")
	raw := func(v any) string {
		out, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(out)
	}
	shell := ran(retold.ToolShell, "sh", raw(map[string]string{"command": "export " + strings.Join(lines, " ")}), "harbour\n"+all+"\n")
	shell.Tool.Status = retold.StatusFailed
	edit := ran(retold.ToolEdit, "edit", raw(map[string]any{"contents": all, "env": env}), "done")
	edit.Tool.Diff = "--- a/.env\n+++ b/.env\n@@ -1 +1,8 @@\n-x\n+" + strings.Join(lines, "\n+")
	edit.Tool.Files = files
	todo := ran(retold.ToolTodo, "todo_write", raw(map[string]any{"todos": []any{map[string]string{"id": "1", "content": "set " + all, "status": "pending"}}}), "ok")
	ask := said(retold.RoleUser, "harbour: let's use "+all+" instead of the old ones")
	ask.Attachments = []retold.Attachment{{Kind: "selection", Name: ".env", Path: files[0], Text: all}}
	return retold.Session{
		ID: id, Title: "harbour " + lines[0], WorkspacePath: "/home/ada/harbour", WorkspaceName: "harbour", Branch: lines[len(lines)-1],
		FirstMessagePreview: retold.Preview(all), Mode: lines[len(lines)/2],
	}, []retold.Message{ask, said(retold.RoleThinking, all), said(retold.RoleAssistant, "They are set:\n"+all), shell, edit, todo, said(retold.RoleError, "refused: "+all)}
}

// Nor one with something in front of it or inside it that is taken out.
func TestNothingLeaksBehindHiddenCharacters(t *testing.T) {
	s := &tales{}
	var ids []string
	var counts []int
	var tokens []redacttest.Token
	for _, k := range redacttest.Tokens(5) {
		if strings.HasPrefix(k.Value, "ghp_") || strings.HasPrefix(k.Value, "sk-ant") || strings.HasPrefix(k.Value, "AKIA") {
			tokens = append(tokens, k)
		}
	}
	if len(tokens) < 2 {
		t.Fatal("the corpus has no such tokens")
	}
	halves := map[string]string{}
	for i, hidden := range []string{"\x1b[0m\x1b[K", "\x07", "\b", "\u200b", "\u200d", "\ufe0f", "\u2028", "\u0085"} {
		var some []redacttest.Token
		for _, k := range tokens {
			half := len(k.Value) / 2
			halves[k.Value[:half]], halves[k.Value[half:]] = k.Provider, k.Provider
			broken := k.Value[:half] + hidden + k.Value[half:]
			some = append(some, redacttest.Token{Name: "token" + hidden + k.Value + " x", Value: "x"}, redacttest.Token{Name: "see token" + hidden + broken, Value: "x"})
		}
		id := fmt.Sprintf("%08x-aaaa-4bbb-8ccc-0123456789ab", 0x5eaf0000+i)
		session, messages := leaky(id, some)
		for i := range messages {
			if messages[i].Tool != nil {
				messages[i].Tool.Name = some[i%len(some)].Name
			}
		}
		s.tell(session, messages...)
		ids, counts = append(ids, id), append(counts, 7)
	}
	for what, got := range serveTales(t, s).everything(ids, counts) {
		for half, provider := range halves {
			if at := strings.Index(got, half); at >= 0 {
				t.Errorf("%s tells a half of the token of %s: %q", what, provider, got[max(0, at-60):at+10])
			}
		}
	}
}
