package cursor

import (
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// Cursor's clientStartTime is usually a performance clock; a value before 2000
// in milliseconds is no point in time (formats C.4).
const firstEpoch = 946684800000

// parseTime reads a time in any of the spellings met: ISO text, or a number (or
// a number as text) of seconds, milliseconds, microseconds or nanoseconds since
// 1970. Zero when it is none.
func parseTime(v jscan.Value) time.Time {
	if v.Kind() == jscan.String {
		s := v.Str()
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
			if t, err := time.Parse(layout, s); err == nil {
				return clamp(t)
			}
		}
	}
	f, ok := v.Float()
	if !ok || f <= 0 {
		return time.Time{}
	}
	switch {
	case f < 1e8: // a performance clock, a duration, a counter
		return time.Time{}
	case f < 1e11:
		return clamp(time.UnixMilli(int64(f * 1e3)))
	case f < 1e14:
		return clamp(time.UnixMilli(int64(f)))
	case f < 1e17:
		return clamp(time.UnixMilli(int64(f / 1e3)))
	case f < 1e20:
		return clamp(time.UnixMilli(int64(f / 1e6)))
	}
	return time.Time{}
}

// clamp drops what RFC 3339 cannot say and what the data model does not keep.
func clamp(t time.Time) time.Time {
	if y := t.Year(); y < 1990 || y > 9999 {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Millisecond)
}

// moment is the time of one bubble by what its own record and its header say
// (formats C.9).
func (b *bubble) moment(header time.Time) (time.Time, retold.TimeSource) {
	if t := parseTime(b.created); !t.IsZero() {
		return t, retold.TimeStored
	}
	if !header.IsZero() {
		return header, retold.TimeStored
	}
	for _, v := range []jscan.Value{b.started, b.completed} {
		if t := parseTime(v); !t.IsZero() {
			return t, retold.TimeStored
		}
	}
	for _, key := range []string{"clientStartTime", "clientRpcSendTime", "clientSettleTime", "clientEndTime"} {
		v := b.timing.Get(key)
		if f, ok := v.Float(); ok && f >= firstEpoch {
			if t := parseTime(v); !t.IsZero() {
				return t, retold.TimeTiming
			}
		}
	}
	return time.Time{}, ""
}

// A dater gives the undated messages of a conversation a time from their
// neighbours. Messages leave it in the order they came.
type dater struct {
	start, end time.Time // of the session, zero when unknown
	last       time.Time // last known time
	waiting    []retold.Message
	yield      func(retold.Message) error
}

// The most messages that wait for a dated one to follow; beyond that they take
// the time before them. It bounds memory in a session without any times.
const maxWaiting = 4096

func (d *dater) add(m retold.Message) error {
	if m.Timestamp.IsZero() {
		d.waiting = append(d.waiting, m)
		if len(d.waiting) >= maxWaiting {
			return d.flush(time.Time{})
		}
		return nil
	}
	if err := d.flush(m.Timestamp); err != nil {
		return err
	}
	d.last = m.Timestamp
	return d.yield(m)
}

// finish dates what still waits at the end of the conversation. The session's end
// is a neighbour only of messages behind a dated one; where nothing is dated, the
// session's times are all there is.
func (d *dater) finish() error {
	if d.last.IsZero() {
		return d.flush(time.Time{})
	}
	return d.flush(d.end)
}

// flush dates the waiting messages between the last known time and next.
func (d *dater) flush(next time.Time) error {
	n := len(d.waiting)
	for i, m := range d.waiting {
		m.Timestamp, m.TimestampSource = d.between(next, i+1, n+1)
		if err := d.yield(m); err != nil {
			return err
		}
	}
	d.waiting = d.waiting[:0]
	return nil
}

// between is the i-th of n steps from the last known time to next.
func (d *dater) between(next time.Time, i, n int) (time.Time, retold.TimeSource) {
	switch {
	case !d.last.IsZero() && !next.IsZero():
		if next.Before(d.last) {
			return d.last, retold.TimeInterpolated
		}
		step := next.Sub(d.last) / time.Duration(n) * time.Duration(i)
		return d.last.Add(step).Truncate(time.Millisecond), retold.TimeInterpolated
	case !next.IsZero():
		return next, retold.TimeInterpolated
	case !d.last.IsZero():
		return d.last, retold.TimeInterpolated
	case !d.start.IsZero():
		return d.start, retold.TimeSession
	case !d.end.IsZero():
		return d.end, retold.TimeSession
	}
	return time.Time{}, ""
}
