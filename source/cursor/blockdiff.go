package cursor

import (
	"strings"
	"sync"

	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
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
		return joined(v), true
	}
	return "", state.Get("isNewlyCreated").Bool()
}

// A blockIndex finds the files and code blocks of a composer, which can hold
// megabytes of them, when the first edit asks for them. It also keeps file texts
// from one edit to the next.
type blockIndex struct {
	once   sync.Once
	blocks map[string]codeBlock   // codeBlockData by block
	diffs  map[string]string      // file by diff id
	files  map[string]jscan.Value // originalFileStates by address and by path

	texts fileTexts
}

// A codeBlock is an entry of codeBlockData.
type codeBlock struct{ uri, diffID string }

func (x *blockIndex) build(c *composer) {
	x.blocks, x.diffs, x.files = map[string]codeBlock{}, map[string]string{}, map[string]jscan.Value{}
	for file, blocks := range c.blocks.Members() {
		uri := string(file)
		for id, data := range blocks.Members() {
			b := codeBlock{uri, data.Get("diffId").Str()}
			x.blocks[string(id)] = b
			if b.diffID != "" {
				x.diffs[b.diffID] = uri
			}
		}
	}
	for uri, state := range c.files.Members() {
		x.files[string(uri)] = state
		x.files[paths.ParseURI(string(uri)).Path] = state
	}
}

// file is the originalFileStates entry of an address or path.
func (x *blockIndex) file(uri string) jscan.Value {
	if v, ok := x.files[uri]; ok {
		return v
	}
	return x.files[paths.ParseURI(uri).Path]
}

// blockDiff follows an edit to its codeBlockDiff record: the diff's id stands at
// the bubble's code block, or in codeBlockData under that block or the one that
// the tool data names (formats C.6.7). The file before may also stand in the
// inlineDiff record of that id.
func (m *mapper) blockDiff(path string, data *toolData, b *bubble) string {
	if m.composer == nil || m.read == nil || m.index == nil {
		return ""
	}
	m.index.once.Do(func() { m.index.build(m.composer) })
	block := m.index.editedBlock(data, b)
	if block.diffID == "" {
		return ""
	}
	record := m.record("codeBlockDiff:" + m.composer.id + ":" + block.diffID)
	v0, ok := versionZero(m.index.file(block.uri), m.read)
	if !ok {
		v0, ok = versionZero(m.index.file(path), m.read)
	}
	if !ok {
		v0, ok = m.inlineOriginal(block.diffID)
	}
	if !ok || record.Kind() != jscan.Object {
		return ""
	}
	return blockDiff(path, v0, record)
}

// record reads another record as JSON; a damaged one is as good as none.
func (m *mapper) record(key string) jscan.Value {
	raw, _ := m.read(key)
	v, err := jscan.Parse(raw)
	if err != nil {
		return nil
	}
	return v
}

// inlineOriginal is the text before an inline edit, from its inlineDiff record
// (formats C.1).
func (m *mapper) inlineOriginal(diffID string) (string, bool) {
	workspace := m.composer.place.workspaceID
	if workspace == "" {
		return "", false
	}
	lines := m.record("inlineDiff:" + workspace + ":" + diffID).Get("originalTextLines")
	return joined(lines), lines.Kind() == jscan.Array
}

func (x *blockIndex) editedBlock(t *toolData, b *bubble) codeBlock {
	if known, ok := x.blocks[t.extra.First("codeblockId", "codeBlockId").Str()]; ok && known.diffID != "" {
		return known
	}
	for code := range b.code.Items() {
		uri := code.At("uri", "_formatted").Str()
		if uri == "" {
			uri = uriPath(code.Get("uri"))
		}
		if id := code.Get("diffId").Str(); id != "" {
			if known, ok := x.diffs[id]; ok {
				uri = known
			}
			return codeBlock{uri, id}
		}
		if known, ok := x.blocks[code.Get("codeBlockId").Str()]; ok && known.diffID != "" {
			return known
		}
	}
	return codeBlock{}
}

func joined(lines jscan.Value) string {
	var all []string
	for l := range lines.Items() {
		all = append(all, l.Str())
	}
	return strings.Join(all, "\n")
}
