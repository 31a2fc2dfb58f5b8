package bench

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
)

// A call is one use of a tool, as text; it is written in three forms: the
// bubble's JSON, the agent's prompt messages and its protobuf steps.
type call struct {
	tool         int // number in the bubble
	name, id     string
	path         []byte
	arg          []byte // command, pattern, old text
	out          []byte // output, contents, new text
	args, result []byte // JSON
}

// tool appends a tool call's members. How often each tool occurs follows counts
// from one real database of 50,567 messages.
func (w *writer) tool(b []byte, s *session, m mark) ([]byte, error) {
	c := &call{id: "toolu_" + w.uuid()[:22], path: w.text.path([]byte(workspaces[s.workspace].path + "/"))}
	switch r := w.rng.IntN(100); {
	case r < 28 || m.word != "":
		w.shell(c, s, m)
	case r < 59:
		w.edit(c, s)
	case r < 84:
		w.read(c, s)
	default:
		w.grep(c, s)
	}
	if c.tool == 38 {
		if err := w.contents(s, c); err != nil {
			return nil, err
		}
	}
	b = strconv.AppendInt(append(b, `,"toolFormerData":{"tool":`...), int64(c.tool), 10)
	b = append(append(append(b, `,"toolIndex":0,"modelCallId":"","toolCallId":"`...), c.id...), `","status":"completed","name":"`...)
	b = append(append(b, c.name...), `","rawArgs":`...)
	b = quote(b, c.args)
	b = quote(append(b, `,"params":`...), w.params(c))
	b = quote(append(b, `,"result":`...), c.result)
	b = append(b, `,"additionalData":{}`...)
	step := w.step(s, c)
	if s.version >= 17 && !s.lean && w.rng.IntN(2) == 0 {
		b = append(append(b, `,"toolCallBinary":"`...), base64.StdEncoding.EncodeToString(step)...)
		b = append(b, '"')
	}
	b = append(b, '}')
	return b, w.rememberCall(s, c, step)
}

func (w *writer) shell(c *call, s *session, m mark) {
	c.tool, c.name = 15, "run_terminal_cmd"
	c.arg = w.text.prose([]byte("go test ./... -run "), 20)
	c.out = w.text.output(nil, w.size(s, 5200))
	switch m.where {
	case "arguments":
		c.arg = w.mark(c.arg, m)
	case "result":
		c.out = w.mark(c.out, m)
	}
	c.args = append(quote([]byte(`{"command":`), c.arg), `,"explanation":"Run the tests","is_background":false}`...)
	c.result = quote([]byte(`{"output":`), c.out)
	c.result = append(c.result, `,"exitCodeV2":0,"rejected":false,"poppedOutIntoBackground":false,"notInterrupted":true,"endedReason":"RUN_TERMINAL_COMMAND_ENDED_REASON_EXECUTION_COMPLETED"}`...)
}

func (w *writer) read(c *call, s *session) {
	c.tool, c.name = 40, "read_file"
	c.out = w.text.code(nil, w.size(s, 10000))
	c.args = append(quote([]byte(`{"target_file":`), c.path), '}')
	c.result = append(quote([]byte(`{"contents":`), c.out), `,"totalLinesInFile":412}`...)
}

func (w *writer) grep(c *call, s *session) {
	c.tool, c.name = 41, "grep"
	c.arg = w.text.ident(nil)
	c.out = w.text.code(nil, w.size(s, 5800))
	c.args = append(quote([]byte(`{"pattern":`), c.arg), `,"output_mode":"content"}`...)
	b := append(quote([]byte(`{"success":{"pattern":`), c.arg), `,"outputMode":"content","workspaceResults":{"/home/ada":{"content":{"matches":[{"file":`...)
	b = append(quote(b, c.path), `,"matches":[{"lineNumber":17,"content":`...)
	c.result = append(quote(b, c.out), `,"isContextLine":false}]}],"totalMatchedLines":1}}}}}`...)
}

func (w *writer) edit(c *call, s *session) {
	c.tool, c.name = 38, "search_replace"
	c.arg = w.text.code(nil, w.size(s, 950))
	c.out = w.text.code(nil, w.size(s, 1150))
	c.args = quote([]byte(`{"file_path":`), c.path)
	c.args = quote(append(c.args, `,"old_string":`...), c.arg)
	c.args = append(quote(append(c.args, `,"new_string":`...), c.out), '}')
}

// contents writes the file as it is after an edit and names both texts in the
// result; the text before is the one after the previous edit.
func (w *writer) contents(s *session, c *call) error {
	if w.rng.IntN(12) == 0 || len(w.file) == 0 {
		w.file = w.text.code(w.file[:0], w.size(s, 5000))
	}
	w.file = append(w.file, cut(c.out, 2000)...)
	if len(w.file) > 20000 {
		w.file = append(w.file[:0], w.file[10000:]...)
	}
	var sum [32]byte
	for i := range sum {
		sum[i] = byte(w.rng.Uint32())
	}
	after := "composer.content." + hex.EncodeToString(sum[:])
	if err := w.put(after, w.file); err != nil {
		return err
	}
	before := s.afterID
	s.afterID = after
	c.result = append([]byte(`{"beforeContentId":"`), before...)
	c.result = append(append(c.result, `","afterContentId":"`...), after...)
	c.result = quote(append(c.result, `","diff":{"chunks":[{"diffString":`...), append([]byte("-"), c.arg...))
	c.result = append(c.result, `,"oldStart":10,"newStart":10,"oldLines":8,"newLines":9,"linesRemoved":4,"linesAdded":5}],"editor":"EDITOR_AI","hitTimeout":false},"fileWasCreated":false,"rejected":false,"linterErrors":[]}`...)
	return w.diffRow(s)
}

// params is the arguments once more, as the IDE understood them.
func (w *writer) params(c *call) []byte {
	b := w.inner[:0]
	switch c.tool {
	case 15:
		b = append(quote(append(b, `{"command":`...), c.arg), `,"isBackground":false,"requireUserApproval":false,"parsingResult":{"executableCommands":[{"name":"go","args":[],"fullText":`...)
		b = append(quote(b, c.arg), `}]},"requestedSandboxPolicy":{"type":"TYPE_INSECURE_NONE"}}`...)
	case 40:
		b = append(quote(append(b, `{"targetFile":`...), c.path), `,"charsLimit":100000,"effectiveUri":`...)
		b = append(quote(b, c.path), '}')
	case 41:
		b = append(quote(append(b, `{"pattern":`...), c.arg), `,"outputMode":"content","caseInsensitive":false,"multiline":false}`...)
	default:
		b = append(quote(append(b, `{"relativeWorkspacePath":`...), c.path), `,"noCodeblock":true,"cloudAgentEdit":false}`...)
	}
	w.inner = b
	return b
}
