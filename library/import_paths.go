package library

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/internal/relocate"
)

// rehoused is a conversation whose paths below its own folder are below another
// one: those that stand where paths stand, in what tools were given and answered,
// touched and changed, and in what messages carried. What somebody wrote stays as
// it is, and so does the conversation that is given.
func rehoused(d *retold.SessionDetail, to string) *retold.SessionDetail {
	m := relocate.Map{From: paths.ParseAddress(d.WorkspacePath), To: paths.ParseAddress(to)}
	if d.WorkspacePath == "" || to == "" || m.From.Same(m.To) {
		return d
	}
	m.Projects = map[string]string{paths.Slug(m.From.FSPath()): paths.Slug(m.To.FSPath())}
	moved := *d
	moved.Messages = slices.Clone(d.Messages)
	for i := range moved.Messages {
		msg := &moved.Messages[i]
		msg.Attachments = slices.Clone(msg.Attachments)
		for k := range msg.Attachments {
			msg.Attachments[k].Path = m.Key(msg.Attachments[k].Path)
		}
		if msg.Tool == nil {
			continue
		}
		call := *msg.Tool
		call.Params, call.Result = rehousedJSON(&m, call.Params), rehousedJSON(&m, call.Result)
		call.Files = slices.Clone(call.Files)
		for k, f := range call.Files {
			call.Files[k] = m.Key(f)
		}
		call.Diff = rehousedDiff(&m, call.Diff)
		msg.Tool = &call
	}
	return &moved
}

func rehousedJSON(m *relocate.Map, doc json.RawMessage) json.RawMessage {
	if doc == nil {
		return nil
	}
	return m.JSON(doc)
}

// rehousedDiff rewrites the names of files above the hunks of a diff, not what
// the hunks hold.
func rehousedDiff(m *relocate.Map, diff string) string {
	var b strings.Builder
	left := 0 // lines of the hunk that are still to come, on both sides
	for line := range strings.Lines(diff) {
		if left > 0 {
			left -= sides(line)
			b.WriteString(line)
			continue
		}
		left = hunkSize(line)
		for _, mark := range []string{"--- ", "+++ "} {
			if name, ok := strings.CutPrefix(line, mark); ok {
				plain := strings.TrimRight(name, "\r\n")
				line = mark + m.Key(plain) + name[len(plain):]
				break
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// sides is how many of the two texts a line of a hunk belongs to.
func sides(line string) int {
	switch line[0] {
	case '-', '+':
		return 1
	case '\\': // "\ No newline at end of file"
		return 0
	}
	return 2
}

// hunkSize is the number of lines that "@@ -1,3 +1,4 @@" speaks of, 0 for any
// other line.
func hunkSize(line string) int {
	rest, ok := strings.CutPrefix(line, "@@ -")
	if !ok {
		return 0
	}
	before, after, ok := strings.Cut(rest, " +")
	after, _, end := strings.Cut(after, " @@")
	if !ok || !end {
		return 0
	}
	total := 0
	for _, side := range []string{before, after} {
		n := 1
		if _, count, ok := strings.Cut(side, ","); ok {
			var err error
			if n, err = strconv.Atoi(count); err != nil {
				return 0
			}
		}
		total += n
	}
	return total
}
