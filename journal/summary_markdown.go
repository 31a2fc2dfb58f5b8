package journal

import (
	"os"
	"path/filepath"
	"time"
)

// Markdown is the summary as a file of its own, with front matter.
func (s *Summary) Markdown() string {
	zone := s.From.Location()
	p := &printer{zone: zone}
	p.f("---\n%s: %s\nfrom: %s\nto: %s\ntimezone: %q\n---\n\n", s.Kind, s.Name, s.From.Format(time.RFC3339), s.To.Format(time.RFC3339), s.Timezone)
	p.f("# %s\n\n", s.Name)
	p.f("%s, %d of them from %s; %s, +%d −%d.\n\n", counted(len(s.Commits), "commit"), s.Linked, counted(s.Sessions, "conversation"), counted(s.Files, "file"), s.Added, s.Removed)
	if len(s.Commits) > 0 {
		p.section("Commits")
		for _, c := range s.Commits {
			p.f("- %s %s %s %s", c.Committed.In(zone).Format("Jan 2 15:04"), plain(c.Repo), code(shortCommit(c.ID)), plain(c.Subject))
			for _, id := range c.Sessions {
				p.f(" [%s]", shortID(id))
			}
			p.f("\n")
		}
		p.f("\n")
	}
	p.quotes("Intent", s.Intent)
	p.quotes("Decisions and discussion", s.Discussion)
	p.roadblocks(&Entry{Roadblocks: s.Roadblocks})
	if len(s.Todos) > 0 {
		p.section("Left open")
		for _, t := range s.Todos {
			p.f("- [ ] %s (%s) %s\n", plain(t.Text), plain(t.Status), t.Cite)
		}
		p.f("\n")
	}
	for _, r := range s.Reflections {
		p.f("### %s — Reflection\n\n%s\n\n", r.At.In(zone).Format("Jan 2 15:04"), quoted(r.Text))
	}
	if s.Linked > 0 {
		p.models(&Entry{Sessions: make([]EntrySession, 1), Models: s.Models, Tokens: s.Tokens})
	}
	return p.String()
}

// PutSummary writes a summary to summaries/NAME.md. It is retold's own file:
// written anew as a whole. It reports whether a byte changed.
func (f Folder) PutSummary(s *Summary) (path string, changed bool, err error) {
	path = f.summary(s.Name)
	text := s.Markdown()
	if old, err := os.ReadFile(path); err == nil && string(old) == text {
		return path, false, nil
	}
	return path, true, write(path, text)
}

func (f Folder) summary(name string) string {
	return filepath.Join(f.Path, "summaries", name+".md")
}

// HasSummary reports whether a period's summary was written.
func (f Folder) HasSummary(p Period) bool {
	_, err := os.Stat(f.summary(p.Name()))
	return err == nil
}
