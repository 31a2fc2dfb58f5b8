package agentstate

import "github.com/retold-history/retold"

// Call is a tool call known by its name and arguments alone, as in transcripts:
// nothing says how it ended.
func (p *Part) Call() *retold.ToolCall {
	t := &retold.ToolCall{Name: p.Name, Kind: KindOf(p.Name), CallID: p.CallID, Params: p.Args}
	t.Files = argFiles(t.Kind, p)
	return t
}
