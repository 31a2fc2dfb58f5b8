package cursor

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// Bubbles read in one transaction: at most so many, and no more once their
// values have so many bytes.
const (
	chunkBubbles = 128
	chunkBytes   = 4 << 20
)

// bubbleRead is what one slot came to.
type bubbleRead struct {
	at       time.Time
	bubble   bubble // without its values
	messages []retold.Message
	problem  *retold.Problem
	missing  []string // texts that it refers to and that are not stored

	// What a memory of the reading needs to know: the record that was read and its
	// sum, the request under way after it, and what else its messages were made of:
	// records that may change (deep), the agent's state (asked), or more than can be
	// kept track of (loose).
	id                    string
	row                   bubbleRow
	sum                   uint64
	request, requestModel string
	deep, asked, loose    bool
}

// chunk reads and maps the first bubbles of the slots in one transaction; the
// result has at least one entry. Where stray is set, a record that holds nothing
// gives no placeholder: no header promised it.
func (r *reader) chunk(slots []slot, stray bool) ([]bubbleRead, error) {
	out, err := r.readChunk(slots[:min(len(slots), chunkBubbles)], stray)
	if retold.CodeOf(err) == retold.CodeDatabaseCorrupt && len(slots) > 1 { // find the record that cannot be read
		out, err = r.readChunk(slots[:1], stray)
	}
	if retold.CodeOf(err) == retold.CodeDatabaseCorrupt {
		out = []bubbleRead{r.damaged(slots[0], err)}
	} else if err != nil {
		return nil, err
	}
	for i := range out {
		got := &out[i]
		if got.problem != nil {
			r.detail.ProblemList = append(r.detail.ProblemList, *got.problem)
		}
		r.tellMissing(got.missing)
		model := got.bubble.model
		if !stray {
			model = r.follow(&got.bubble)
			got.request, got.requestModel = r.request, r.requestModel
		}
		for j := range got.messages {
			got.messages[j].Model = model
			got.loose = got.loose || !stray && got.messages[j].Timestamp.IsZero() && got.messages[j].RequestID != ""
		}
	}
	return out, nil
}

// tellMissing tells of each text that is missing once.
func (r *reader) tellMissing(keys []string) {
	slices.Sort(keys)
	for _, key := range keys {
		if !r.lacking[key] {
			r.lacking[key] = true
			r.trouble(key, retold.ProblemMissing, "a text that an edit refers to is not stored")
		}
	}
}

// damaged stands for a record in a damaged part of the file.
func (r *reader) damaged(s slot, err error) bubbleRead {
	problem := retold.Problem{Path: r.g.db.Path(), Key: "bubbleId:" + r.chat.id + ":" + s.id, Kind: retold.ProblemUnreadable, Reason: reason(err)}
	return bubbleRead{id: s.id, row: bubbleRow{s.rowid, s.size}, at: s.at, messages: []retold.Message{s.placeholder("lies in a damaged part of the database.")}, problem: &problem}
}

func (r *reader) readChunk(slots []slot, stray bool) (out []bubbleRead, err error) {
	err = r.g.db.Read(r.ctx, func(conn *sqlite.Conn) error {
		values := make([]row, 0, len(slots))
		size := 0
		for _, s := range slots {
			value, err := readBubble(conn, "bubbleId:"+r.chat.id+":"+s.id, s.rowid)
			if err != nil {
				return err
			}
			values = append(values, value)
			if size += len(value.value); size > chunkBytes {
				break
			}
		}
		look := lookup{conn: conn}
		out = make([]bubbleRead, len(values))
		parallel(len(values), func(i int) { out[i] = r.read(&look, slots[i], values[i], stray) })
		return look.err
	})
	return out, err
}

// read maps one record and takes note of what else its messages are made of.
func (r *reader) read(look *lookup, s slot, value row, stray bool) bubbleRead {
	m := r.mapper
	var missing []string
	var deep, asked, loose bool
	m.read = func(key string) ([]byte, bool) {
		b, ok := look.row(key)
		switch {
		case strings.HasPrefix(key, "codeBlockDiff:") || strings.HasPrefix(key, "checkpointId:"):
			deep = true
		case strings.HasPrefix(key, "inlineDiff:"):
			loose = true
		}
		if !ok && !emptyContent(key) && (strings.HasPrefix(key, "composer.content.") || strings.HasPrefix(key, "codeBlockDiff:")) {
			missing = append(missing, key)
		}
		return b, ok
	}
	if recover := m.recover; recover != nil {
		m.recover = func(callID string) *retold.ToolCall { asked = true; return recover(callID) }
	}
	out := r.mapSlot(&m, s, value, stray)
	for i := range out.messages { // an edit without a diff looked everywhere for one
		t := out.messages[i].Tool
		deep = deep || t != nil && t.Kind == retold.ToolEdit && t.Status == retold.StatusCompleted && t.Diff == ""
	}
	out.id, out.row, out.sum = s.id, bubbleRow{value.rowid, value.size()}, 0
	if r.memo != nil {
		out.sum = recordSum(value)
	}
	out.missing, out.deep, out.asked, out.loose = missing, deep, asked, loose || len(missing) > 0
	return out
}

// size is the length of the value: -1 for NULL, as sizedKeys has it.
func (r *row) size() int64 {
	if r.null {
		return -1
	}
	return int64(len(r.value))
}

// A lookup reads other records in the transaction of a chunk, for several
// goroutines in turn.
type lookup struct {
	mu   sync.Mutex
	conn *sqlite.Conn
	err  error
}

func (l *lookup) row(key string) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, err := get(l.conn, "cursorDiskKV", key)
	l.err = errors.Join(l.err, err)
	v, ok := found[key]
	return v.value, ok && !v.null
}

// parallel calls f for 0 to n-1 on all processors.
func parallel(n int, f func(int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// readBubble reads by rowid, which costs one search instead of two, and by key
// where the record was rewritten since its rowid was listed.
func readBubble(conn *sqlite.Conn, key string, rowid int64) (r row, err error) {
	if rowid == 0 {
		return row{}, nil
	}
	err = sqlitex.Execute(conn, "SELECT rowid, key, value FROM cursorDiskKV WHERE rowid = ?", &sqlitex.ExecOptions{
		Args:       []any{rowid},
		ResultFunc: func(s *sqlite.Stmt) error { r = readRow(s); return nil },
	})
	if err != nil || r.key == key {
		return r, err
	}
	found, err := get(conn, "cursorDiskKV", key)
	return found[key], err
}

// mapSlot maps one record, or says why there is nothing to map.
func (r *reader) mapSlot(m *mapper, s slot, value row, stray bool) bubbleRead {
	key := "bubbleId:" + r.chat.id + ":" + s.id
	problem := func(kind, why string) *retold.Problem {
		return &retold.Problem{Path: r.g.db.Path(), Key: key, Kind: kind, Reason: why}
	}
	v, err := jscan.Parse(value.value)
	if value.key == "" || value.null || errors.Is(err, jscan.ErrEmpty) || v.Kind() == jscan.Null {
		if inline := r.order.inline[s.id]; inline.Kind() == jscan.Object {
			v, err = inline, nil
		} else if stray {
			return bubbleRead{}
		} else if value.key == "" {
			return bubbleRead{at: s.at, messages: []retold.Message{s.placeholder("is not stored on this machine.")}, problem: problem(retold.ProblemMissing, "named by the conversation, but not stored")}
		} else {
			return bubbleRead{at: s.at, messages: []retold.Message{s.placeholder("was deleted.")}, problem: problem(retold.ProblemTombstone, "the record was emptied: a deleted message")}
		}
	}
	out := bubbleRead{}
	if err != nil {
		out.problem = problem(retold.ProblemMalformed, reason(err))
	} else if v.Kind() != jscan.Object {
		out.problem = problem(retold.ProblemMalformed, "not a JSON object")
	}
	b := decodeBubble(v)
	b.id = s.id
	if b.kind == 0 {
		b.kind = s.kind
	}
	r.addEarlyTool(&b)
	out.at, _ = b.moment(s.at)
	out.messages = m.messages(&b, s.at)
	out.bubble = bubble{kind: b.kind, requestID: b.requestID, model: b.model}
	if len(out.messages) == 0 && out.problem != nil && !stray {
		out.messages = []retold.Message{s.placeholder("could not be read: its record is damaged.")}
	}
	return out
}

func (s slot) placeholder(why string) retold.Message {
	m := placeholder(s.id, s.kind, why)
	if m.Timestamp = s.at; !s.at.IsZero() {
		m.TimestampSource = retold.TimeStored
	}
	return m
}
