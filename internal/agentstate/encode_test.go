package agentstate

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

func TestEncodeIsRenderBackwards(t *testing.T) {
	for kind, docs := range map[string][]string{
		"ShellArgs":          {`{"command":"ls","workingDirectory":"/home/ada","timeout":30000,"toolCallId":"c","isBackground":true,"description":""}`},
		"EditSuccess":        {`{"path":"a","linesAdded":0,"diffString":"@@","afterFullFileContent":"x"}`},
		"McpArgs":            {`{"name":"a-b","args":{"n":1.5,"z":null,"list":[1,"x",true,[],{}],"deep":{"a":{"b":""}}},"toolName":"b"}`},
		"UpdateTodosArgs":    {`{"todos":[{"id":"1","content":"go","status":"TODO_STATUS_COMPLETED","createdAt":"1788267609000","dependencies":["2","3"]}],"merge":true}`},
		"TaskArgs":           {`{"description":"d","prompt":"p","subagentType":{"explore":{}},"model":"m"}`},
		"GrepSuccess":        {`{"pattern":"p","workspaceResults":{"/a":{"files":{"files":["x"],"totalFiles":1}},"/b":{}}}`},
		"AwaitTaskComplete":  {`{}`},
		"TaskSuccess":        {`{"conversationSteps":[{"toolCall":{"shellToolCall":{"args":{"command":"x"}},"toolCallId":"y"}}],"durationMs":"0"}`},
		"SelectedConsoleLog": {`{"message":"m","timestamp":1.5}`},
	} {
		for _, doc := range docs {
			b, whole := encodeMessage(jscan.Value(doc), kind, 0)
			if got := string(renderMessage(b, kind)); got != doc || !whole {
				t.Errorf("%s: %s, want %s (whole: %v)", kind, got, doc, whole)
			}
		}
	}
}

func TestEncodeLeavesOutWhatHasNoField(t *testing.T) {
	for doc, want := range map[string]string{
		`{"command":"ls","unknown":1}`:                       `{"command":"ls"}`,
		`{"command":7,"workingDirectory":"/home/ada"}`:       `{"workingDirectory":"/home/ada"}`,
		`{"command":"ls","command":"rm"}`:                    `{"command":"ls"}`,
		`{"timeout":1e300,"command":"ls"}`:                   `{"command":"ls"}`,
		`{"timeoutBehavior":"SOMETHING","command":"ls"}`:     `{"command":"ls"}`,
		`{"simpleCommands":["a",1],"command":"ls"}`:          `{"command":"ls","simpleCommands":["a"]}`,
		`{"parsingResult":"no message","command":"ls"}`:      `{"command":"ls"}`,
		`{"command":null}`:                                   `{}`,
		`{"isBackground":"true","command":"ls","timeout":0}`: `{"command":"ls"}`,
	} {
		b, whole := encodeMessage(jscan.Value(doc), "ShellArgs", 0)
		if got := string(renderMessage(b, "ShellArgs")); got != want || whole {
			t.Errorf("%s: %s, want %s (whole: %v)", doc, got, want, whole)
		}
	}
	if _, whole := encodeMessage(jscan.Value(`{"success":{},"error":{}}`), "ReadToolResult", 0); whole {
		t.Error("two members of one oneof")
	}
}

func TestMakerIsReadByDecode(t *testing.T) {
	blobs := kept{}
	k := Maker{Put: func(id string, content []byte) error { blobs[id] = content; return nil }}
	at := time.UnixMilli(1788267600000).UTC()
	call, fits := (&NewCall{Variant: "shell", ID: "call_1", Args: json.RawMessage(`{"command":"ls"}`), Result: json.RawMessage(`{"success":{"stdout":"x"}}`), Started: at}).Encode()
	if !fits {
		t.Fatal("does not fit")
	}
	turn, steps, err := k.Turn(&NewTurn{
		User:      User{MessageID: "u", Text: "hi", Mode: "plan", Started: at, Attachments: []retold.Attachment{{Kind: "rule", Name: "r.mdc", Path: "/r.mdc", Text: "x"}, {Kind: "selection", Name: "a.go", Path: "/a.go", StartLine: 2, EndLine: 4}}},
		RequestID: "r", Steps: []NewStep{{Kind: StepThinking, Text: "hm"}, {Kind: StepAssistant, Text: "so", Started: at}, {Kind: StepTool, Call: call}},
	})
	if err != nil || len(steps) != 3 {
		t.Fatal(steps, err)
	}
	root, err := k.State(&NewState{Prompts: [][]byte{[]byte(`{"role":"user","content":"hi"}`)}, Turns: [][]byte{turn}, Workspace: "file:///home/ada", Mode: "plan", Branch: "main", Started: at})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Decode(root, blobs, Options{})
	if err != nil || len(c.Problems) > 0 {
		t.Fatal(err, c.Problems)
	}
	var got []string
	for _, m := range c.Messages(View{}) {
		line := string(m.Role) + " " + m.Content + " " + m.RequestID
		if m.Tool != nil {
			line += m.Tool.Name + string(m.Tool.Params) + string(m.Tool.Result)
		}
		if m.Timestamp.Equal(at) {
			line += " at"
		}
		for _, a := range m.Attachments {
			line += " " + a.Kind + " " + a.Path
		}
		got = append(got, line)
	}
	want := []string{"user hi r at selection /a.go rule /r.mdc", "thinking hm r", "assistant so r at", `tool  rshell{"command":"ls"}{"success":{"stdout":"x"}} at`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if c.Mode != "plan" || c.Branch != "main" || !c.StartedAt.Equal(at) || !slices.Equal(c.Workspaces, []string{"file:///home/ada"}) || len(c.Reached) != len(blobs)-1 {
		t.Errorf("%+v", c)
	}
}

// FuzzEncode holds what is written to being a message that is read as its own
// document again.
func FuzzEncode(f *testing.F) {
	f.Add("McpArgs", []byte(`{"args":{"a":[{},null]}}`))
	f.Add("TaskSuccess", []byte(`{"conversationSteps":[{"thinkingMessage":{"text":"\ud800"}}]}`))
	f.Add("ShellResult", []byte(`{"success":{"exitCode":-1},"isBackground":true}`))
	f.Fuzz(func(t *testing.T, kind string, doc []byte) {
		v, err := jscan.Parse(doc)
		if err != nil {
			return
		}
		b, whole := encodeMessage(v, kind, 0)
		if _, err := parse(b); err != nil {
			t.Fatalf("%s %s: %v", kind, doc, err)
		}
		rendered := renderMessage(b, kind)
		if !json.Valid(rendered) {
			t.Fatalf("%s %s: %s", kind, doc, rendered)
		}
		again, whole2 := encodeMessage(jscan.Value(rendered), kind, 0)
		if whole && whole2 && !bytes.Equal(b, again) && kind != "gp.Value" {
			t.Fatalf("%s %s: % x, then % x", kind, doc, b, again)
		}
	})
}

// kept are blobs by their ids.
type kept map[string][]byte

func (k kept) Blob(id string) ([]byte, error) { return k[id], nil }
