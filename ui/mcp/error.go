package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/quote"
)

// A failure is the public form of an error.
type failure struct {
	Code    retold.Code `json:"code"`
	Message string      `json:"message"`
	Hint    *string     `json:"hint"`
}

// failureOf makes of an error what a client may see: masked, without control
// characters, with a hint that names tools instead of commands.
func failureOf(err error) failure {
	f := failure{Code: "error", Message: quote.Safe(commands.Replace(err.Error()))}
	hint := ""
	if e, ok := errors.AsType[*retold.Error](err); ok {
		f.Code, hint = cmp.Or(e.Code, f.Code), e.Hint
	}
	switch {
	case errors.Is(err, context.Canceled):
		f.Code, hint = retold.CodeInterrupted, "the call was cancelled"
	case errors.Is(err, library.ErrNothing):
		hint = "call doctor for the places that were looked at; there is no history to search yet"
	default:
		hint = toolHint(f.Code, hint)
	}
	if hint != "" {
		hint = quote.Safe(hint)
		f.Hint = &hint
	}
	return f
}

// toolHint says what to call next.
func toolHint(code retold.Code, hint string) string {
	switch code {
	case retold.CodeSessionNotFound:
		if strings.Contains(hint, "list_backups") {
			return hint
		}
		next := "call list_sessions or search_sessions for ids and numbers that exist"
		if strings.Contains(hint, unread) {
			next += "; " + unread + ", and it may be in one that could not: call doctor"
		}
		return next
	case retold.CodeSessionAmbiguous:
		return "call again with more characters of the id, or the number before it"
	case retold.CodeWorkspaceNotFound, retold.CodeWorkspaceAmbiguous:
		return "call list_workspaces for names and paths that exist"
	case retold.CodeLibraryBusy, retold.CodeDatabaseLocked:
		return "another program is busy with it: call again in a moment"
	}
	if why, _, cut := strings.Cut(hint, "; retold undo --forget "); cut {
		hint = why + "; a person can remove the record, with retold in a shell"
	}
	return commands.Replace(hint)
}

// unread is what the library's hint says where a file could not be read.
const unread = "not every file could be read"

// commands turns the commands that hints name into tools.
var commands = strings.NewReplacer(
	"see `retold list`", "call list_sessions", "`retold list`", "list_sessions",
	"see `retold workspaces`", "call list_workspaces", "`retold workspaces`", "list_workspaces",
	"see `retold doctor`", "call doctor", "`retold doctor`", "doctor",
	"list --empty", "empty: true", "`retold search`", "search_sessions", "`retold show`", "get_session", "`retold stats`", "get_stats",
	"see `retold undo --list`", "call undo_change without id", "`retold undo --list`", "undo_change without id", "retold backups DIR", "list_backups", "retold verify ", "validate_backup ", "`retold show ", "`get_session ",
	"choose another name, or add --force to replace it", "choose another name", "add --overwrite to put", "overwrite: true puts",
	"name the key with --identity FILE, or give the passphrase: RETOLD_PASSPHRASE holds it, and at a terminal you are asked", "only a person can open it, with retold in a shell: keys and passphrases are not for agents",
	"with --skip-damaged that much is restored", "a person can restore that much with retold in a shell",
	"run it in a git repository, or name one with --repo", "give repo: the absolute path of a folder in a git repository",
	"name the repository that it lies in with --repo", "give the repository that it lies in as repo",
	"retold journal reflect \"what you want to remember\"", "give text: what is to be remembered, at most 64 KB",
	"with --overwrite it is taken back as it is now, and kept in the folder .retold-restore-…", "a person can take it back as it is now, with retold in a shell",
	"with --skip-changed conversations that were changed since stay as they are, and the rest is taken back", "a person can have the rest taken back, with retold in a shell",
	"`retold undo --finish` ends it, `retold undo --roll-back` takes it back", "the next change that is confirmed ends it; a person can take it back, with retold in a shell",
	"look at the plan again", "call without confirm, look at the plan again and use its fingerprint",
)

// failed is the result of a tool that could not answer, in both forms.
func failed(err error) *sdk.CallToolResult {
	f := failureOf(err)
	body, marshalErr := json.Marshal(map[string]failure{"error": f})
	if marshalErr != nil { // a struct of strings
		body = []byte(`{"error":{"code":"error","message":"the error cannot be told","hint":null}}`)
	}
	var b strings.Builder
	message := f.Message
	if strings.Contains(message, "\n") { // it quotes titles
		first, rest, _ := strings.Cut(message, "\n")
		mark := quote.NewMark(rest)
		message = first + "\n" + mark.Open() + rest + mark.Close()
	}
	fmt.Fprintf(&b, "Error (%s): %s", f.Code, message)
	if f.Hint != nil {
		fmt.Fprintf(&b, "\nHint: %s", *f.Hint)
	}
	return &sdk.CallToolResult{
		IsError: true, StructuredContent: json.RawMessage(body),
		Content: []sdk.Content{&sdk.TextContent{Text: b.String()}},
	}
}

// protocolError is the form of an error for requests that know no other: reading
// a resource, getting a prompt.
func protocolError(err error) error {
	f := failureOf(err)
	code := int64(jsonrpc.CodeInternalError)
	switch f.Code {
	case retold.CodeUsage, retold.CodeSessionNotFound, retold.CodeSessionAmbiguous, retold.CodeWorkspaceNotFound, retold.CodeWorkspaceAmbiguous:
		code = jsonrpc.CodeInvalidParams
	}
	data, marshalErr := json.Marshal(f)
	if marshalErr != nil {
		data = nil
	}
	message := f.Message
	if f.Hint != nil {
		message += "; " + *f.Hint
	}
	return &jsonrpc.Error{Code: code, Message: message, Data: data}
}

// usage is an error about what a client asked.
func usage(hint, format string, args ...any) error {
	return &retold.Error{Code: retold.CodeUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}
