package journal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/redact"
)

// saying are texts that are said, run and printed in the property test.
var saying = rapid.Custom(func(t *rapid.T) string {
	parts := rapid.SliceOfN(rapid.SampledFrom(append([]string{
		"We decided to keep it, because it is simpler. ", "No, revert that. ", "Should it be shared? ", "Yes. ", "error: it broke\n", "--- FAIL: TestX (0.01s)\n", "\n\n", "- one\n- two\n",
		" ghp_16C7e42F292c6912E7710c838347Ae178B4a ", "/home/ada/x.go:3:4: undefined: y\n", strings.Repeat("long ", 300), "何を使いますか？", "ファイルです。", "e.g. this. ", "> quoted\n", "| a | b |\n", "\xff\xfe",
	}, hostile...)), 0, 8).Draw(t, "parts")
	return strings.Join(parts, "")
})

// TestNothingThatWasNotSaid: whatever is said in a conversation, each text of an
// entry stands in the message that it cites, and each message is one of its span.
func TestNothingThatWasNotSaid(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/entry/roadblocks.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s := enact(t, ar)
	key := s.shelf.kept[0].Key
	whole := s.shelf.messages[key]
	rapid.Check(t, func(rt *rapid.T) {
		list := append([]retold.Message{}, whole[:2]...)
		teller := &teller{h: s.shelf, kept: &s.shelf.kept[0], key: key, at: list[len(list)-1].Timestamp}
		s.shelf.messages[key] = list
		for range rapid.IntRange(0, 8).Draw(rt, "messages") {
			text := saying.Draw(rt, "text")
			switch rapid.IntRange(0, 3).Draw(rt, "kind") {
			case 0:
				teller.prompt(text)
			case 1:
				teller.answer(text)
			case 2:
				teller.shell(text, saying.Draw(rt, "output"))
			case 3:
				teller.add(retold.Message{Role: retold.RoleError, Content: text})
			}
		}
		teller.add(whole[4]) // the edit that the commit holds
		teller.answer(saying.Draw(rt, "end"))
		s.shelf.kept[0].Revision++
		e, err := s.journal().Compose(rt.Context(), s.repo, s.last())
		if err != nil {
			rt.Fatal(err)
		}
		if e.Class != journal.ClassLinked {
			rt.Fatal(e.Reason)
		}
		allSaid(rt, e, s.shelf.messages[key])
	})
}

func allSaid(t *rapid.T, e *journal.Entry, messages []retold.Message) {
	stands := func(at journal.Cite, text string) {
		if at.SessionID != e.Sessions[0].ID || at.MessageIndex < e.Sessions[0].From || at.MessageIndex > e.Sessions[0].To {
			t.Fatalf("%v is outside of the span", at)
		}
		m := messages[at.MessageIndex]
		if m.ID != at.MessageID {
			t.Fatalf("%v is not message %s", at, m.ID)
		}
		redact.Message(&m)
		all := m.Content
		if m.Tool != nil {
			var params, result map[string]any
			_ = json.Unmarshal(m.Tool.Params, &params)
			_ = json.Unmarshal(m.Tool.Result, &result)
			for _, p := range []map[string]any{params, result} {
				for _, v := range p {
					if v, ok := v.(string); ok {
						all += "\n" + v
					}
				}
			}
			all += "\n" + m.Tool.Name + "\n" + strings.Join(m.Tool.Files, "\n")
		}
		if text = strings.TrimSuffix(text, "…"); !strings.Contains(all, text) {
			t.Fatalf("%q does not stand in %q", text, all)
		}
	}
	for _, list := range [][]journal.Quote{e.Intent, e.Tasks, e.Discussion} {
		for _, q := range list {
			stands(q.Cite, q.Text)
			stands(q.Cite, q.More)
		}
	}
	for _, c := range e.Commands {
		stands(c.Cite, c.Text)
	}
	for _, b := range e.Roadblocks {
		stands(b.Cite, b.Text)
		stands(b.LastSeen, "")
		if b.Fixed != nil {
			stands(*b.Fixed, "")
		}
	}
	if len(e.Discussion) > 8 {
		t.Fatalf("%d quotes", len(e.Discussion))
	}
	if value, err := json.Marshal(e); err != nil || strings.Contains(string(value), "ghp_16C7") {
		t.Fatalf("%s %v", value, err)
	}
}
