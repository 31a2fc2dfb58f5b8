package cursor

import (
	"strings"

	"github.com/retold-history/retold/internal/jscan"
)

// blockDiff is step 7 of the ladder of formats C.6: a codeBlockDiff record holds
// two line diffs against version 0 of the file, which the composer keeps in
// originalFileStates. Applying both gives the text before and after.
func blockDiff(path, v0 string, record jscan.Value) string {
	lines := strings.Split(v0, "\n")
	before, ok := applyLines(lines, record.Get("originalModelDiffWrtV0"))
	if !ok {
		return ""
	}
	after, ok := applyLines(lines, record.Get("newModelDiffWrtV0"))
	if !ok {
		return ""
	}
	return unified(path, strings.Join(before, "\n"), strings.Join(after, "\n"))
}

// applyLines applies changes {original{startLineNumber, endLineNumberExclusive},
// modified[]} to lines; line numbers are 1-based and refer to the text before
// any of them. It fails when a change lies outside or they overlap.
func applyLines(lines []string, changes jscan.Value) ([]string, bool) {
	var out []string
	next := 0
	for change := range changes.Items() {
		start, ok1 := change.At("original", "startLineNumber").Int()
		end, ok2 := change.At("original", "endLineNumberExclusive").Int()
		from, to := int(start)-1, int(end)-1
		if !ok1 || !ok2 || from < next || to < from || to > len(lines) {
			return nil, false
		}
		out = append(out, lines[next:from]...)
		for l := range change.Get("modified").Items() {
			out = append(out, l.Str())
		}
		next = to
	}
	return append(out, lines[next:]...), true
}

// versionZero is the text of a file before the conversation touched it, from one
// entry of originalFileStates: the content, the key of a record with it, or its
// lines.
func versionZero(state jscan.Value, read rows) (string, bool) {
	if v := state.Get("content"); v.Kind() == jscan.String {
		return v.Str(), true
	}
	if key := state.Get("contentKey").Str(); key != "" && read != nil {
		if text, ok := read(key); ok || emptyContent(key) {
			return string(text), true
		}
	}
	if v := state.Get("originalModelLines"); v.Kind() == jscan.Array {
		var lines []string
		for l := range v.Items() {
			lines = append(lines, l.Str())
		}
		return strings.Join(lines, "\n"), true
	}
	return "", state.Get("isNewlyCreated").Bool()
}

// editedBlock finds the codeBlockDiff of a call: the diff's id stands in the
// composer's codeBlockData under the file and the block, or at the block itself
// (formats C.6.7). It returns the file's address and the diff's id.
func editedBlock(c *composer, t *toolData, b *bubble) (uri, diffID string) {
	block := t.extra.First("codeblockId", "codeBlockId").Str()
	for file, blocks := range c.blocks.Members() {
		for id, data := range blocks.Members() {
			if block != "" && string(id) == block {
				return string(file), data.Get("diffId").Str()
			}
		}
	}
	for code := range b.code.Items() {
		if id := code.Get("diffId").Str(); id != "" {
			return code.At("uri", "_formatted").Str(), id
		}
	}
	return "", ""
}
