package sqlite

import "github.com/retold-history/retold"

// What a message has besides its id, role and text: one bit each, so that what
// is absent costs nothing.
const (
	hasTime = 1 << iota
	hasTimeSource
	hasModel
	hasTokens
	hasRequest
	hasAttachments
	hasTool
	isOrphan
	isRecovered
	isGone
	isStub
)

// message appends a message without its Index, which its place in the session
// says.
func (e *encoder) message(m *retold.Message) {
	e.uint(messageBits(m))
	e.str(m.ID)
	e.str(string(m.Role))
	e.str(m.Content)
	if !m.Timestamp.IsZero() {
		e.time(m.Timestamp)
	}
	if m.TimestampSource != "" {
		e.str(string(m.TimestampSource))
	}
	if m.Model != "" {
		e.str(m.Model)
	}
	if m.Tokens != nil {
		e.int(m.Tokens.Input)
		e.int(m.Tokens.Output)
	}
	if m.RequestID != "" {
		e.str(m.RequestID)
	}
	if m.Attachments != nil {
		e.uint(uint64(len(m.Attachments)) + 1)
		for i := range m.Attachments {
			e.attachment(&m.Attachments[i])
		}
	}
	if m.Tool != nil {
		e.tool(m.Tool)
	}
}

func messageBits(m *retold.Message) (bits uint64) {
	for _, f := range []struct {
		bit uint64
		on  bool
	}{
		{hasTime, !m.Timestamp.IsZero()},
		{hasTimeSource, m.TimestampSource != ""},
		{hasModel, m.Model != ""},
		{hasTokens, m.Tokens != nil},
		{hasRequest, m.RequestID != ""},
		{hasAttachments, m.Attachments != nil},
		{hasTool, m.Tool != nil},
		{isOrphan, m.Orphan},
		{isRecovered, m.Recovered},
		{isGone, m.Gone},
		{isStub, m.Stub},
	} {
		if f.on {
			bits |= f.bit
		}
	}
	return bits
}

func (e *encoder) attachment(a *retold.Attachment) {
	e.str(a.Kind)
	e.str(a.Name)
	e.str(a.Path)
	e.int(int64(a.StartLine))
	e.int(int64(a.EndLine))
	e.str(a.Text)
}

func (e *encoder) tool(t *retold.ToolCall) {
	e.str(t.Name)
	e.str(string(t.Kind))
	e.str(t.CallID)
	e.str(string(t.Status))
	e.optional(t.ExitCode)
	e.strs(t.Files)
	e.bytes(t.Params)
	e.bytes(t.Result)
	e.str(t.Diff)
}

// message reads a message. Its strings are parts of the decoder's.
func (d *decoder) message() (m retold.Message) {
	bits := d.uint()
	m.ID = d.str()
	m.Role = retold.Role(d.str())
	m.Content = d.str()
	if bits&hasTime != 0 {
		m.Timestamp = d.time()
	}
	if bits&hasTimeSource != 0 {
		m.TimestampSource = retold.TimeSource(d.str())
	}
	if bits&hasModel != 0 {
		m.Model = d.str()
	}
	if bits&hasTokens != 0 {
		m.Tokens = &retold.Tokens{Input: d.int(), Output: d.int()}
	}
	if bits&hasRequest != 0 {
		m.RequestID = d.str()
	}
	if bits&hasAttachments != 0 {
		if n := d.count(); n >= 0 {
			m.Attachments = make([]retold.Attachment, 0, min(n, 64))
			for range n {
				m.Attachments = append(m.Attachments, d.attachment())
			}
		}
	}
	if bits&hasTool != 0 {
		m.Tool = d.tool()
	}
	m.Orphan = bits&isOrphan != 0
	m.Recovered = bits&isRecovered != 0
	m.Gone = bits&isGone != 0
	m.Stub = bits&isStub != 0
	return m
}

func (d *decoder) attachment() (a retold.Attachment) {
	a.Kind, a.Name, a.Path = d.str(), d.str(), d.str()
	a.StartLine, a.EndLine = int(d.int()), int(d.int())
	a.Text = d.str()
	return a
}

func (d *decoder) tool() *retold.ToolCall {
	var t retold.ToolCall
	t.Name = d.str()
	t.Kind = retold.ToolKind(d.str())
	t.CallID = d.str()
	t.Status = retold.ToolStatus(d.str())
	t.ExitCode = d.optional()
	t.Files = d.strs()
	t.Params = d.bytes()
	t.Result = d.bytes()
	t.Diff = d.str()
	return &t
}
