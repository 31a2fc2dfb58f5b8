package agentstate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// turnsOf makes turns of lines: "u text", "a text", "t text", "u!" and "a!" for
// what is not stored.
func turnsOf(lines ...string) []agentstate.Turn {
	var out []agentstate.Turn
	for i, l := range lines {
		kind, text, _ := strings.Cut(l, " ")
		id := fmt.Sprintf("%02d", i)
		if kind[0] == 'u' {
			out = append(out, agentstate.Turn{User: &agentstate.User{ID: id, MessageID: "u" + id, Text: text, Missing: kind == "u!"}})
			continue
		}
		if len(out) == 0 {
			out = append(out, agentstate.Turn{})
		}
		s := agentstate.Step{ID: id, Kind: agentstate.StepAssistant, Text: text}
		switch kind {
		case "t":
			s.Kind = agentstate.StepThinking
		case "a!":
			s.Kind = agentstate.StepMissing
		}
		last := &out[len(out)-1]
		last.Steps = append(last.Steps, s)
	}
	return out
}

// promptsOf makes prompt messages of lines: "u text", "a text", "t text",
// "s text", "call id", "result id text".
func promptsOf(lines ...string) []agentstate.Prompt {
	var out []agentstate.Prompt
	for i, l := range lines {
		kind, text, _ := strings.Cut(l, " ")
		p := agentstate.Prompt{ID: fmt.Sprintf("%064d", i), Role: map[string]string{"u": "user", "s": "system", "result": "tool"}[kind], Parts: []agentstate.Part{{Kind: agentstate.PartText, Text: text}}}
		switch kind {
		case "a", "t", "call":
			p.Role, p.Model = "assistant", "m1"
		}
		switch kind {
		case "t":
			p.Parts[0].Kind = agentstate.PartReasoning
		case "call":
			p.Parts[0] = agentstate.Part{Kind: agentstate.PartCall, CallID: text, Name: "Shell", Args: json.RawMessage(`{}`)}
		case "result":
			id, out, _ := strings.Cut(text, " ")
			p.Parts[0] = agentstate.Part{Kind: agentstate.PartResult, CallID: id, Name: "Shell", Result: json.RawMessage(`"` + out + `"`)}
		}
		out = append(out, p)
	}
	return out
}

func said(messages []retold.Message) []string {
	var out []string
	for _, m := range messages {
		line := string(m.Role[:1]) + " " + m.Content
		if m.Tool != nil {
			line = fmt.Sprintf("$ %s %s %s", m.Tool.CallID, m.Tool.Status, m.Tool.Result)
		}
		out = append(out, line)
	}
	return out
}

func TestTurnsAndPromptsBecomeOne(t *testing.T) {
	for name, c := range map[string]struct{ turns, prompts, want []string }{
		"the same":                     {[]string{"u hi", "a yo"}, []string{"u hi", "a yo"}, []string{"u hi", "a yo"}},
		"prompts alone":                {nil, []string{"u hi", "a yo"}, []string{"u hi", "a yo"}},
		"turns alone":                  {[]string{"u hi", "a yo"}, nil, []string{"u hi", "a yo"}},
		"before the turns":             {[]string{"u hi", "a yo"}, []string{"u old", "a ancient", "u hi", "a yo"}, []string{"u old", "a ancient", "u hi", "a yo"}},
		"after the turns":              {[]string{"u hi"}, []string{"u hi", "a yo"}, []string{"u hi", "a yo"}},
		"inside":                       {[]string{"u hi", "a yo"}, []string{"u hi", "t hm", "a yo"}, []string{"u hi", "t hm", "a yo"}},
		"thinking differs":             {[]string{"u hi", "t hm...", "a yo"}, []string{"u hi", "t hm", "a yo"}, []string{"u hi", "t hm...", "a yo"}},
		"an answer was cleaned":        {[]string{"u hi", "a Fixed the cart. It holds."}, []string{"u hi", "a Fixed the cart. <think>hm</think>It holds."}, []string{"u hi", "a Fixed the cart. It holds."}},
		"another answer":               {[]string{"u hi", "a yes, it is so"}, []string{"u hi", "a not at all so"}, []string{"u hi", "a not at all so", "a yes, it is so"}},
		"question in other words":      {[]string{"u see @x", "a yo"}, []string{"u see x", "a yo"}, []string{"u see @x", "a yo"}},
		"repeated words":               {[]string{"u go", "a ok", "u go", "a ok"}, []string{"u go", "a ok", "u go", "a ok"}, []string{"u go", "a ok", "u go", "a ok"}},
		"one more repetition":          {[]string{"u go", "a ok"}, []string{"u go", "a ok", "u go", "a ok"}, []string{"u go", "a ok", "u go", "a ok"}},
		"another order":                {[]string{"u a", "u b"}, []string{"u b", "u a"}, []string{"u a", "u b"}},
		"a lost question is filled in": {[]string{"u!", "a yo"}, []string{"u hi", "a yo"}, []string{"u hi", "a yo"}},
		"a lost answer is filled in":   {[]string{"u hi", "a!"}, []string{"u hi", "a yo"}, []string{"u hi", "a yo"}},
		"a lost step stays a gap":      {[]string{"u hi", "a!"}, []string{"u hi"}, []string{"u hi", "s [step not stored here]"}},
		"tools of the prompts":         {[]string{"u hi", "a yo"}, []string{"u hi", "call 1", "result 1 done", "a yo"}, []string{"u hi", `$ 1 completed "done"`, "a yo"}},
		"a tool that never ended":      {nil, []string{"u hi", "call 1"}, []string{"u hi", "$ 1 pending "}},
		"a result without its call":    {nil, []string{"u hi", "result 1 done"}, []string{"u hi", `$ 1 completed "done"`}},
		"notices come once":            {[]string{"u hi"}, []string{"s be kind", "u hi", "s be kind"}, []string{"s be kind", "u hi"}},
	} {
		conv := agentstate.Conversation{Turns: turnsOf(c.turns...), Prompts: promptsOf(c.prompts...)}
		if diff := cmp.Diff(c.want, said(conv.Messages(agentstate.View{}))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// The tail of an archive is also the head of the context: it is one message.
// The same words twice in one list are two.
func TestArchivesOverlapTheContext(t *testing.T) {
	all := promptsOf("u one", "a two", "u three")
	twice := append(promptsOf("u one"), promptsOf("u one")...)
	c := agentstate.Conversation{Archives: []agentstate.Archive{{Messages: all[:2]}}, Prompts: all[1:]}
	if diff := cmp.Diff([]string{"u one", "a two", "u three"}, said(c.Messages(agentstate.View{}))); diff != "" {
		t.Error(diff)
	}
	c = agentstate.Conversation{Prompts: twice}
	if diff := cmp.Diff([]string{"u one", "u one"}, said(c.Messages(agentstate.View{}))); diff != "" {
		t.Error(diff)
	}
}

// Whatever the two views say, each answer and thought of either is shown, nothing
// that both say is shown twice, and the turns keep their order.
func TestNothingIsLostOrDoubled(t *testing.T) {
	line := rapid.Custom(func(r *rapid.T) string {
		return rapid.SampledFrom([]string{"u", "a", "t"}).Draw(r, "role") + " " + rapid.SampledFrom([]string{"x", "y", "z", "w"}).Draw(r, "text")
	})
	rapid.Check(t, func(r *rapid.T) {
		turns := rapid.SliceOfN(line, 0, 12).Draw(r, "turns")
		prompts := rapid.SliceOfN(line, 0, 12).Draw(r, "prompts")
		c := agentstate.Conversation{Turns: turnsOf(turns...), Prompts: promptsOf(prompts...)}
		got := said(c.Messages(agentstate.View{}))
		count := func(lines []string) map[string]int {
			n := map[string]int{}
			for _, l := range lines {
				n[l]++
			}
			return n
		}
		have, inTurns, inPrompts := count(got), count(turns), count(prompts)
		for l, n := range have {
			if n > max(inTurns[l], inPrompts[l]) {
				r.Fatalf("%q is shown %d times", l, n)
			}
		}
		for _, l := range append(turns, prompts...) {
			if l[0] != 'u' && have[l] < max(inTurns[l], inPrompts[l]) {
				r.Fatalf("%q is shown %d times in %q", l, have[l], got)
			}
		}
		at := 0
		for _, l := range got {
			if at < len(turns) && turns[at] == l {
				at++
			}
		}
		if at < len(turns) {
			r.Fatalf("the turns %q are not in order in %q", turns, got)
		}
	})
}
