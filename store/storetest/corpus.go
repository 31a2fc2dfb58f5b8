package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/retold-history/retold"
)

// words are few, so that queries meet them, and of the kinds that go wrong: case
// and accents, code, numbers, scripts with and without spaces.
var words = []string{
	"error", "Error", "use", "useEffect", "effect", "json.Unmarshal", "foo_bar(", "foo", "bar", "caf\u00e9", "cafe\u0301", "CAFE", "lantern", "a", "ab", "abc",
	"\u0451\u043b\u043a\u0430", "\u0415\u043b\u043a\u0430", "\u0439\u043e\u0434", "\u6587\u5b57", "\u65e5\u672c\u8a9e", "\u65e5\u672c", "\u672c", "\u30c6\u30b9\u30c8", "x\u65e5y", "42", "v1.2", "-", "=>", "\uff45\uff52\uff52\uff4f\uff52", "naïve", "o'clock", "path/to/file.go",
}

func sentence(t *rapid.T, name string) string {
	n := rapid.IntRange(0, 6).Draw(t, name)
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(rapid.SampledFrom([]string{" ", " ", " ", "\n", "  ", "\t", "", ".", "-", "_"}).Draw(t, "between"))
		}
		b.WriteString(rapid.SampledFrom(words).Draw(t, "word"))
	}
	return b.String()
}

func document(t *rapid.T, name string) json.RawMessage {
	switch rapid.IntRange(0, 3).Draw(t, name) {
	case 0:
		return nil
	case 1:
		doc, err := json.Marshal(sentence(t, "text"))
		must(t, err)
		return doc
	}
	doc, err := json.Marshal(map[string]any{"lantern": sentence(t, "text"), "error": []any{sentence(t, "nested"), 42, true, nil}, "n": map[string]any{"v": 7}})
	must(t, err)
	return doc
}

// corpusMessage draws a message of a small world.
func corpusMessage(t *rapid.T, n int) retold.Message {
	m := retold.Message{ID: fmt.Sprint("m", n), Index: n, Role: rapid.SampledFrom(retold.Roles).Draw(t, "role"), Content: sentence(t, "content")}
	if hours := rapid.Int64Range(0, 9).Draw(t, "time"); hours > 0 {
		m.Timestamp, m.TimestampSource = time.UnixMilli(1_750_000_000_000+hours*3_599_999).UTC(), retold.TimeStored
	}
	m.Model = rapid.SampledFrom([]string{"", "", "claude-4.5-opus", "gpt-5"}).Draw(t, "model")
	if rapid.IntRange(0, 2).Draw(t, "tokens") == 0 {
		m.Tokens = &retold.Tokens{Input: rapid.Int64Range(0, 99).Draw(t, "input"), Output: rapid.Int64Range(0, 99).Draw(t, "output")}
	}
	if rapid.IntRange(0, 4).Draw(t, "attached") == 0 {
		m.Attachments = []retold.Attachment{{Kind: "file", Name: sentence(t, "name"), Path: "/home/ada/lantern/" + sentence(t, "path"), Text: sentence(t, "text")}}
	}
	if m.Role != retold.RoleTool {
		return m
	}
	m.Tool = &retold.ToolCall{
		Name: rapid.SampledFrom([]string{"run_terminal_cmd", "edit_file", "Read"}).Draw(t, "tool"), Kind: rapid.SampledFrom([]retold.ToolKind{retold.ToolShell, retold.ToolEdit, retold.ToolRead}).Draw(t, "kind"),
		Params: document(t, "params"), Result: document(t, "result"), Diff: sentence(t, "diff"),
		Status: rapid.SampledFrom([]retold.ToolStatus{retold.StatusCompleted, retold.StatusFailed}).Draw(t, "status"),
		Files:  rapid.SliceOfN(rapid.SampledFrom([]string{"main.go", "/home/ada/Lantern/MAIN.go", "README.md"}), 0, 2).Draw(t, "files"),
	}
	if rapid.IntRange(0, 4).Draw(t, "exited") == 0 {
		code := rapid.IntRange(0, 1).Draw(t, "exit")
		m.Tool.ExitCode = &code
	}
	return m
}

// term draws a term that often is somewhere in the corpus.
func term(t *rapid.T) *retold.Term {
	word := rapid.SampledFrom(words).Draw(t, "word")
	switch rapid.IntRange(0, 6).Draw(t, "term") {
	case 0:
		return &retold.Term{Kind: retold.TermPhrase, Text: strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(t, "phrase"), " ")}
	case 1:
		runes := []rune(rapid.SampledFrom([]string{"error", "useEffect", "foo_bar", "лан", "ёлка", "日本", "café", "abc"}).Draw(t, "whole"))
		return &retold.Term{Kind: retold.TermPrefix, Text: string(runes[:rapid.IntRange(1, len(runes)).Draw(t, "letters")])}
	case 2:
		return &retold.Term{Kind: retold.TermRegexp, Text: rapid.SampledFrom([]string{`err.r`, `^use`, `bar\($`, `[0-9]+`, `日.`, `(foo|bar)_`, `caf[eé]\b`, `zzz`, `.`}).Draw(t, "regexp")}
	case 3:
		runes := []rune(word)
		from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
		for unicode.IsMark(runes[from]) { // what folds to nothing is no word
			from--
		}
		return &retold.Term{Text: string(runes[from : from+rapid.IntRange(1, len(runes)-from).Draw(t, "letters")])}
	}
	return &retold.Term{Text: word}
}

func expr(t *rapid.T, depth int) retold.Expr {
	kids := func() (out []retold.Expr) {
		for range rapid.IntRange(1, 3).Draw(t, "kids") {
			out = append(out, expr(t, depth-1))
		}
		return out
	}
	switch n := rapid.IntRange(0, 9).Draw(t, "expr"); {
	case n < 5 || depth == 0:
		return term(t)
	case n == 5:
		return retold.Where{Filter: messageFilter(t)}
	case n < 8:
		return retold.And(kids())
	case n == 8:
		return retold.Or(kids())
	}
	return retold.Not{Expr: expr(t, depth-1)}
}

// messageFilter draws a filter with one field, as a field of a query has.
func messageFilter(t *rapid.T) (f retold.Filter) {
	switch rapid.IntRange(0, 8).Draw(t, "field") {
	case 0:
		f.Roles = []retold.Role{rapid.SampledFrom(retold.Roles).Draw(t, "role")}
	case 1:
		f.Tools = []string{rapid.SampledFrom([]string{"shell", "EDIT", "edit_file", "run", "zzz"}).Draw(t, "tool")}
	case 2:
		f.Files = []string{rapid.SampledFrom([]string{".go", "LANTERN", "readme"}).Draw(t, "file")}
	case 3:
		f.HasError = true
	case 4:
		f.HasEdit = true
	case 5:
		f.Agents = []string{"cursor"}
	case 6:
		f.Titles = []string{"lantern"}
	case 7:
		f.Since = time.UnixMilli(1_750_000_000_000 + rapid.Int64Range(0, 9).Draw(t, "since")*3_599_999)
	case 8:
		f.Until = time.UnixMilli(1_750_000_000_000 + rapid.Int64Range(0, 9).Draw(t, "until")*3_599_999)
	}
	return f
}
