package demo

import (
	"fmt"
	"slices"
	"strings"
)

// A state builds the agent's own record of a conversation (agent.v1), which the
// command line keeps in store.db and the IDE in agentKv rows.
type state struct {
	story   *story
	calls   map[string]*tool
	put     func([]byte) [32]byte
	prompts [][32]byte
	turns   [][32]byte
	timings pb
	pending []string
	extra   pb // fields the caller wants in the root

	user  [32]byte
	steps [][32]byte
	began step
}

// build writes every blob and returns the root.
func (a *state) build() pb {
	s := a.story
	a.message(obj{"role": "system", "content": "You are a coding agent. Answer briefly, change files with care and say what you changed."})
	a.message(obj{"role": "user", "content": "<user_info>\nOS Version: linux 6.8.0\n\nShell: bash\n\nWorkspace Path: " + s.workspace.path +
		"\n\nToday's date: " + s.start.Format("Monday Jan 2, 2006") + "\n</user_info>"})
	for _, st := range s.steps {
		if st.attr["orphan"] != "" {
			continue
		}
		a.step(st)
	}
	a.endTurn()
	root := pb{}.ids(1, a.prompts)
	if s.shape == "cli-old" {
		root = root.ids(2, a.turns)
	}
	root = a.todos(root).list(4, a.pending).bytes(5, pb{}.num(1, int64(12000+800*len(s.steps))).num(2, 200000))
	if s.shape != "cli-old" {
		root = root.ids(8, a.turns)
	}
	root = root.str(9, s.workspace.uri).num(10, 1)
	root = append(root, a.timings...)
	if s.branch != "" {
		root = root.str(19, s.branch)
	}
	root = append(root, a.extra...)
	if s.shape != "cli-old" {
		root = root.num(26, s.start.UnixMilli()).str(27, "Europe/Lisbon")
	}
	return root
}

func (a *state) message(m obj) { a.prompts = append(a.prompts, a.put(encode(m))) }

func (a *state) part(role string, part obj) {
	m := obj{"role": role, "content": []obj{part}}
	if role == "assistant" {
		m["id"] = "1"
		m["providerOptions"] = obj{"cursor": obj{"modelName": a.story.model}}
	}
	a.message(m)
}

func (a *state) step(st step) {
	dated := a.story.shape != "cli-old"
	begin, end := st.at.UnixMilli(), st.at.Add(st.took).UnixMilli()
	switch st.verb {
	case "user", "notice":
		a.endTurn()
		body, _, _ := strings.Cut(st.body, "\n>>>\n")
		a.part("user", obj{"type": "text", "text": "<user_query>\n" + body + "\n</user_query>"})
		m := pb{}.str(1, body).str(2, st.id)
		if name := st.attr["image"]; name != "" {
			m = m.bytes(3, pb{}.bytes(1, pb{}.str(2, uuid("image", name)).str(3, a.story.imagePath(name)).str(7, "image/png")))
		}
		m = m.num(4, 1)
		if st.verb == "notice" {
			m = m.num(5, 1)
		}
		if dated {
			m = m.num(25, begin)
		}
		a.user, a.began = a.put(m), st
	case "assistant":
		a.part("assistant", obj{"type": "text", "text": st.body})
		a.add(pb{}.bytes(1, span(pb{}.str(1, st.body), dated, 2, begin, end)))
	case "thinking":
		a.part("assistant", obj{"type": "reasoning", "text": st.body, "providerOptions": obj{"cursor": obj{"modelName": a.story.model}}})
		a.add(pb{}.bytes(3, span(pb{}.str(1, st.body).num(2, end-begin), dated, 3, begin, end)))
	case "error":
	default:
		a.tool(st, a.calls[st.id])
	}
}

func span(b pb, dated bool, first int, begin, end int64) pb {
	if !dated {
		return b
	}
	if first == 2 {
		return b.num(2, begin).num(3, end)
	}
	return b.num(3, begin).num(4, end)
}

func (a *state) tool(st step, t *tool) {
	if st.attr["by"] == "user" { // typed at the command line's own prompt
		command, output, _ := strings.Cut(st.body, "\n")
		a.endTurn()
		in := a.put(pb{}.str(1, strings.TrimPrefix(command, "$ ")))
		out := a.put(pb{}.str(1, output+"\n").num(3, int64(number0(st.attr["exit"]))))
		a.turns = append(a.turns, a.put(pb{}.bytes(2, pb{}.bytes(1, in[:]).bytes(2, out[:]))))
		a.timings = a.timings.bytes(14, pb{}.num(1, st.took.Milliseconds()).num(2, st.at.UnixMilli()))
		return
	}
	ask := obj{"type": "tool-call", "toolCallId": st.call, "toolName": t.cli, "args": t.input}
	if t.status == "loading" {
		a.pending = append(a.pending, text(obj{"id": "1", "role": "assistant", "content": []obj{ask}}))
		return
	}
	a.part("assistant", ask)
	said, failed := t.said, false
	if t.failure != "" {
		said, failed = t.failure, true
	}
	result := obj{"type": "tool-result", "toolCallId": st.call, "toolName": t.cli, "result": said}
	if failed {
		result["isError"] = true
	}
	a.message(obj{"role": "tool", "id": st.call, "content": []obj{result}})
	a.add(pb{}.bytes(2, t.proto(st)))
}

func number0(s string) int {
	if s == "" {
		return 0
	}
	return number(s)
}

// proto is agent.v1.ToolCall.
func (t *tool) proto(st step) pb {
	call := pb{}.bytes(1, t.args)
	if t.outcome != nil {
		call = call.bytes(2, t.outcome)
	}
	b := pb{}.bytes(pbNumber(t.variant), call)
	return b.str(57, st.call).num(59, st.at.UnixMilli()).num(60, st.at.Add(st.took).UnixMilli())
}

func (a *state) add(step pb) { a.steps = append(a.steps, a.put(step)) }

func (a *state) endTurn() {
	if a.user == ([32]byte{}) {
		return
	}
	turn := pb{}.bytes(1, a.user[:]).ids(2, a.steps).str(3, a.began.request)
	if a.story.shape != "cli-old" {
		turn = pb{}.bytes(1, turn)
		a.timings = a.timings.bytes(14, pb{}.num(1, int64(30000+4000*len(a.steps))).num(2, a.began.at.UnixMilli()))
	}
	a.turns = append(a.turns, a.put(turn))
	a.user, a.steps = [32]byte{}, nil
}

// todos adds the last list of todos the agent kept.
func (a *state) todos(root pb) pb {
	for _, v := range slices.Backward(a.story.steps) {
		if st := v; st.verb == "todo" {
			for _, item := range todosOf(st.body) {
				id := a.put(todoProto(item))
				root = root.bytes(3, id[:])
			}
			return root
		}
	}
	return root
}

func hexID(id [32]byte) string { return fmt.Sprintf("%x", id) }
