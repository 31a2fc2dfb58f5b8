package agentstate

import (
	"time"

	"github.com/retold-history/retold"
)

// Date gives messages without a time one from their dated neighbours, evenly
// spread between them; before the first and after the last dated message the
// nearest one counts. Where nothing is dated the session's start does. Each such
// time says where it comes from.
func Date(messages []retold.Message, start time.Time) {
	last := -1
	for i := range messages {
		if messages[i].Timestamp.IsZero() {
			continue
		}
		spread(messages, last, i, start)
		last = i
	}
	for i := last + 1; i < len(messages); i++ {
		m := &messages[i]
		switch {
		case last >= 0:
			m.Timestamp, m.TimestampSource = messages[last].Timestamp, retold.TimeInterpolated
		case !start.IsZero():
			m.Timestamp, m.TimestampSource = start, retold.TimeSession
		}
	}
}

// spread dates the messages between two dated ones; from is -1 at the beginning.
func spread(messages []retold.Message, from, to int, start time.Time) {
	b := messages[to].Timestamp
	a, steps := b, to-from
	source := retold.TimeInterpolated
	switch {
	case from >= 0:
		a = messages[from].Timestamp
	case !start.IsZero() && start.Before(b):
		a, source = start, retold.TimeSession
	}
	for i := from + 1; i < to; i++ {
		m := &messages[i]
		m.TimestampSource = source
		m.Timestamp = a
		if from >= 0 && b.After(a) {
			m.Timestamp = a.Add(b.Sub(a) * time.Duration(i-from) / time.Duration(steps)).Truncate(time.Millisecond)
		}
	}
}
