package cursor

import (
	"fmt"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// The largest text that is compared to make a diff. Beyond it the comparison
// itself would cost more than anybody reads.
const diffLimit = 4 << 20

// rows reads other records of the same database by key; false when there is no
// such record.
type rows func(key string) ([]byte, bool)

// edit gives a call its diff by the ladder of formats C.6: what the record and
// the texts it names say, what toolCallBinary says, what the model asked for, the
// code block's own record, the checkpoints around it. The later steps only tell
// of an edit that was made.
func (m *mapper) edit(call *retold.ToolCall, data *toolData, b *bubble) {
	path := "file"
	if len(call.Files) > 0 {
		path = call.Files[0]
	}
	if m.index != nil {
		data.texts = &m.index.texts
	}
	var settled bool
	call.Diff, settled = data.storedDiff(path, m.read)
	m.complete(call, data)
	if settled { // known to have changed nothing
		call.Diff = ""
		return
	}
	if call.Status != retold.StatusCompleted {
		return
	}
	for _, step := range []func() string{
		func() string { return data.argumentDiff(path) },
		func() string { return m.blockDiff(path, data, b) },
		func() string { return m.checkpointDiff(path, data, b) },
	} {
		if call.Diff == "" {
			call.Diff = step()
		}
	}
}

// storedDiff finds an edit's unified diff by the first steps of the ladder: the
// stored file texts before and after, the stored hunks, the texts in the record,
// the lines made for display. "" when none of them is there. same is true when
// the texts are there and equal.
func (t *toolData) storedDiff(path string, read rows) (diff string, same bool) {
	if before, after, ok := t.storedTexts(read); ok {
		if d := unified(path, before, after); d != "" || before == after {
			return d, before == after
		}
	}
	r := t.told()
	for _, v := range []jscan.Value{r.diff, t.params.Get("diff")} {
		if d := chunksDiff(path, v); d != "" {
			return d, false
		}
	}
	if after := firstString(r.after, t.params.Get("contentsAfterEdit")); after.Kind() == jscan.String {
		if r.before.Kind() == jscan.String || r.created.Bool() {
			from, to := r.before.Str(), after.Str()
			if d := unified(path, from, to); d != "" || from == to {
				return d, d == ""
			}
		}
	}
	return displayDiff(path, t.extra.At("precomputedDiff", "lines")), false
}

// storedTexts are the file before and after, as composer.content records. A
// created file has no record before.
func (t *toolData) storedTexts(read rows) (before, after string, ok bool) {
	r := t.told()
	b, a := r.beforeID.Str(), r.afterID.Str()
	if a == "" || read == nil {
		return "", "", false
	}
	after, ok = t.texts.text(a, read)
	ok = ok || emptyContent(a)
	if !ok && b != "" {
		_, _ = t.texts.text(b, read) // both are told when both are missing
	}
	if !ok {
		return "", "", false
	}
	if b == "" { // created, unless the hunks or the text before say otherwise
		created := r.before.Empty() && r.diff.Get("chunks").Empty()
		return "", after, created || r.created.Bool()
	}
	before, ok = t.texts.text(b, read)
	if !ok && !emptyContent(b) {
		return "", "", false
	}
	return before, after, true
}

// emptyContent recognises the key of the empty text; its row is often absent.
func emptyContent(key string) bool {
	return strings.HasSuffix(key, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
}

func firstString(values ...jscan.Value) jscan.Value {
	for _, v := range values {
		if v.Kind() == jscan.String {
			return v
		}
	}
	return nil
}

// chunksDiff assembles a FileDiff (formats C.6.2), whose chunks carry the body
// of a unified diff and their positions.
func chunksDiff(path string, v jscan.Value) string {
	var b strings.Builder
	for chunk := range v.Get("chunks").Items() {
		body := chunk.Get("diffString").Str()
		if body == "" {
			continue
		}
		if b.Len() == 0 {
			fileHeader(&b, path)
		}
		if !strings.HasPrefix(body, "@@") {
			added, removed, kept := countLines(body)
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", position(chunk, "oldStart"), removed+kept, position(chunk, "newStart"), added+kept)
		}
		b.WriteString(body)
		if !strings.HasSuffix(body, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func fileHeader(b *strings.Builder, path string) {
	p := strings.TrimPrefix(path, "/")
	fmt.Fprintf(b, "--- a/%s\n+++ b/%s\n", p, p)
}

func position(chunk jscan.Value, key string) int64 {
	n, _ := chunk.Get(key).Int()
	return max(n, 0)
}

func countLines(body string) (added, removed, kept int) {
	for line := range strings.Lines(body) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		case '\\':
		default:
			kept++
		}
	}
	return added, removed, kept
}

// displayDiff reads the lines made for display, each with its kind. The position
// in the file is not among them.
func displayDiff(path string, lines jscan.Value) string {
	var body strings.Builder
	for line := range lines.Items() {
		text := line.First("text", "content", "line").Str()
		if line.Kind() == jscan.String {
			text = line.Str()
		}
		mark := " "
		switch strings.ToLower(line.First("type", "kind").Text()) {
		case "added", "add", "insert", "+", "1":
			mark = "+"
		case "removed", "remove", "delete", "deleted", "-", "2":
			mark = "-"
		}
		if line.Kind() == jscan.String && text != "" && strings.ContainsAny(text[:1], "+- ") {
			mark = ""
		}
		body.WriteString(mark + strings.TrimRight(text, "\r\n") + "\n")
	}
	return unplaced(path, body.String())
}

// unplaced makes a diff of hunks whose place in the file is not stored, and says
// so behind each hunk's mark, where a patch program ignores it.
func unplaced(path string, hunks ...string) string {
	var b strings.Builder
	for _, body := range hunks {
		hunk(&b, path, body, "")
	}
	return b.String()
}

// hunk adds one such hunk; near are the words that tell where it belongs.
func hunk(b *strings.Builder, path, body, near string) {
	added, removed, kept := countLines(body)
	if added+removed == 0 {
		return
	}
	if b.Len() == 0 {
		fileHeader(b, path)
	}
	if near != "" {
		near = ": " + near
	}
	fmt.Fprintf(b, "@@ -1,%d +1,%d @@ position in the file not stored%s\n", removed+kept, added+kept, near)
	b.WriteString(body)
}
