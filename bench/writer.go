package bench

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/retold-history/retold/demo/vscdb"
)

// A writer fills one database. Its buffers are reused for every row.
type writer struct {
	ctx     context.Context
	db      *vscdb.DB
	rng     *rand.Rand
	text    *text
	made    *Made
	options Options

	typical, longest *session
	done             []*session // finished, without their headers: for the lists
	written, total   int        // bubbles that count towards the size
	extra            int64      // bytes that do not: the long session, the huge message

	buf, raw, inner []byte
	file            []byte // the text edits and reads are taken from
}

// open is how many sessions are in use at the same time.
const open = 7

// run writes all sessions turn by turn. Who speaks next is drawn among the open
// ones, the latest most often, as people go back and forth between chats.
func (w *writer) run() error {
	waiting := w.plan()
	for _, s := range waiting {
		if !s.lean {
			w.total += s.planned
		}
	}
	var active []*session
	for len(waiting)+len(active) > 0 {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		for len(active) < open && len(waiting) > 0 {
			active, waiting = append(active, waiting[0]), waiting[1:]
		}
		i := min(w.rng.IntN(len(active)), w.rng.IntN(len(active)))
		s := active[i]
		if err := w.turn(s); err != nil {
			return err
		}
		copy(active[1:i+1], active[:i])
		active[0] = s
		if s.rows < s.planned || len(s.marks) > 0 {
			continue
		}
		if err := w.finish(s); err != nil {
			return err
		}
		active = active[1:]
	}
	return w.lists()
}

// A session is one conversation being written.
type session struct {
	id, title, model string
	workspace        int
	version          int  // the composer's _v
	lean             bool // short messages only
	created, at      int64
	planned, rows    int // bubbles, orphans included
	turns            int
	stored           int // rows with a value
	request          string
	headers          []byte // JSON array under way, without the closing bracket
	marks            []mark
	afterID          string // key of the text after the last edit
	prompts, past    [][32]byte
	turnIDs          [][32]byte
	steps            [][32]byte
	userBlob, rootID [32]byte
}

type mark struct{ word, where string }

// agentic says whether this version of Cursor kept agent state in the database.
func (s *session) agentic() bool { return s.version >= 13 }

// takeMark returns the next marker when it is of the given kind.
func (s *session) takeMark(where ...string) (mark, bool) {
	for i, m := range s.marks {
		if slices.Contains(where, m.where) {
			s.marks = append(s.marks[:i:i], s.marks[i+1:]...)
			return m, true
		}
	}
	return mark{}, false
}

// turn writes a question and what the agent did about it, then brings the file
// up to the size it should have by now with rows of other families.
func (w *writer) turn(s *session) error {
	before, err := w.db.Bytes()
	if err != nil {
		return err
	}
	if err := w.bubble(s, kindUser); err != nil {
		return err
	}
	for n := 1 + w.rng.IntN(18); n > 0 && (s.rows < s.planned || len(s.marks) > 0); n-- {
		if err := w.bubble(s, w.nextKind(s)); err != nil {
			return err
		}
	}
	s.turns++
	if err := w.endTurn(s); err != nil {
		return err
	}
	after, err := w.db.Bytes()
	if err != nil {
		return err
	}
	if s.lean {
		w.extra += after - before
		return nil
	}
	// Younger versions of Cursor write more beside each message, so the file grows
	// faster towards its end.
	grown := math.Pow(float64(w.written)/float64(w.total), 1.2)
	target := w.extra + int64(float64(w.options.Size)*0.985*grown)
	for after < target {
		if after, err = w.fill(s); err != nil {
			return err
		}
	}
	return nil
}

// kind is what a bubble holds.
type kind int

const (
	kindUser kind = iota
	kindText
	kindThinking
	kindTool
	kindError
)

func (w *writer) nextKind(s *session) kind {
	for _, m := range s.marks {
		switch m.where {
		case "thinking":
			return kindThinking
		case "arguments", "result":
			return kindTool
		case "assistant", "orphan", "chinese", "huge":
			return kindText
		}
	}
	switch r := w.rng.IntN(100); {
	case r < 15:
		return kindText
	case r < 30:
		return kindThinking
	case r < 99:
		return kindTool
	}
	return kindError
}

func (w *writer) uuid() string {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], w.rng.Uint64())
	binary.LittleEndian.PutUint64(b[8:], w.rng.Uint64())
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// put writes a TEXT row of cursorDiskKV and counts it.
func (w *writer) put(key string, value []byte) error {
	w.count(key, len(value))
	return w.db.KV(key, value)
}

// state writes a blob of agent state and counts it.
func (w *writer) state(value []byte) ([32]byte, error) {
	w.count("agentKv:blob:"+strings.Repeat("0", 64), len(value))
	return w.db.AgentBlob(value)
}

func (w *writer) count(key string, n int) {
	name, _, _ := strings.Cut(key, ":")
	switch {
	case name == "agentKv":
		rest, _, _ := strings.Cut(key[len("agentKv:"):], ":")
		name += ":" + rest
	case strings.HasPrefix(name, "composer.content."):
		name = "composer.content"
	}
	v := w.made.Families[name]
	v.Rows++
	v.Bytes += int64(len(key) + n)
	w.made.Families[name] = v
}
