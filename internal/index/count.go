package index

import (
	"time"

	"github.com/retold-history/retold"
)

// Counts says what docs are, each kind with its number.
type Counts struct {
	Sessions map[uint32]int
	Roles    map[retold.Role]int // without titles
	Tools    map[string]int      // by name, of those that have one
	Months   map[int]int         // year × 12 + month − 1, in UTC, of docs with a time
}

// counts counts what was found, see Result.Counts. It visits every doc, so it
// adds up by numbers and names them at the end.
func (s *search) counts() Counts {
	c := Counts{Sessions: map[uint32]int{}, Roles: map[retold.Role]int{}, Tools: map[string]int{}, Months: map[int]int{}}
	for _, seg := range s.segs {
		n := counter{
			session: run{session: noSession}, roles: make([]int, len(roles)+1), tools: make([]int, len(seg.names)+1),
			sessions: c.Sessions, months: c.Months,
		}
		seg.lower.each(func(i int) bool {
			n.add(seg.cols[i/chunkDocs].Load(), i%chunkDocs) // every row was read for the ranking
			return true
		})
		n.flush()
		for code, count := range n.roles[:len(roles)] {
			if code > 0 && count > 0 {
				c.Roles[roles[code]] += count
			}
		}
		for code, count := range n.tools {
			if code > 0 && count > 0 && seg.names[code-1] != "" {
				c.Tools[seg.names[code-1]] += count
			}
		}
	}
	return c
}

const noSession = 1<<32 - 1

// A counter counts docs of one segment. Those of one session and one month mostly
// follow each other, so both are written when they change.
type counter struct {
	session  run // session and n
	sessions map[uint32]int

	from, to int64 // of the month in hand, in Unix milliseconds
	month, n int
	months   map[int]int

	roles, tools []int // by code
}

func (n *counter) add(c *columns, k int) {
	if session := c.session(k); session != n.session.session {
		n.flushSession()
		n.session.session = session
	}
	n.session.n++
	n.roles[c.role(k)]++
	if tool := int(c.tool(k)); tool < len(n.tools) {
		n.tools[tool]++
	}
	when := c.when(k)
	if when == noTime {
		return
	}
	if when < n.from || when >= n.to {
		n.flushMonth()
		t := timeOf(when)
		first := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
		n.month, n.from, n.to = t.Year()*12+int(t.Month())-1, first.UnixMilli(), first.AddDate(0, 1, 0).UnixMilli()
	}
	n.n++
}

func (n *counter) flush() {
	n.flushSession()
	n.flushMonth()
}

func (n *counter) flushSession() {
	if n.session.n > 0 {
		n.sessions[n.session.session] += n.session.n
	}
	n.session.n = 0
}

func (n *counter) flushMonth() {
	if n.n > 0 {
		n.months[n.month] += n.n
	}
	n.n = 0
}
