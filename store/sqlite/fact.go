package sqlite

import (
	"time"

	"github.com/retold-history/retold"
)

// quarter is the grain of counted time. Every zone in use is a whole number of
// quarter hours away from UTC, so that days and hours of any zone can be made of
// these.
const quarter = 15 * 60

// facts are what Stats wants to know of a page's messages, counted when the page
// is written so that no text has to be read again.
type facts struct {
	undated     int
	first, last int64 // Unix milliseconds of the dated ones
	times       []timeFact
	roles       []roleFact
	models      []modelFact
	tools       []toolFact
}

type timeFact struct {
	quarter int64 // Unix time / quarter
	n       int
}

type roleFact struct {
	role retold.Role
	n    int
}

// A modelFact counts the messages that name a model, or those that name none.
type modelFact struct {
	model         string
	n             int
	recorded      bool // some of them record tokens
	input, output int64
}

type toolFact struct {
	name      string
	kind      retold.ToolKind
	n, failed int
}

// add counts one message.
func (f *facts) add(m *retold.Message) {
	if m.Timestamp.IsZero() {
		f.undated++
	} else {
		f.addTime(m.Timestamp)
	}
	f.addRole(m.Role, 1)
	fact := modelFact{model: m.Model, n: 1}
	if m.Tokens != nil {
		fact.recorded, fact.input, fact.output = true, m.Tokens.Input, m.Tokens.Output
	}
	f.addModel(fact)
	if m.Tool != nil {
		t := toolFact{name: m.Tool.Name, kind: m.Tool.Kind, n: 1}
		if m.Failed() {
			t.failed = 1
		}
		f.addTool(t)
	}
}

func (f *facts) addTime(t time.Time) {
	ms := t.UnixMilli()
	if len(f.times) == 0 {
		f.first, f.last = ms, ms
	}
	f.first, f.last = min(f.first, ms), max(f.last, ms)
	q := floorDiv(t.Unix(), quarter)
	for i := len(f.times) - 1; i >= 0; i-- {
		if f.times[i].quarter == q {
			f.times[i].n++
			return
		}
	}
	f.times = append(f.times, timeFact{q, 1})
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (f *facts) addRole(role retold.Role, n int) {
	for i := range f.roles {
		if f.roles[i].role == role {
			f.roles[i].n += n
			return
		}
	}
	f.roles = append(f.roles, roleFact{role, n})
}

func (f *facts) addModel(fact modelFact) {
	for i := range f.models {
		if m := &f.models[i]; m.model == fact.model {
			m.n += fact.n
			m.recorded = m.recorded || fact.recorded
			m.input += fact.input
			m.output += fact.output
			return
		}
	}
	f.models = append(f.models, fact)
}

func (f *facts) addTool(fact toolFact) {
	for i := range f.tools {
		if t := &f.tools[i]; t.name == fact.name && t.kind == fact.kind {
			t.n += fact.n
			t.failed += fact.failed
			return
		}
	}
	f.tools = append(f.tools, fact)
}

func (e *encoder) facts(f *facts) {
	e.uint(uint64(f.undated))
	e.int(f.first)
	e.uint(uint64(f.last - f.first))
	e.uint(uint64(len(f.times)) + 1)
	var last int64
	for _, t := range f.times {
		e.int(t.quarter - last)
		e.uint(uint64(t.n))
		last = t.quarter
	}
	e.uint(uint64(len(f.roles)) + 1)
	for _, r := range f.roles {
		e.str(string(r.role))
		e.uint(uint64(r.n))
	}
	e.uint(uint64(len(f.models)) + 1)
	for _, m := range f.models {
		e.str(m.model)
		e.uint(uint64(m.n))
		e.bool(m.recorded)
		if m.recorded {
			e.int(m.input)
			e.int(m.output)
		}
	}
	e.uint(uint64(len(f.tools)) + 1)
	for _, t := range f.tools {
		e.str(t.name)
		e.str(string(t.kind))
		e.uint(uint64(t.n))
		e.uint(uint64(t.failed))
	}
}

func (d *decoder) facts() (f facts) {
	f.undated = int(d.uint())
	f.first = d.int()
	f.last = f.first + int64(d.uint())
	var last int64
	for range d.count() {
		last += d.int()
		f.times = append(f.times, timeFact{last, int(d.uint())})
	}
	for range d.count() {
		f.roles = append(f.roles, roleFact{retold.Role(d.str()), int(d.uint())})
	}
	for range d.count() {
		m := modelFact{model: d.str(), n: int(d.uint()), recorded: d.bool()}
		if m.recorded {
			m.input, m.output = d.int(), d.int()
		}
		f.models = append(f.models, m)
	}
	for range d.count() {
		f.tools = append(f.tools, toolFact{d.str(), retold.ToolKind(d.str()), int(d.uint()), int(d.uint())})
	}
	return f
}
