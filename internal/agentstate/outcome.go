package agentstate

import (
	"slices"

	"github.com/retold-history/retold"
)

// outcome is the member of a result's oneof that is set: "success", "failure",
// "rejected", "permissionDenied", …
type outcome struct {
	name string
	kind string // message type
	raw  []byte
	body message
}

// outcome finds how the call ended. The zero outcome means that the result does
// not say.
func (t *ToolCall) outcome() outcome {
	m, _ := parse(t.result)
	known := fields().messages[t.typeOf(2)]
	for _, f := range slices.Backward(m) {
		ft, ok := known[f.num]
		if !ok || ft.oneof == "" {
			continue
		}
		body, _ := parse(f.b)
		return outcome{name: ft.name, kind: ft.kind, raw: f.b, body: body}
	}
	return outcome{}
}

// statusOf reads the status off the oneof. A call without any result was still
// running when it was stored; one whose result is empty ended in a way that
// nobody wrote down.
func statusOf(o outcome, hasResult bool) retold.ToolStatus {
	switch o.name {
	case "":
		if hasResult {
			return ""
		}
		return retold.StatusPending
	case "success", "accepted", "complete", "stillRunning", "startSuccess", "saveSuccess",
		"discardSuccess", "registered", "async":
		return retold.StatusCompleted
	case "rejected":
		return retold.StatusCancelled
	case "needsConfirmation":
		return retold.StatusPending
	}
	return retold.StatusFailed
}

// shellExit is the stored exit code. proto3 does not write a zero: in a success
// that ran to its end nothing written means 0; in a failure it means that there
// was none (a signal, an abort).
func (t *ToolCall) shellExit(o outcome) *int {
	if f, ok := o.body.get(3); ok && (o.name == "success" || o.name == "failure") {
		code := int(int32(f.n))
		return &code
	}
	result, _ := parse(t.result)
	background := result.uint(102) != 0 || o.body.has(14) // ShellResult.is_background, ShellSuccess.background_reason
	if o.name != "success" || background {
		return nil
	}
	code := 0
	return &code
}

// awaitExit is the exit code of the task that was waited for (AwaitTaskComplete 7,
// zigzag).
func awaitExit(o outcome) *int {
	done := o.body
	switch o.name {
	case "success":
		done = done.sub(1)
	case "complete":
	default:
		return nil
	}
	f, ok := done.get(7)
	if !ok {
		return nil
	}
	code := int(int64(f.n>>1) ^ -int64(f.n&1))
	return &code
}
