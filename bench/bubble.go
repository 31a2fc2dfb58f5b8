package bench

import (
	"strconv"
	"time"

	"github.com/retold-history/retold/demo/vscdb"
)

// emptyA and emptyB are the members that nearly every bubble has and nearly no
// bubble uses.
var emptyA, emptyB = func() (a, b []byte) {
	half := len(vscdb.EmptyArrays) / 2
	for i, name := range vscdb.EmptyArrays {
		dst := &a
		if i >= half {
			dst = &b
		}
		*dst = append(append(append(*dst, ",\""...), name...), "\":[]"...)
	}
	for _, name := range vscdb.EmptyFlags {
		b = append(append(append(b, ",\""...), name...), "\":false"...)
	}
	return a, b
}()

// bubble writes one message: its row, its header or none, and the agent's own
// copy of it.
func (w *writer) bubble(s *session, k kind) error {
	id := w.uuid()
	s.at += int64(1500 + w.rng.IntN(40000))
	if k == kindUser {
		s.request = w.uuid()
		s.at += int64(w.rng.IntN(1800000))
	}
	orphan := k != kindUser && w.rng.IntN(1000) < 190 || k == kindUser && w.rng.IntN(100) < 3
	m, marked := w.markFor(s, k)
	if marked {
		orphan = m.where == "orphan"
	}
	b := append(w.buf[:0], `{"_v":3,"type":`...)
	b = append(b, map[bool]byte{true: '1', false: '2'}[k == kindUser])
	b = append(b, emptyA...)
	b = append(append(append(b, `,"bubbleId":"`...), id...), '"')
	b, err := w.body(b, s, k, m)
	if err != nil {
		return err
	}
	b = append(b, emptyB...)
	b = append(append(append(b, `,"requestId":"`...), s.request...), '"')
	b = time.UnixMilli(s.at).UTC().AppendFormat(append(b, `,"createdAt":"`...), "2006-01-02T15:04:05.000Z")
	b = append(b, `","tokenCount":{"inputTokens":0,"outputTokens":0},"unifiedMode":2,"isAgentic":`...)
	b = strconv.AppendBool(b, k != kindTool)
	b = append(quote(append(b, `,"modelInfo":{"modelName":`...), s.model), "}}"...)
	w.buf = b
	return w.store(s, k, id, orphan, m)
}

// store decides what becomes of a finished bubble: mostly a row with a header,
// sometimes a row without (an orphan), a header without a row, or a tombstone.
func (w *writer) store(s *session, k kind, id string, orphan bool, m mark) error {
	key := "bubbleId:" + s.id + ":" + id
	s.rows++
	if !s.lean {
		w.written++
	}
	plain := m.word == "" && k != kindUser
	switch r := w.rng.IntN(1000); {
	case plain && r == 0:
		w.made.Tombstones++
		w.count(key, 0)
		return w.db.KVBlob(key, nil)
	case plain && r < 3:
		w.made.Missing++
		w.header(s, k, id)
		return nil
	}
	switch marker := (Marker{Word: m.word, SessionID: s.id, BubbleID: id, Where: m.where}); m.where {
	case "":
	case "huge":
		w.made.Huge = &marker
	default:
		w.made.Markers = append(w.made.Markers, marker)
	}
	w.made.Bubbles++
	s.stored++
	if k == kindUser || k == kindText {
		w.made.WithText++
	}
	if orphan {
		w.made.Orphans++
	} else {
		w.header(s, k, id)
	}
	if err := w.put(key, w.buf); err != nil {
		return err
	}
	if k != kindUser {
		return nil
	}
	return w.context(s, id)
}

func (w *writer) header(s *session, k kind, id string) {
	b := s.headers
	if len(b) == 0 {
		b = append(b, '[')
	} else {
		b = append(b, ',')
	}
	b = append(append(append(b, `{"bubbleId":"`...), id...), `","type":`...)
	if k == kindUser {
		b = append(b, '1')
	} else {
		b = append(b, '2')
	}
	if s.version >= 16 {
		b = time.UnixMilli(s.at).UTC().AppendFormat(append(b, `,"createdAt":"`...), "2006-01-02T15:04:05.000Z")
		b = append(b, `","grouping":{"isRenderable":true`...)
		switch k {
		case kindTool:
			b = append(b, `,"hasText":false,"capabilityType":15`...)
		case kindThinking:
			b = append(b, `,"hasText":false,"capabilityType":30,"hasThinking":true`...)
		default:
			b = append(b, `,"hasText":true`...)
		}
		b = append(b, '}')
	}
	s.headers = append(b, '}')
}

// markFor returns the marker that a bubble of kind k is to carry, if any.
func (w *writer) markFor(s *session, k kind) (mark, bool) {
	switch k {
	case kindUser:
		return s.takeMark("user")
	case kindText:
		return s.takeMark("assistant", "orphan", "chinese", "huge")
	case kindThinking:
		return s.takeMark("thinking")
	case kindTool:
		return s.takeMark("arguments", "result")
	}
	return mark{}, false
}

// body appends the members that differ from bubble to bubble.
func (w *writer) body(b []byte, s *session, k kind, m mark) ([]byte, error) {
	w.raw = w.raw[:0]
	switch k {
	case kindUser:
		w.raw = w.text.say(w.raw, w.size(s, 260))
		w.raw = w.mark(w.raw, m)
		b = quote(append(b, `,"text":`...), w.raw)
		b = append(append(b, `,"richText":`...), quote(nil, lexical(w.raw))...)
		b = append(b, `,"conversationState":"~","context":{"composers":[],"quotes":[],"selectedCommits":[],"selectedPullRequests":[],"selectedImages":[],"folderSelections":[],"fileSelections":[],"terminalFiles":[],"selections":[],"terminalSelections":[],"selectedDocs":[],"externalLinks":[],"cursorRules":[],"cursorCommands":[],"uiElementSelections":[],"consoleLogs":[],"mentions":{}}`...)
		return b, w.remember(s, k)
	case kindText:
		w.raw = w.text.say(w.raw, w.size(s, 900))
		if m.where == "huge" {
			w.huge()
		}
		w.raw = w.mark(w.raw, m)
		return append(quote(append(b, `,"text":`...), w.raw), `,"conversationState":"~"`...), w.remember(s, k)
	case kindThinking:
		w.raw = w.text.say(w.raw, w.size(s, 900))
		w.raw = w.mark(w.raw, m)
		b = quote(append(b, `,"text":"","capabilityType":30,"thinkingDurationMs":2100,"thinking":{"text":`...), w.raw)
		return append(b, `,"signature":""},"conversationState":"~"`...), w.remember(s, k)
	case kindError:
		return append(b, `,"text":"","errorDetails":{"title":"Connection failed","message":"The network was reset while the answer was being read."},"conversationState":"~"`...), nil
	}
	return w.tool(append(b, `,"text":"","capabilityType":15,"conversationState":"~"`...), s, m)
}

// size is a length about the median; very long sessions are of short messages.
func (w *writer) size(s *session, median int) int {
	if s.lean {
		return min(median, 120)
	}
	return w.text.around(median)
}

func (w *writer) mark(b []byte, m mark) []byte {
	if m.word == "" {
		return b
	}
	return append(append(append(b, " ("...), m.word...), ") "...)
}

// huge fills raw with one enormous message, and counts its bytes as no part of
// the mix.
func (w *writer) huge() {
	page := w.text.prose(nil, 64<<10)
	for int64(len(w.raw)) < w.options.Huge {
		w.raw = append(w.raw, page...)
	}
	w.extra += int64(len(w.raw))
}

// lexical is the rich text of the input box for a plain text.
func lexical(text []byte) []byte {
	b := quote([]byte(`{"root":{"children":[{"children":[{"detail":0,"format":0,"mode":"normal","style":"","text":`), text)
	return append(b, `,"type":"text","version":1}],"direction":"ltr","format":"","indent":0,"type":"paragraph","version":1}],"direction":"ltr","format":"","indent":0,"type":"root","version":1}}`...)
}
