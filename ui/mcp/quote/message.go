package quote

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/redact"
)

// Message cleans every text of a message, bytes of images left where they are.
// What m points to is copied before it is changed.
func Message(m *retold.Message) {
	clean(&m.Content, &m.Model, &m.ID, &m.RequestID)
	m.Attachments = slices.Clone(m.Attachments)
	for i := range m.Attachments {
		a := &m.Attachments[i]
		clean(&a.Kind, &a.Name, &a.Path, &a.Text)
	}
	if m.Tool == nil {
		return
	}
	t := *m.Tool
	clean(&t.Name, &t.CallID, &t.Diff)
	t.Files = slices.Clone(t.Files)
	for i := range t.Files {
		clean(&t.Files[i])
	}
	t.Params, t.Result = CleanJSON(t.Params), CleanJSON(t.Result)
	m.Tool = &t
}

// Session cleans what a listing shows of a session, and masks what may be the
// beginning of a secret where a text was cut off.
func Session(s *retold.Session) {
	s.Title, s.FirstMessagePreview = Preview(s.Title), Preview(s.FirstMessagePreview)
	clean(&s.WorkspacePath, &s.WorkspaceName, &s.Model, &s.Mode, &s.Branch)
	redact.Session(s)
}

// leftovers are sequences for a terminal without the character that began them.
var leftovers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^| )(\[[0-9;]*[mK] ?)+`)
})

// withoutLeftovers takes leftovers out, but not the beginning of a word in
// brackets: [main], [K8s].
func withoutLeftovers(s string) string {
	var b strings.Builder
	at := 0
	for _, m := range leftovers().FindAllStringSubmatchIndex(s, -1) {
		word, _, closed := strings.Cut(s[m[1]:], "]")
		if bare := s[m[1]-2] == '['; bare && closed && !strings.ContainsAny(word, " [") {
			continue
		}
		b.WriteString(s[at:m[3]])
		at = m[1]
	}
	return b.String() + s[at:]
}

// Preview is Clean for what retold.Preview made: with control characters gone,
// what followed them would hide where a key begins.
func Preview(s string) string {
	if strings.IndexByte(s, '[') >= 0 {
		s = strings.TrimSpace(withoutLeftovers(s))
	}
	return Clean(s)
}

// Problem cleans a problem.
func Problem(p *retold.Problem) { clean(&p.Path, &p.Key, &p.Reason) }

func clean(texts ...*string) {
	for _, s := range texts {
		*s = Clean(*s)
	}
}
