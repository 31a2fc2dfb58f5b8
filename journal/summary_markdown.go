package journal

import (
	"path/filepath"
	"strings"
	"time"
)

// Markdown is the summary as a file of its own, with front matter.
func (s *Summary) Markdown() string {
	zone := s.From.Location()
	p := &printer{zone: zone}
	p.f("---\n%s: %s\nfrom: %s\nto: %s\ntimezone: %q\n", s.Kind, s.Name, s.From.Format(time.RFC3339), s.To.Format(time.RFC3339), s.Timezone)
	if s.RepoID != "" {
		p.f("%s%s\n", summaryOf, s.RepoID)
	}
	p.f("---\n\n")
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

// summaryOf begins the line of a summary's front matter that says which repository
// it is about.
const summaryOf = "repository: "

// PutSummary writes a summary to summaries/NAME.md, or to summaries/NAME-ID.md when
// that is another repository's, with which this one shares the folder. It is
// retold's own file: written anew as a whole. It reports whether a byte changed.
func (f Folder) PutSummary(s *Summary) (path string, changed bool, err error) {
	path, old, err := f.summary(s.Name, s.RepoID)
	if err != nil {
		return path, false, err
	}
	text := s.Markdown()
	if old == text {
		return path, false, nil
	}
	return path, true, write(path, text)
}

// summary finds the file of a period for a repository, and what is in it.
func (f Folder) summary(name, repoID string) (path, text string, err error) {
	path = filepath.Join(f.Path, "summaries", name+".md")
	if text, err = f.read(path); err != nil {
		return path, "", err
	}
	if owner := summaryOwner(text); owner != "" && owner != repoID {
		path = strings.TrimSuffix(path, ".md") + "-" + repoID[:min(len(repoID), 8)] + ".md"
		text, err = f.read(path)
	}
	return path, text, err
}

// summaryOwner is the repository that a summary's front matter names, "" when it
// names none.
func summaryOwner(text string) string {
	front, _, _ := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	for line := range strings.Lines(front) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), summaryOf); ok {
			return id
		}
	}
	return ""
}

// HasSummary reports whether a period's summary was written for a repository.
func (f Folder) HasSummary(p Period, repoID string) (bool, error) {
	_, text, err := f.summary(p.Name(), repoID)
	return text != "", err
}
