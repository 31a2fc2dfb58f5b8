package journal

import (
	"strings"

	"github.com/retold-history/retold/git"
)

// facts are what a commit changed, as hashes.
type facts struct {
	*git.Commit // Files only of the commit that is explained, else nil
	authored    int64
	committed   int64
	files       []fileFacts
}

type fileFacts struct {
	path, old string // old is "" unless it was called otherwise before
	status    byte
	derived   bool // made by a program, vendored, binary, or a submodule: tells nothing
	hunks     []hunkFacts
	lines     int             // added
	plain     int             // telling lines among those
	dropped   map[uint64]bool // norms of what it removes
}

type hunkFacts struct {
	from    int // first added line, 1-based
	removed []line
	added   []line
}

// factsOf reads a commit. keep says whether its texts are still wanted.
func factsOf(c *git.Commit, keep bool) *facts {
	f := &facts{Commit: c, authored: c.Author.Time.UnixMilli(), committed: c.Committer.Time.UnixMilli()}
	for i := range c.Files {
		f.files = append(f.files, fileFactsOf(&c.Files[i]))
	}
	if !keep {
		short := *c
		short.Files = nil
		f.Commit = &short
	}
	return f
}

func fileFactsOf(file *git.File) fileFacts {
	f := fileFacts{path: file.Path, old: file.OldPath, status: file.Status, lines: file.Added, dropped: map[uint64]bool{}}
	f.derived = file.Binary || file.Submodule || file.Elided || derived(file.Path)
	for _, h := range file.Hunks {
		for i, l := range h.Added {
			if h.NewStart+i <= 10 && generatedMark(l) {
				f.derived = true
			}
		}
		hunk := hunkFacts{from: h.NewStart, removed: linesOf(h.Removed), added: linesOf(h.Added)}
		f.plain += plainLines(hunk.added)
		for _, l := range hunk.removed {
			if l.plain {
				f.dropped[l.norm] = true
			}
		}
		f.hunks = append(f.hunks, hunk)
	}
	if f.status == 'C' {
		f.old = "" // a copy is a new file
	}
	return f
}

// bot recognises authors that are programs with a mind of their own. Agents that
// a person drives are none.
func bot(p git.Person) bool {
	name, email := strings.ToLower(p.Name), strings.ToLower(p.Email)
	for _, agent := range []string{"cursor", "claude", "copilot", "codex", "devin"} {
		if strings.Contains(name, agent) {
			return false
		}
	}
	if strings.HasSuffix(name, "[bot]") || strings.Contains(email, "[bot]@") {
		return true
	}
	for _, known := range []string{
		"dependabot", "renovate", "github-actions", "github actions", "greenkeeper", "snyk-bot", "semantic-release", "pre-commit-ci",
		"mergify", "allcontributors", "imgbot", "weblate", "release-please", "gitlab-bot", "whitesource", "mend-bolt", "pyup-bot", "depfu", "crowdin", "transifex", "jenkins", "travis",
	} {
		if strings.HasPrefix(name, known) || strings.HasPrefix(email, known) {
			return true
		}
	}
	local, _, _ := strings.Cut(email, "@")
	return name == "bot" || strings.HasSuffix(name, "-bot") || strings.HasSuffix(name, " bot") || strings.HasSuffix(local, "-bot")
}
