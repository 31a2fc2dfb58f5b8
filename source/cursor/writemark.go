package cursor

import (
	"bytes"
	"encoding/json"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// What Cursor's own members cannot say of a call of another agent stands in
// toolFormerData.additionalData.retold, where Cursor lets anything stand: the
// members of the call that would come out differently, as they were.

// imported gives a call that was written by retold back what it was.
func (t *toolData) imported(c *retold.ToolCall) { agentstate.RecallCall(t.extra.Get("retold"), c) }

// members is a JSON object in the making.
type members map[string]any

// encode writes JSON as JavaScript does, without escaping what HTML would need.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
