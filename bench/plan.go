package bench

import (
	"math"
	"slices"
)

// perBubble is how many bytes of database there are for each bubble.
const perBubble = 26900

// plan decides which sessions there will be and how long each is.
func (w *writer) plan() []*session {
	total := max(60, int(w.options.Size/perBubble))
	count := max(4, total/266)
	typical, longest := min(507, total/5), min(2700, total/4)
	sizes := []int{typical, longest}
	rest, sum := make([]float64, count-2), 0.0
	for i := range rest {
		rest[i] = math.Exp(w.rng.NormFloat64() * 0.9)
		sum += rest[i]
	}
	for _, f := range rest {
		sizes = append(sizes, max(4, int(f/sum*float64(total-typical-longest))))
	}
	w.rng.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	sessions := make([]*session, 0, count+2)
	for i, n := range sizes {
		s := w.newSession(i, count, n)
		switch n {
		case typical:
			w.typical = s
		case longest:
			w.longest = s
		}
		sessions = append(sessions, s)
	}
	if w.options.Long > 0 {
		s := w.newSession(count/2, count, w.options.Long)
		s.lean, w.longest = true, s
		sessions = slices.Insert(sessions, len(sessions)/2, s)
	}
	w.placeMarkers(sessions)
	if w.options.Huge > 0 {
		s := sessions[len(sessions)/3]
		s.marks = append(s.marks, mark{word: "zqhuge", where: "huge"})
	}
	return sessions
}

// placeMarkers spreads the marked messages over the sessions and over the kinds
// of text.
func (w *writer) placeMarkers(sessions []*session) {
	places := []string{"user", "assistant", "thinking", "arguments", "result", "orphan", "chinese"}
	n := min(21, len(sessions)*2)
	for i := range n {
		s := sessions[(i*7+3)%len(sessions)]
		word := "zq" + w.text.invent(4)
		if places[i%len(places)] == "chinese" {
			word = string([]rune{'龘', rune(0x9f00 + i), rune(0x9e00 + i), '靐'})
		}
		s.marks = append(s.marks, mark{word: word, where: places[i%len(places)]})
	}
}

// newSession starts the record of session i of n. Sessions begin evenly over
// the eighteen months before 20 November 2026; the younger ones are written as
// younger versions of Cursor do.
func (w *writer) newSession(i, n, bubbles int) *session {
	const months = int64(18 * 30 * 24 * 3600 * 1000)
	age := float64(i) / float64(n)
	s := &session{
		id: w.uuid(), planned: bubbles,
		at:        anchor - months + int64(age*float64(months)),
		workspace: w.rng.IntN(len(workspaces)),
		version:   []int{9, 10, 13, 14, 16, 17, 18}[min(6, int(age*7))],
		title:     string(cut(w.text.prose(nil, 24), 40)),
		model:     models[w.rng.IntN(len(models))],
	}
	s.created = s.at
	return s
}

// anchor is 2026-11-20T00:00:00Z in milliseconds.
const anchor = 1795132800000

var models = []string{"claude-4.5-opus-high-thinking", "claude-4.5-sonnet", "gpt-5.2-codex", "composer-2", "default", "gemini-3-pro"}

var workspaces = []struct{ id, path string }{
	{"5d1f0c9be7a24386b1f2c07d9a8e4410", "/home/ada/projects/tidepool"},
	{"a07e2d4c61f948b3925c6be81d3f7702", "/home/ada/projects/lantern"},
	{"31c8b6f5d2e04a979bb0e16c7a45d203", "/home/ada/projects/shop.api"},
	{"c94a17e03d5b4f68a2c1907fe5b86d04", "/home/ada/projects/parsnip"},
	{"7be2f9046a1c4d05839e5df2b70c1a05", "/home/ada/projects/harbor"},
	{"e6530d8a9f2b47c1b4d87a6c0e91f306", "/home/ada/projects/kettle"},
}
