package journal_test

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// late are the conversations, all held months after the commits. Transcripts are
// left out: they are dated by their end alone, and may have begun at any time.
func late(talks []*talk) []*talk {
	talks = slices.DeleteFunc(slices.Clone(talks), func(t *talk) bool { return t.shape == "transcript" })
	return copies("late", talks, func(_ int, t *talk) (func(time.Time) time.Time, func(string) string) {
		return func(at time.Time) time.Time { return at.Add(90 * 24 * time.Hour) }, func(path string) string { return path }
	})
}

// astray are the conversations, each held in the folder of another scenario's
// repository, in its hours and about its files.
func astray(stages []*stage, talks []*talk) []*talk {
	return copies("astray", talks, func(i int, t *talk) (func(time.Time) time.Time, func(string) string) {
		own := slices.IndexFunc(stages, func(st *stage) bool { return st.s.name == t.scenario })
		var st *stage
		for n := 1 + i%5; ; n++ { // one with commits, and not its own
			if st = stages[(own+n)%len(stages)]; len(st.commits) > 1 && st.s.name != t.scenario {
				break
			}
		}
		first := st.commits[min(1, len(st.commits)-1)]
		t.workspace = first.dir
		names := slices.Sorted(func(yield func(string) bool) {
			for name := range first.files {
				if !yield(name) {
					return
				}
			}
		})
		shift := first.at.Add(-10 * time.Minute).Sub(t.steps[0].at)
		turn := 0
		return func(at time.Time) time.Time { return at.Add(shift) }, func(string) string {
			if turn++; len(names) == 0 {
				return filepath.Join(first.dir, "main.go")
			}
			return filepath.Join(first.dir, strings.ToValidUTF8(names[turn%len(names)], "�"))
		}
	})
}

// copies changes the times and paths of copies of conversations, which get ids of
// their own.
func copies(salt string, talks []*talk, how func(int, *talk) (func(time.Time) time.Time, func(string) string)) []*talk {
	all := make([]*talk, len(talks))
	copied := map[*talk]*talk{}
	for i, t := range talks {
		c := *t
		c.id = corpusID(t.id, salt)
		all[i], copied[t] = &c, &c
	}
	for i, c := range all {
		when, where := how(i, c)
		if c.parent = copied[c.parent]; c.parent != nil {
			c.id = "task-toolu_01" + strings.ReplaceAll(c.id, "-", "")[:22]
		}
		c.steps = slices.Clone(c.steps)
		for k := range c.steps {
			s := &c.steps[k]
			s.at, s.child = when(s.at), copied[s.child]
			if s.path != "" {
				s.path = where(s.path)
			}
		}
	}
	return all
}
