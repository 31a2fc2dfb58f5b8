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
}

// chunk reads and maps the first bubbles of the slots in one transaction; the
// result has at least one entry. Where stray is set, a record that holds nothing
// gives no placeholder: no header promised it.
func (r *reader) chunk(slots []slot, stray bool) ([]bubbleRead, error) {
	out, missing, err := r.readChunk(slots[:min(len(slots), chunkBubbles)], stray)
	if retold.CodeOf(err) == retold.CodeDatabaseCorrupt && len(slots) > 1 { // find the record that cannot be read
		out, missing, err = r.readChunk(slots[:1], stray)
	}
	if retold.CodeOf(err) == retold.CodeDatabaseCorrupt {
		out = []bubbleRead{r.damaged(slots[0], err)}
	} else if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].problem != nil {
			r.detail.ProblemList = append(r.detail.ProblemList, *out[i].problem)
		}
		model := out[i].bubble.model
		if !stray {
			model = r.follow(&out[i].bubble)
		}
		for j := range out[i].messages {
			out[i].messages[j].Model = model
		}
	}
	slices.Sort(missing)
	for _, key := range slices.Compact(missing) {
		r.trouble(key, retold.ProblemMissing, "a text that an edit refers to is not stored")
	}
	return out, nil
}

// damaged stands for a record in a damaged part of the file.
func (r *reader) damaged(s slot, err error) bubbleRead {
	problem := retold.Problem{Path: r.g.db.Path(), Key: "bubbleId:" + r.chat.id + ":" + s.id, Kind: retold.ProblemUnreadable, Reason: reason(err)}
	return bubbleRead{at: s.at, messages: []retold.Message{s.placeholder("lies in a damaged part of the database.")}, problem: &problem}
}

func (r *reader) readChunk(slots []slot, stray bool) (out []bubbleRead, missing []string, err error) {
	var look lookup
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
		look = lookup{conn: conn}
		m := r.mapper
		m.read = look.row
		out = make([]bubbleRead, len(values))
		parallel(len(values), func(i int) { out[i] = r.mapSlot(&m, slots[i], values[i], stray) })
		return look.err
	})
	return out, look.missing, err
}

// A lookup reads other records in the transaction of a chunk, for several
// goroutines in turn.
type lookup struct {
	mu      sync.Mutex
	conn    *sqlite.Conn
	err     error
	missing []string
}

func (l *lookup) row(key string) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, err := get(l.conn, "cursorDiskKV", key)
	l.err = errors.Join(l.err, err)
	v, ok := found[key]
	if ok = ok && !v.null; !ok && !emptyContent(key) && (strings.HasPrefix(key, "composer.content.") || strings.HasPrefix(key, "codeBlockDiff:")) {
		l.missing = append(l.missing, key)
	}
	return v.value, ok
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
