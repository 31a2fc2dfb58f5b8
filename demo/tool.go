package demo

import (
	"strconv"
	"strings"
)

// A tool is one use of a tool in all the forms in which Cursor keeps it.
type tool struct {
	id      int    // in the bubble's toolFormerData
	name    string // ditto
	cli     string // as the command line's agent calls it
	input   obj    // the model's arguments
	raw     string // arguments that are not JSON, or only the beginning of it
	params  any
	result  any // nil when the bubble has none
	said    string
	variant int // field of agent.v1.ToolCall
	args    pb
	outcome pb
	status  string
	failure string
	extra   obj
	content map[string]string // rows composer.content.<hex>
	path    string            // file touched, relative
}

// A desk is the files of a workspace as the story leaves them step by step.
type desk struct {
	story *story
	files map[string]string
}

func newDesk(s *story) *desk { return &desk{s, map[string]string{}} }

// old says whether the story is from before the tools of late 2025.
func (s *story) old() bool { return s.shape == "v1" || s.shape == "timing" }

// use turns a step into a tool call.
func (d *desk) use(st step) *tool {
	t := &tool{status: "completed", extra: obj{}, content: map[string]string{}}
	switch st.verb {
	case "read":
		d.read(t, st)
	case "edit", "write", "patch":
		d.change(t, st)
	case "delete":
		t.id, t.name, t.cli, t.variant = 11, "delete_file", "Delete", 3
		t.input = obj{"target_file": st.subject}
		t.params = obj{"relativeWorkspacePath": st.subject}
		t.result = obj{"fileDeletedSuccessfully": true}
		t.args, t.outcome = pb{}.str(1, d.file(st.subject)), pb{}.bytes(1, pb{}.str(1, d.file(st.subject)))
	case "shell":
		d.shell(t, st)
	case "grep", "glob", "list":
		d.find(t, st)
	case "todo", "plan", "task", "ask":
		d.steer(t, st)
	case "web", "mcp":
		d.reach(t, st)
	}
	t.end(st)
	return t
}

// end applies what became of the call.
func (t *tool) end(st step) {
	switch st.attr["status"] {
	case "cancelled":
		t.status, t.result, t.outcome = "cancelled", nil, nil
		if t.id != 15 {
			t.raw = strings.TrimSuffix(text(t.input), `"}`) // the stream ended here
		}
	case "error":
		t.status, t.result, t.outcome = "error", nil, nil
		t.failure = st.body
		if _, after, ok := strings.Cut(st.body, "\n!! "); ok {
			t.failure = after
		}
	case "running":
		t.status, t.result, t.outcome = "loading", nil, nil
	}
	switch st.attr["via"] {
	case "args":
		t.result, t.params = nil, nil
	case "binary":
		t.result = nil
	}
}

func (d *desk) file(rel string) string { return d.story.workspace.file(rel) }

func (d *desk) read(t *tool, st step) {
	path, lines := d.file(st.subject), strings.Count(st.body, "\n")+1
	t.cli, t.variant, t.said, t.path = "Read", 8, st.body, st.subject
	if d.files[st.subject] == "" {
		d.files[st.subject] = st.body + "\n"
	}
	t.args = pb{}.str(1, path)
	t.outcome = pb{}.bytes(1, pb{}.str(1, st.body).num(4, int64(lines)).str(7, path))
	if d.story.old() {
		t.id, t.name = 5, "read_file"
		t.input = obj{"target_file": st.subject, "should_read_entire_file": true}
		t.params = obj{"relativeWorkspacePath": st.subject, "readEntireFile": true}
		t.result = obj{"contents": st.body, "startLineOneIndexed": 1, "endLineOneIndexedInclusive": lines, "totalLines": lines}
		return
	}
	t.id, t.name = 40, "read_file_v2"
	t.input = obj{"target_file": path}
	t.params = obj{"targetFile": path, "charsLimit": 100000, "effectiveUri": path}
	t.result = obj{"contents": st.body, "totalLinesInFile": lines}
}

func (d *desk) shell(t *tool, st step) {
	command, output, _ := strings.Cut(st.body, "\n")
	command = strings.TrimPrefix(command, "$ ")
	t.id, t.name, t.cli, t.variant, t.said = 15, "run_terminal_cmd", "Shell", 1, output
	t.input = obj{"command": command, "explanation": st.subject, "is_background": false}
	t.params = obj{"command": command, "isBackground": false, "requireUserApproval": false}
	code, err := strconv.Atoi(st.attr["exit"])
	result := obj{"output": output, "rejected": false, "notInterrupted": true, "endedReason": "RUN_TERMINAL_COMMAND_ENDED_REASON_EXECUTION_COMPLETED"}
	switch {
	case st.attr["status"] == "timeout":
		result["endedReason"], result["notInterrupted"] = "RUN_TERMINAL_COMMAND_ENDED_REASON_IDLE_TIMEOUT", false
	case st.attr["status"] == "rejected":
		result = obj{"output": "", "rejected": true}
		t.extra = obj{"reviewData": obj{"status": "Done", "selectedOption": "reject"}}
	case d.story.old():
		result["exitCode"] = code
	default:
		result["exitCodeV2"] = code
		t.name = "run_terminal_command_v2"
	}
	t.result = result
	t.args = pb{}.str(1, command).str(2, d.story.workspace.path).opt(15, st.subject)
	done := pb{}.str(1, command).str(2, d.story.workspace.path).num(3, int64(code)).str(5, output).num(7, st.took.Milliseconds())
	switch {
	case st.attr["status"] == "timeout":
		t.outcome = pb{}.bytes(3, pb{}.str(1, command).str(2, d.story.workspace.path).num(3, 120000))
	case st.attr["status"] == "rejected":
		t.outcome = pb{}.bytes(4, pb{}.str(1, command).str(3, "rejected by user"))
	case err == nil && code != 0:
		t.outcome = pb{}.bytes(2, done)
	default:
		t.outcome = pb{}.bytes(1, done)
	}
}
