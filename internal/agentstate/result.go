package agentstate

import (
	"encoding/json"
	"strings"

	"github.com/retold-history/retold/internal/jscan"
)

// ModelOutput is the member under which a structured result carries the text
// that the model was given, when the two differ: steps keep exit codes and
// counts, prompt messages keep the output itself (formats E.5).
const ModelOutput = "modelOutput"

// joinResults completes a step's result by what the model was shown.
func joinResults(own, shown json.RawMessage) json.RawMessage {
	text := jscan.Value(shown).Text()
	switch {
	case len(shown) == 0:
		return own
	case len(own) <= len("{}"):
		return shown
	case own[0] != '{' || covers(own, text):
		return own
	}
	out := append(own[:len(own)-1:len(own)-1], ',')
	out = append(appendString(out, ModelOutput), ':')
	return append(append(out, shown...), '}')
}

// covers reports whether a result already holds most of the first lines of a text.
func covers(own json.RawMessage, text string) bool {
	have, found, n := string(own), 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		quoted := appendString(nil, line)
		if n++; strings.Contains(have, string(quoted[1:len(quoted)-1])) {
			found++
		}
		if n == 20 {
			break
		}
	}
	return found*2 >= n && n > 0
}
