package cursorcli

import (
	"encoding/json"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
	"github.com/retold-history/retold/internal/jscan"
)

// A prompt is a message for the model (formats E.6), its members in Cursor's
// order.
type prompt struct {
	ID       string       `json:"id,omitempty"`
	Role     string       `json:"role"`
	Content  []promptPart `json:"content"`
	Provider any          `json:"providerOptions,omitempty"`
}

// An answer is the message with the result of a tool.
type answer struct {
	Role    string       `json:"role"`
	ID      string       `json:"id"`
	Content []resultPart `json:"content"`
}

type promptPart struct {
	Type   string          `json:"type"`
	Text   *string         `json:"text,omitempty"`
	CallID string          `json:"toolCallId,omitempty"`
	Name   string          `json:"toolName,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
}

type resultPart struct {
	Type   string `json:"type"`
	Name   string `json:"toolName"`
	CallID string `json:"toolCallId"`
	Result string `json:"result"`
	Failed bool   `json:"isError,omitempty"`
}

// prompts are the messages that the model is to see when the conversation goes
// on: what was said, the calls and their results. Thinking is left out, because a
// model takes it only with a signature of its own, and so are notices and errors.
// A call is in one message with what was said before it, and with the other calls
// of the same answer of the model.
func (w *chat) prompts() (docs [][]byte, err error) {
	var open prompt // an answer of the model
	var calls []int // those in it
	add := func(message any) {
		doc, e := encodeJSON(message)
		if err == nil {
			err = e
		}
		docs = append(docs, doc)
	}
	flush := func() {
		if len(open.Content) > 0 {
			add(open)
		}
		for _, i := range calls {
			add(w.answer(i))
		}
		open, calls = prompt{ID: "1", Role: "assistant"}, nil
	}
	flush()
	for i := range w.talk {
		m := &w.talk[i]
		switch m.Role {
		case retold.RoleUser:
			flush()
			add(asked(m))
		case retold.RoleAssistant:
			if len(calls) > 0 {
				flush()
			}
			open.Content = append(open.Content, promptPart{Type: string(agentstate.PartText), Text: &m.Content})
		case retold.RoleTool:
			if n := len(calls); n > 0 && (calls[n-1] != i-1 || !agentstate.SameCall(&w.talk[i-1], m)) {
				flush()
			}
			d := &w.calls[i]
			open.Content = append(open.Content, promptPart{Type: string(agentstate.PartCall), CallID: d.id, Name: d.told(), Args: d.given.Raw()})
			calls = append(calls, i)
		}
	}
	flush()
	return docs, err
}

// asked is what a person said, in the wrapping that the agent gives it.
func asked(m *retold.Message) prompt {
	text := "<user_query>\n" + m.Content + "\n</user_query>"
	p := prompt{Role: "user", Content: []promptPart{{Type: string(agentstate.PartText), Text: &text}}}
	if m.RequestID != "" {
		p.Provider = map[string]any{"cursor": map[string]any{"requestId": m.RequestID}}
	}
	return p
}

// told is the name of a call's tool as the providers of models take it.
func (d *draft) told() string {
	name := unnamed().ReplaceAllString(d.call.Name, "_")
	if name == "" {
		return d.variant
	}
	return name[:min(len(name), 64)]
}

// answer is what the model is told of a call. It is told something of each:
// providers refuse a call without an answer.
func (w *chat) answer(i int) answer {
	d := &w.calls[i]
	v, err := jscan.Parse(d.call.Result)
	text := said(v)
	if err != nil {
		text = ""
	}
	switch {
	case text != "":
	case d.call.Status == retold.StatusPending || d.call.Status == retold.StatusCancelled:
		text = "The call was not carried out."
	case d.call.Result == nil:
		text = "The result was not kept."
	}
	return answer{Role: "tool", ID: d.id, Content: []resultPart{{
		Type: string(agentstate.PartResult), Name: d.told(), CallID: d.id, Result: text, Failed: d.call.Status == retold.StatusFailed,
	}}}
}
