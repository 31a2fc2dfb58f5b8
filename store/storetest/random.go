package storetest

import (
	"encoding/json"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/retold-history/retold"
)

// oddTexts are what strangers put into strings.
var oddTexts = []string{
	"", " ", "plain", "two\nlines\r\n", "nul\x00inside", "\xff\xfe not UTF-8", "lone \xed\xa0\xbd surrogate", "\x1b[31mred\x1b[0m",
	"ünïcödé", "日本語の文字", "кириллица", "\u202eright to left", "tab\tand\u2028line", "e\u0301", "😀👩‍👩‍👧", "{\"json\": [1, 2]}", "```go\nfunc main() {}\n```",
}

func text(t *rapid.T, name string) string {
	return rapid.OneOf(rapid.SampledFrom(oddTexts), rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, name)
}

// moment is a time as sources give it, or none.
func moment(t *rapid.T, name string) time.Time {
	ms := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(-62_000_000_000_000, 4_000_000_000_000), rapid.Int64Range(1_700_000_000_000, 1_800_000_000_000)).Draw(t, name)
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func number(t *rapid.T, name string) *int {
	if rapid.Bool().Draw(t, name+" set") {
		return nil
	}
	n := rapid.OneOf(rapid.IntRange(-3, 3), rapid.Int()).Draw(t, name)
	return &n
}

func tokens(t *rapid.T) *retold.Tokens {
	if rapid.Bool().Draw(t, "tokens set") {
		return nil
	}
	return &retold.Tokens{Input: rapid.Int64().Draw(t, "input"), Output: rapid.Int64Range(0, 1000).Draw(t, "output")}
}

func raw(t *rapid.T, name string) json.RawMessage {
	return json.RawMessage(rapid.SampledFrom([][]byte{
		nil, {}, []byte("null"), []byte(`{}`), []byte(`{"path":"a.go","deep":{"list":["x",1,true,null]}}`), []byte(`"text"`), []byte("12"), []byte("not JSON \xff"),
	}).Draw(t, name))
}

// list draws a nil, empty or short list.
func list[T any](t *rapid.T, name string, one func(*rapid.T) T) []T {
	n := rapid.IntRange(-1, 3).Draw(t, name)
	if n < 0 {
		return nil
	}
	out := make([]T, n)
	for i := range out {
		out[i] = one(t)
	}
	return out
}

// oddMessage draws a message with anything anywhere.
func oddMessage(t *rapid.T, index int) retold.Message {
	m := retold.Message{
		ID: fmt.Sprintf("%d-%s", index, text(t, "id")), Index: index, Role: retold.Role(rapid.SampledFrom([]string{"user", "assistant", "thinking", "tool", "error", "system", "", "new role"}).Draw(t, "role")),
		Content: text(t, "content"), Timestamp: moment(t, "timestamp"), TimestampSource: retold.TimeSource(rapid.SampledFrom([]string{"", "stored", "session"}).Draw(t, "source")),
		Model: text(t, "model"), Tokens: tokens(t), RequestID: text(t, "request"),
		Attachments: list(t, "attachments", func(t *rapid.T) retold.Attachment {
			return retold.Attachment{
				Kind: text(t, "kind"), Name: text(t, "name"), Path: text(t, "path"), Text: text(t, "text"),
				StartLine: rapid.Int().Draw(t, "start"), EndLine: rapid.IntRange(-1, 9).Draw(t, "end"),
			}
		}),
		Orphan: rapid.Bool().Draw(t, "orphan"), Recovered: rapid.Bool().Draw(t, "recovered"),
		Gone: rapid.Bool().Draw(t, "gone"), Stub: rapid.Bool().Draw(t, "stub"),
	}
	if rapid.Bool().Draw(t, "is tool") {
		m.Tool = &retold.ToolCall{
			Name: text(t, "tool"), Kind: retold.ToolKind(rapid.SampledFrom([]string{"", "edit", "shell", "unheard"}).Draw(t, "kind")), CallID: text(t, "call"),
			Params: raw(t, "params"), Result: raw(t, "result"), Status: retold.ToolStatus(rapid.SampledFrom([]string{"", "failed"}).Draw(t, "status")),
			Files: list(t, "files", func(t *rapid.T) string { return text(t, "file") }), Diff: text(t, "diff"), ExitCode: number(t, "exit"),
		}
	}
	return m
}

func oddSession(t *rapid.T, id string) retold.Session {
	return retold.Session{
		ID: id, Agent: rapid.SampledFrom([]string{"cursor", "cursor-cli"}).Draw(t, "agent"),
		Sources: list(t, "sources", func(t *rapid.T) string { return text(t, "source") }),
		Title:   text(t, "title"), WorkspacePath: text(t, "path"), WorkspaceName: text(t, "name"), MessageCount: rapid.IntRange(-1, 9).Draw(t, "count"),
		CreatedAt: moment(t, "created"), UpdatedAt: moment(t, "updated"), TimeSource: retold.TimeSource(rapid.SampledFrom([]string{"", "stored"}).Draw(t, "source")),
		FirstMessagePreview: text(t, "preview"), Model: text(t, "model"), Mode: text(t, "mode"), Branch: text(t, "branch"),
		LinesAdded: number(t, "added"), LinesRemoved: number(t, "removed"), FilesChanged: number(t, "files"), Tokens: tokens(t),
		ParentID: text(t, "parent"), Archived: rapid.Bool().Draw(t, "archived"), Gone: rapid.Bool().Draw(t, "gone"), Problems: rapid.IntRange(0, 5).Draw(t, "problems"),
	}
}

// oddKept draws a session with anything anywhere but in its key.
func oddKept(t *rapid.T, id string) retold.Kept {
	k := retold.Kept{
		Session: oddSession(t, id), Key: retold.KeyOf("cursor", id), Empty: rapid.Bool().Draw(t, "empty"), Draft: rapid.Bool().Draw(t, "draft"), Pending: rapid.Bool().Draw(t, "pending"),
		ProblemList: list(t, "problems", func(t *rapid.T) retold.Problem {
			return retold.Problem{Path: text(t, "path"), Key: text(t, "key"), Kind: text(t, "kind"), Reason: text(t, "reason")}
		}),
	}
	k.Parts = list(t, "parts", func(t *rapid.T) retold.Part {
		return retold.Part{
			Header: retold.Header{
				Session: oddSession(t, text(t, "id")), Ref: retold.Ref{Agent: text(t, "agent"), Place: text(t, "place"), ID: text(t, "ref")},
				Stamp: text(t, "stamp"), Empty: rapid.Bool().Draw(t, "empty"), Draft: rapid.Bool().Draw(t, "draft"),
			},
			Memory: []byte(raw(t, "memory")), Gone: rapid.Bool().Draw(t, "gone"),
		}
	})
	return k
}
