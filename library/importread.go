package library

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/retold-history/retold"
)

// ReadExport reads what export.JSON wrote: one session, or an array of them. It names
// the members that it does not know, and leaves them out. The error is a
// *retold.Error with CodeInvalidExport when it is something else; it names the message
// and the member.
func ReadExport(r io.Reader) (all []*retold.SessionDetail, unknown []string, err error) {
	doc, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, fmt.Errorf("read an export: %w", err)
	}
	doc = bytes.TrimSpace(bytes.TrimPrefix(doc, []byte("\ufeff")))
	var raw []json.RawMessage
	if len(doc) > 0 && doc[0] == '[' {
		err = json.Unmarshal(doc, &raw)
	} else {
		raw = []json.RawMessage{doc}
	}
	if err == nil && len(raw) == 0 {
		err = errors.New("there is no session in it")
	}
	e := &exported{strange: map[string]int{}}
	for i, one := range raw {
		if err != nil {
			break
		}
		var d *retold.SessionDetail
		if d, err = e.session(one); err != nil && len(raw) > 1 {
			err = fmt.Errorf("session %d: %w", i, err)
		}
		all = append(all, d)
	}
	if err != nil {
		hint := "`retold export --format json` writes what can be imported"
		if errors.Is(err, errSilent) {
			hint = "a list names conversations without what was said: `retold export SESSION --format json` writes it"
		}
		return nil, nil, &retold.Error{Code: retold.CodeInvalidExport, Op: "read an export", Err: err, Hint: hint}
	}
	return all, e.unknown(), nil
}

// errSilent is in the tree of the error of a session in which nothing is said.
var errSilent = errors.New("it has no messages")

// An exported file, as far as it was read.
type exported struct {
	strange map[string]int // members that mean nothing, and how often they came
}

func (e *exported) unknown() (list []string) {
	for _, name := range slices.Sorted(maps.Keys(e.strange)) {
		if n := e.strange[name]; n > 1 {
			name += fmt.Sprintf(" (%d times)", n)
		}
		list = append(list, name)
	}
	return list
}

func (e *exported) session(doc json.RawMessage) (*retold.SessionDetail, error) {
	members, err := e.members(doc, "", knownMembers().session)
	if err != nil {
		return nil, err
	}
	var messages []json.RawMessage
	if list := members["messages"]; list != nil {
		if err := json.Unmarshal(list, &messages); err != nil {
			return nil, fmt.Errorf(`"messages" is %s, and is to be a list`, kindOf(list))
		}
	}
	delete(members, "messages")
	d := &retold.SessionDetail{}
	if err := decode(members, func(b []byte) error { return json.Unmarshal(b, d) }); err != nil {
		return nil, err
	}
	if d.ID == "" || d.Agent == "" {
		return nil, errors.New("a session has an id and an agent, and this has not both")
	}
	if len(messages) == 0 {
		return nil, fmt.Errorf("session %s: %w", d.ID, errSilent)
	}
	for i, one := range messages {
		m, err := e.message(one)
		if err != nil {
			return nil, fmt.Errorf("session %s: message %d: %w", d.ID, i, err)
		}
		d.Messages = append(d.Messages, m)
	}
	return d, nil
}

func (e *exported) message(doc json.RawMessage) (m retold.Message, err error) {
	members, err := e.members(doc, "messages[].", knownMembers().message)
	if err != nil {
		return m, err
	}
	if err := decode(members, func(b []byte) error { m = retold.Message{}; return json.Unmarshal(b, &m) }); err != nil {
		return m, err
	}
	if !slices.Contains(allRoles, m.Role) {
		return m, fmt.Errorf(`"role" is %q, and is to be one of %s`, m.Role, roleNames())
	}
	if text := members["content"]; (text != nil || m.Role != retold.RoleTool) && kindOf(text) != "a text" {
		return m, fmt.Errorf(`"content" is %s, and is to be a text`, kindOf(text))
	}
	if params := members["toolParams"]; params != nil && kindOf(params) != "an object" && kindOf(params) != "null" {
		return m, fmt.Errorf(`"toolParams" is %s, and is to be an object`, kindOf(params))
	}
	return m, nil
}

// members takes an object apart and counts what in it is not known.
func (e *exported) members(doc json.RawMessage, prefix string, known map[string]bool) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(doc, &members); err != nil || members == nil {
		if _, broken := errors.AsType[*json.SyntaxError](err); broken {
			return nil, fmt.Errorf("it is no JSON: %w", err)
		}
		return nil, fmt.Errorf("it is %s, and is to be an object", kindOf(doc))
	}
	for name := range members {
		if !known[name] {
			e.strange[`"`+prefix+name+`"`]++
			delete(members, name)
		}
	}
	return members, nil
}

// decode reads an object, and names the member when that fails.
func decode(members map[string]json.RawMessage, into func([]byte) error) error {
	whole, err := json.Marshal(members)
	if err == nil {
		err = into(whole)
	}
	if err == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		alone, same := json.Marshal(map[string]json.RawMessage{name: members[name]})
		if same == nil {
			same = into(alone)
		}
		if same != nil {
			return wrongMember(name, members[name], same)
		}
	}
	return err
}

func wrongMember(name string, value json.RawMessage, err error) error {
	if _, ok := errors.AsType[*time.ParseError](err); ok {
		return fmt.Errorf(`%q is %s, and is to be a time as 2026-03-01T09:00:00.000Z`, name, value)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		wanted := map[string]string{"string": "a text", "int": "a whole number", "bool": "true or false", "slice": "a list", "struct": "an object", "map": "an object"}
		kind := wrong.Type.Kind().String()
		if want := wanted[kind]; want != "" {
			return fmt.Errorf(`%q is or holds a JSON %s where %s is to be`, name, wrong.Value, want)
		}
	}
	return fmt.Errorf("%q: %w", name, err)
}

// kindOf says what a value of JSON is.
func kindOf(value json.RawMessage) string {
	if len(value) == 0 {
		return "missing"
	}
	switch value[0] {
	case '"':
		return "a text"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

var allRoles = []retold.Role{retold.RoleUser, retold.RoleAssistant, retold.RoleThinking, retold.RoleTool, retold.RoleError, retold.RoleSystem}

func roleNames() string {
	names := make([]string, len(allRoles))
	for i, r := range allRoles {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}

// exportMembers are the names that the public JSON has.
type exportMembers struct{ session, message map[string]bool }

// knownMembers are the names in what is written when everything is.
var knownMembers = sync.OnceValue(func() exportMembers {
	names := func(v any) map[string]bool {
		known := map[string]bool{}
		doc, err := json.Marshal(v)
		var members map[string]json.RawMessage
		if err == nil {
			err = json.Unmarshal(doc, &members)
		}
		if err != nil {
			panic(err) // strings and numbers
		}
		for name := range members {
			known[name] = true
		}
		return known
	}
	return exportMembers{
		session: names(retold.SessionDetail{}),
		message: names(retold.Message{Orphan: true, Recovered: true, Gone: true, Tool: &retold.ToolCall{}}),
	}
})
