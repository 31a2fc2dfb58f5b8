package redact

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/retold-history/retold"
)

// Message masks the secrets in everything of m that holds text and returns how
// many there were. What m points to is copied before it is changed, so that
// copies of m made earlier keep what they have. Ids are left alone.
func Message(m *retold.Message) (masked int) {
	n := text(&m.Content) + text(&m.Model)
	own := false
	for i, a := range m.Attachments {
		if k := text(&a.Kind) + clipped(&a.Name) + text(&a.Path) + text(&a.Text); k > 0 {
			if !own {
				m.Attachments, own = slices.Clone(m.Attachments), true
			}
			m.Attachments[i] = a
			n += k
		}
	}
	if m.Tool != nil {
		t := *m.Tool
		if k := call(&t); k > 0 {
			m.Tool = &t
			n += k
		}
	}
	return n
}

func call(t *retold.ToolCall) int {
	n := text(&t.Name) + text(&t.Diff) + texts(&t.Files)
	for _, raw := range []*[]byte{(*[]byte)(&t.Params), (*[]byte)(&t.Result)} {
		if out, k := maskedJSON(*raw); k > 0 {
			*raw = out
			n += k
		}
	}
	return n
}

// Session masks the secrets in what a listing shows of a session and returns how
// many there were. Texts that were cut off may end inside one.
func Session(s *retold.Session) (masked int) {
	return clipped(&s.Title) + clipped(&s.FirstMessagePreview) + text(&s.WorkspacePath) + text(&s.WorkspaceName) +
		text(&s.Model) + text(&s.Mode) + text(&s.Branch) + texts(&s.Sources)
}

// Detail masks the secrets in a session and all of its messages and problems,
// and returns how many there were. The lists of d become its own.
func Detail(d *retold.SessionDetail) (masked int) {
	n := Session(&d.Session)
	d.Messages, d.ProblemList = slices.Clone(d.Messages), slices.Clone(d.ProblemList)
	n += Messages(d.Messages)
	for i := range d.ProblemList {
		n += Problem(&d.ProblemList[i])
	}
	return n
}

// Messages masks the secrets in each of many messages, as [Message] does, and
// returns how many there were. A long list is shared out among processors.
func Messages(list []retold.Message) (masked int) {
	const batch = 64
	var next, found atomic.Int64
	work := func() {
		for {
			to := int(next.Add(batch))
			if to-batch >= len(list) {
				return
			}
			for i := to - batch; i < min(to, len(list)); i++ {
				found.Add(int64(Message(&list[i])))
			}
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)/batch+1) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	return int(found.Load())
}

// Problem masks the secrets in a problem and returns how many there were.
func Problem(p *retold.Problem) (masked int) {
	return text(&p.Path) + text(&p.Key) + text(&p.Kind) + text(&p.Reason)
}

// Hit masks the secrets in a hit and returns how many there were. Its highlights
// stay on what they marked; of a secret they mark the mask.
func Hit(h *retold.Hit) (masked int) {
	n := clipped(&h.Title) + text(&h.WorkspaceName) + text(&h.ToolName)
	for range passes {
		found := find(h.Match, true)
		if len(found) == 0 {
			break
		}
		h.Highlights = moved(h.Highlights, found)
		h.Match = replaced(h.Match, found)
		n += len(found)
	}
	return n
}

// moved are ranges of a text after its findings were masked: one that touches a
// secret covers its mask.
func moved(ranges [][2]int, found []Finding) [][2]int {
	var out [][2]int
	for _, r := range ranges {
		a, b := place(r[0], found, false), place(r[1], found, true)
		if k := len(out) - 1; k >= 0 && a < out[k][1] {
			out[k][1] = max(out[k][1], b)
			continue
		}
		out = append(out, [2]int{a, b})
	}
	return out
}

// place is where an offset of a text is after its findings were masked; inside
// one it is the mask's beginning or its end.
func place(at int, found []Finding, end bool) int {
	shift := 0
	for _, f := range found {
		size := len(maskOpen) + len(f.Rule) + 1
		switch {
		case at <= f.Start:
			return at + shift
		case at < f.End && end:
			return f.Start + shift + size
		case at < f.End:
			return f.Start + shift
		}
		shift += size - (f.End - f.Start)
	}
	return at + shift
}

func text(s *string) int {
	out, n := masked(*s, false)
	*s = out
	return n
}

func clipped(s *string) int {
	out, n := masked(*s, true)
	*s = out
	return n
}

// texts masks a list, which is copied when something in it changes.
func texts(list *[]string) int {
	n, own := 0, false
	for i, s := range *list {
		if k := text(&s); k > 0 {
			if !own {
				*list, own = slices.Clone(*list), true
			}
			(*list)[i] = s
			n += k
		}
	}
	return n
}
