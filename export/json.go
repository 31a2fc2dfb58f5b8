package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/retold-history/retold"
)

// jsonFormat writes the contract, one message a line so that versions of a file
// compare well; memory follows the longest message.
type jsonFormat struct{}

func (jsonFormat) start(w *Writer) {
	if !w.single {
		w.put("[")
	}
}

func (jsonFormat) session(w *Writer, d *retold.SessionDetail) {
	if w.n > 1 {
		w.put(",")
	}
	if !w.single {
		w.put("\n")
	}
	head, err := d.Session.MarshalJSON()
	w.bytes(bytes.TrimSuffix(head, []byte("}")), err)
	w.put(`,"messages":[`)
	first := true
	for i := range d.Messages {
		if w.err != nil {
			return
		}
		if !w.opt.wants(&d.Messages[i]) {
			continue
		}
		if !first {
			w.put(",")
		}
		first = false
		w.put("\n")
		w.bytes(message(&d.Messages[i]))
	}
	w.put("],\"problemList\":")
	w.bytes(problems(d))
	w.put("}")
	if w.single {
		w.put("\n")
	}
}

func (jsonFormat) end(w *Writer) {
	if !w.single {
		w.put("\n]\n")
	}
}

// jsonlFormat writes a line for each session and each message.
type jsonlFormat struct{}

func (jsonlFormat) start(*Writer) {}

func (jsonlFormat) session(w *Writer, d *retold.SessionDetail) {
	head, err := d.Session.MarshalJSON()
	w.put(`{"type":"session",`)
	w.bytes(inner(head), err)
	w.put(`,"problemList":`)
	w.bytes(problems(d))
	w.put("}\n")
	id, err := json.Marshal(d.ID)
	for i := range d.Messages {
		if w.err != nil {
			return
		}
		if !w.opt.wants(&d.Messages[i]) {
			continue
		}
		body, failed := message(&d.Messages[i])
		w.put(`{"type":"message","sessionId":`)
		w.bytes(id, err)
		w.put(",")
		w.bytes(inner(body), failed)
		w.put("}\n")
	}
}

func (jsonlFormat) end(*Writer) {}

// inner is what stands between the braces of an object.
func inner(object []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimPrefix(object, []byte("{")), []byte("}"))
}

func message(m *retold.Message) ([]byte, error) {
	b, err := m.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("write message %s: %w", m.ID, err)
	}
	return b, nil
}

func problems(d *retold.SessionDetail) ([]byte, error) {
	if len(d.ProblemList) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal(d.ProblemList)
}

// readable is a parameter or result as a person reads it: the text of a JSON
// string, any other value indented. Values nested so deeply that the indents
// would outgrow them stay on one line.
func readable(raw json.RawMessage) (text, language string) {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s, ""
	}
	var b bytes.Buffer
	if depth(raw) > 60 || json.Indent(&b, raw, "", "  ") != nil {
		return string(raw), "json"
	}
	return b.String(), "json"
}

func depth(raw []byte) int {
	deepest, now := 0, 0
	for _, c := range raw {
		switch c {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

func number[T int | int64](n *T) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(int64(*n), 10)
}
