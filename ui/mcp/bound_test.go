package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp"
)

// Prompts and resources are as bounded as tools are, however long what they are
// about.
func TestPromptsAndResourcesAreBounded(t *testing.T) {
	s := &tales{}
	for range 4 {
		long(s, 400)
		last := s.sessions[len(s.sessions)-1]
		last.ID = fmt.Sprintf("%08d-aaaa-4bbb-8ccc-0123456789ab", len(s.sessions))
		big := strings.Repeat("Let's use the harbour instead of the pier. ", 900)
		for i := range 40 {
			m := said(retold.RoleUser, big)
			m.ID, m.Index, m.Timestamp = fmt.Sprint("big", i), len(last.Messages), last.CreatedAt
			last.Messages = append(last.Messages, m)
		}
		last.MessageCount = len(last.Messages)
	}
	c := serveTales(t, s)
	id := s.sessions[0].ID
	for _, line := range []string{
		`prompt resume_work {"workspace": "/home/ada/harbour"}`, `prompt explain_decision {"query": "harbour"}`, `prompt summarise_session {"session": "` + id + `"}`,
		"resource retold://session/" + id, "resource retold://session/" + id + "/message/3", "resource retold://workspaces",
	} {
		text := c.answer(line)
		if n := utf8.RuneCountInString(text); n > 20_000 || n < 100 || strings.HasPrefix(text, "protocol error") {
			t.Errorf("%s: %d characters: %.300s", line, n, text)
		}
	}
}

// Whatever sizes messages have, both forms stay within their bounds, pages go on,
// and nothing is cut inside a character.
func TestAnySizesFit(t *testing.T) {
	s := &tales{}
	const id = "5eaf00d5-aaaa-4bbb-8ccc-0123456789ab"
	sizes := []int{0, 1, 150, 170, 599, 601, 1500, 9000, 70_000}
	alphabets := []string{"a", "é", "漢", "😀", "\"", "\\", "<&>", "\n", "x\x1b[1m"}
	var messages []retold.Message
	for i, size := range sizes {
		for j, a := range alphabets {
			text := strings.Repeat(a, size)
			if (i+j)%3 == 0 {
				messages = append(messages, ran(retold.ToolShell, "sh", `{"command":"ls"}`, text))
			} else {
				messages = append(messages, said(retold.Roles[1+(i+j)%3], text))
			}
		}
	}
	s.tell(retold.Session{ID: id, Title: strings.Repeat("title ", 200), Branch: strings.Repeat("b", 300)}, messages...)
	c := serveTales(t, s)
	_, output := schemas(t, c)
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.IntRange(2000, 60_000).Draw(rt, "max_chars")
		from := rapid.IntRange(-5, len(messages)).Draw(rt, "from")
		limit := rapid.IntRange(1, 60).Draw(rt, "limit")
		r := c.call("get_session", fmt.Sprintf(`{"session": %q, "from": %d, "limit": %d, "max_chars": %d}`, id, from, limit, most))
		valid(t, output["get_session"], r, "get_session")
		d := decode[struct {
			Messages   []json.RawMessage
			Pagination retold.Pagination
		}](t, r)
		if n := utf8.RuneCount(r.body); n > most {
			rt.Fatalf("structured form of %d characters", n)
		}
		if n := utf8.RuneCountInString(r.text); n > most {
			rt.Fatalf("text of %d characters", n)
		}
		if strings.Contains(r.text, "\ufffd") || !utf8.ValidString(r.text) {
			rt.Fatal("cut inside a character")
		}
		if len(d.Messages) == 0 && from < len(messages) {
			rt.Fatal("a page without a message")
		}
	})
}

// No arguments whatever make a tool stumble or break its promise.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"session":1,"message":"0","limit":3}`, `{"query":"tide OR /x/","role":["user"],"since":"7d"}`, `{"session":"2","path":"relative.md","confirm":true,"fingerprint":"x"}`, `{"max_chars":2000,"from":-3,"around":"#1"}`} {
		f.Add(seed)
	}
	c := connect(f, openDemo(f), mcp.Options{}, nil)
	f.Fuzz(func(t *testing.T, args string) {
		if !json.Valid([]byte(args)) || strings.Contains(args, `"path"`) {
			return
		}
		for _, tool := range []string{"list_sessions", "search_sessions", "get_session", "get_message", "list_workspaces", "get_stats", "export_session", "migrate_session", "migrate_workspace", "undo_change", "why", "commit_context", "journal_entry", "journal_search"} {
			if strings.Contains(args, `"confirm"`) && tool != "export_session" {
				continue
			}
			res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
			if err != nil {
				continue // an error of the protocol
			}
			if text := res.Content[0].(*sdk.TextContent).Text; strings.Contains(text, "stumbled") || !utf8.ValidString(text) {
				t.Errorf("%s %s: %s", tool, args, text)
			}
		}
	})
}
