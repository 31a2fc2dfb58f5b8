package prose_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/retold-history/retold/journal/prose"
)

// Whatever a model writes, what is kept cites what is there and stands on one line.
func FuzzRead(f *testing.F) {
	f.Add(sentences([3]string{"Summary", "Retries got a budget.", ref(0)}))
	f.Add(sentences([3]string{"Discussion", `The agent: "bursts share it".`, ref(3)}, [3]string{"Mood", "x", ""}))
	f.Add("```json\n{\"sentences\": []}\n```")
	f.Add(`{"sentences": [{"section": "Summary", "text": "\ud800 \u202e '‘", "cites": ["#", "` + ref(0) + `"]}]}`)
	e := entry()
	f.Fuzz(func(t *testing.T, text string) {
		p, err := prose.Read(text, e)
		if err != nil {
			return
		}
		last := -1
		for _, s := range p.Sentences {
			at := slices.Index(prose.Sections(), s.Section)
			if at < last || at < 0 || len(s.Cites) == 0 {
				t.Errorf("%+v", s)
			}
			last = at
			for _, c := range s.Cites {
				if c.SessionID != session || c.MessageIndex < 0 || c.MessageIndex > 8 {
					t.Errorf("cites %v", c)
				}
			}
			if s.Text == "" || strings.ContainsFunc(s.Text, unicode.IsControl) {
				t.Errorf("%q", s.Text)
			}
			if _, ok := prose.Passages(s.Text); !ok {
				t.Errorf("%q", s.Text)
			}
		}
	})
}
