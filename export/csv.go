package export

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
)

// csvFormat writes one row per message, as RFC 4180 says: CRLF after each row,
// fields quoted where they hold a comma, a quote or a line end. A text field
// that a spreadsheet would run as a formula (its first character is = + - @, a
// tab or a carriage return) gets an apostrophe in front; take it off to have the
// stored text. Lists hold one entry a line.
type csvFormat struct{}

var csvColumns = []string{
	"sessionId", "sessionTitle", "agent", "workspacePath", "index", "id", "role", "timestamp", "timestampSource",
	"content", "model", "inputTokens", "outputTokens", "requestId", "attachments", "toolName", "toolKind", "toolCallId",
	"status", "exitCode", "files", "diff", "toolParams", "toolResult", "orphan", "recovered",
}

func (csvFormat) start(w *Writer) { w.put(strings.Join(csvColumns, ","), "\r\n") }
func (csvFormat) end(*Writer)     {}

func (csvFormat) session(w *Writer, d *retold.SessionDetail) {
	for i := range d.Messages {
		m := &d.Messages[i]
		if w.err != nil {
			return
		}
		if !w.opt.wants(m) {
			continue
		}
		row := csvRow{w: w}
		row.text(d.ID, d.Title, d.Agent, d.WorkspacePath)
		row.plain(strconv.Itoa(m.Index))
		row.text(m.ID, string(m.Role))
		row.plain(timestamp(m))
		row.text(string(m.TimestampSource), m.Content, m.Model)
		row.tokens(m.Tokens)
		row.text(m.RequestID, attachmentNames(m))
		row.tool(m.Tool)
		row.plain(flag(m.Orphan), flag(m.Recovered))
		w.put("\r\n")
	}
}

func timestamp(m *retold.Message) string {
	if m.Timestamp.IsZero() {
		return ""
	}
	return m.Timestamp.UTC().Format("2006-01-02T15:04:05.000Z")
}

func attachmentNames(m *retold.Message) string {
	names := make([]string, 0, len(m.Attachments))
	for _, a := range m.Attachments {
		names = append(names, attachmentName(a))
	}
	return strings.Join(names, "\n")
}

func flag(b bool) string {
	if b {
		return "true"
	}
	return ""
}

type csvRow struct {
	w *Writer
	n int
}

// plain writes fields of our own making: numbers, times, flags.
func (r *csvRow) plain(fields ...string) {
	for _, s := range fields {
		if r.n > 0 {
			r.w.put(",")
		}
		r.n++
		r.w.put(s)
	}
}

// text writes fields of stored text.
func (r *csvRow) text(fields ...string) {
	for _, s := range fields {
		r.plain("")
		r.field(strings.ToValidUTF8(s, "\ufffd"))
	}
}

func (r *csvRow) field(s string) {
	danger := s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0
	if !danger && !strings.ContainsAny(s, ",\"\r\n") {
		r.w.put(s)
		return
	}
	r.w.put(`"`)
	if danger {
		r.w.put("'")
	}
	for {
		before, after, found := strings.Cut(s, `"`)
		r.w.put(before)
		if !found {
			break
		}
		r.w.put(`""`)
		s = after
	}
	r.w.put(`"`)
}

func (r *csvRow) tokens(t *retold.Tokens) {
	if t == nil {
		r.plain("", "")
		return
	}
	r.plain(number(&t.Input), number(&t.Output))
}

func (r *csvRow) tool(t *retold.ToolCall) {
	if t == nil {
		t = &retold.ToolCall{}
	}
	r.text(t.Name, string(t.Kind), t.CallID, string(t.Status))
	r.plain(number(t.ExitCode))
	r.text(strings.Join(t.Files, "\n"), t.Diff, rawText(t.Params), rawText(t.Result))
}

func rawText(raw json.RawMessage) string { return string(raw) }
