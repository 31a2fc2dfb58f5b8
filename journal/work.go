package journal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/retold-history/retold"
)

// A work is what a session did, as far as a commit can tell of it: its turns, the
// lines its edits added and removed as hashes, the commits it made.
type work struct {
	turns   []turn
	edits   []edit // in order of their messages
	commits []commitRun
}

// A turn is a prompt and all that followed it.
type turn struct {
	prompt      string // message id
	first, last int    // message indexes
	start, end  int64  // Unix milliseconds; 0 when unknown
	source      byte   // the weakest of its times, see timeRank
	orphan      bool
	words       []uint64 // telling words it says, sorted
	answer      []line   // code in its answers that no tool wrote
}

// An edit is a textEdit with its place in the session, its lines hashed.
type edit struct {
	turn    int
	message string
	index   int   // of the message
	nth     int   // among the edits of the message
	time    int64 // Unix milliseconds; 0 when unknown
	floor   int64 // it was not before; time itself unless that is a guess
	weak    bool  // time is a guess
	orphan  bool

	kind    editKind
	path    string
	from    string
	changes []lineChange
	swaps   []substitution
}

type lineChange struct{ removed, added []line }

// A commitRun is a git commit that the session ran.
type commitRun struct {
	gitCommit
	turn    int
	message string // id
	time    int64
	weak    bool
}

// timeRank orders where times come from, the strongest first.
func timeRank(s retold.TimeSource) byte {
	switch s {
	case retold.TimeStored:
		return 1
	case retold.TimeTiming:
		return 2
	case retold.TimeInterpolated:
		return 3
	case retold.TimeSession:
		return 4
	}
	return 0
}

var timeSources = [...]retold.TimeSource{"", retold.TimeStored, retold.TimeTiming, retold.TimeInterpolated, retold.TimeSession}

// The most that is kept of one turn.
const (
	mostWords  = 256
	mostAnswer = 512
)

// A digester reads the messages of a session in order.
type digester struct {
	w      work
	begun  bool
	clock  int64 // of the last dated message
	anchor int64 // of the last whose time is no guess
	words  map[uint64]bool
	seen   reading
}

// digest is the work that the messages of a session tell of; created is when the
// session began, in Unix milliseconds, 0 when unknown.
func newDigester(created int64) *digester {
	return &digester{clock: created, anchor: created, words: map[uint64]bool{}, seen: newReading()}
}

func (d *digester) add(m *retold.Message) {
	if m.Role == retold.RoleUser && !d.continues(m) || !d.begun {
		d.endTurn()
		d.begun = true
		d.w.turns = append(d.w.turns, turn{prompt: m.ID, first: m.Index, orphan: m.Orphan})
	}
	t := &d.w.turns[len(d.w.turns)-1]
	t.last = m.Index
	at, floor, weak := d.time(m)
	if at != 0 {
		if t.start == 0 {
			t.start = at
		}
		t.end = max(t.end, at)
		t.source = max(t.source, timeRank(m.TimestampSource))
	}
	switch m.Role {
	case retold.RoleUser, retold.RoleAssistant:
		d.say(t, m)
	case retold.RoleTool:
		if m.Tool != nil {
			d.seen.look(m.Tool)
		}
		for i, e := range editsOf(m) {
			changes := hashed(e.changes)
			d.seen.mark(e.kind, e.path, changes)
			d.w.edits = append(d.w.edits, edit{
				turn: len(d.w.turns) - 1, message: m.ID, index: m.Index, nth: i, time: at, floor: floor,
				weak: weak, orphan: m.Orphan, kind: e.kind, path: e.path, from: e.from, changes: changes, swaps: e.swaps,
			})
		}
		for _, c := range commitsOf(m) {
			d.w.commits = append(d.w.commits, commitRun{gitCommit: c, turn: len(d.w.turns) - 1, message: m.ID, time: at, weak: weak})
		}
	}
}

// continues reports whether a user's message belongs to the turn that its request
// began: some agents store what they attach as a message of its own.
func (d *digester) continues(m *retold.Message) bool {
	if !d.begun || m.RequestID != "" || strings.TrimSpace(m.Content) != "" {
		return false
	}
	return true
}

// time is when a message was, by the message itself or the last one that knows.
func (d *digester) time(m *retold.Message) (at, floor int64, weak bool) {
	if m.Timestamp.IsZero() {
		return d.clock, d.anchor, true
	}
	at = m.Timestamp.UnixMilli()
	d.clock = at
	if m.TimestampSource == retold.TimeInterpolated || m.TimestampSource == retold.TimeSession {
		return at, min(at, d.anchor), true
	}
	d.anchor = at
	return at, at, false
}

func (d *digester) say(t *turn, m *retold.Message) {
	for w := range tellingWords(m.Content) {
		if len(d.words) >= mostWords {
			break
		}
		d.words[w] = true
	}
	if m.Role != retold.RoleAssistant || !strings.Contains(m.Content, "```") {
		return
	}
	for _, l := range fenced(m.Content) {
		if len(t.answer) >= mostAnswer {
			return
		}
		if h := lineOf(l); h.plain {
			t.answer = append(t.answer, h)
		}
	}
}

func (d *digester) endTurn() {
	if len(d.w.turns) == 0 {
		return
	}
	t := &d.w.turns[len(d.w.turns)-1]
	for w := range d.words {
		t.words = append(t.words, w)
	}
	slices.Sort(t.words)
	clear(d.words)
}

// done is the work of all messages that were added.
func (d *digester) done() *work {
	d.endTurn()
	return &d.w
}

func hashed(changes []change) []lineChange {
	list := make([]lineChange, len(changes))
	for i, c := range changes {
		list[i] = lineChange{linesOf(c.removed), linesOf(c.added)}
	}
	return list
}

// plainLines counts the telling lines among some, but for those that were there
// before.
func plainLines(lines []line) (n int) {
	for _, l := range lines {
		if l.plain && !l.stood {
			n++
		}
	}
	return n
}

// byTime orders edits of one session or of several; edits without any time come
// first.
func byTime(a, b *placed) int {
	return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.from.SessionKey, b.from.SessionKey), cmp.Compare(a.index, b.index), cmp.Compare(a.nth, b.nth))
}
