package journal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/journal"
)

// paper is a Notebook in memory that counts its writes and can be told to die
// before one of them.
type paper struct {
	mu     sync.Mutex
	notes  map[string]retold.Note
	writes int
	dies   int // before this write; 0: never
}

var errDead = fmt.Errorf("killed")

func newPaper() *paper { return &paper{notes: map[string]retold.Note{}} }

func (p *paper) Note(_ context.Context, kind, key string) (retold.Note, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, ok := p.notes[kind+"\x00"+key]
	if !ok {
		return n, retold.ErrNoNote
	}
	return n, nil
}

func (p *paper) Notes(_ context.Context, kind, from, to string) iter.Seq2[retold.Note, error] {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []retold.Note
	for _, name := range slices.Sorted(maps.Keys(p.notes)) {
		if n := p.notes[name]; n.Kind == kind && n.Key >= from && (to == "" || n.Key < to) {
			list = append(list, n)
		}
	}
	return func(yield func(retold.Note, error) bool) {
		for _, n := range list {
			if !yield(n, nil) {
				return
			}
		}
	}
}

func (p *paper) write(f func()) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.writes++; p.writes == p.dies {
		return errDead
	}
	f()
	return nil
}

func (p *paper) PutNotes(_ context.Context, notes ...retold.Note) error {
	return p.write(func() {
		for _, n := range notes {
			p.notes[n.Kind+"\x00"+n.Key] = n
		}
	})
}

func (p *paper) DropNotes(_ context.Context, kind string, keys ...string) error {
	return p.write(func() {
		for _, k := range keys {
			delete(p.notes, kind+"\x00"+k)
		}
	})
}

// count is how many notes of a kind there are.
func (p *paper) count(kind string) (n int) {
	for _, note := range p.notes {
		if note.Kind == kind {
			n++
		}
	}
	return n
}

// noon is when the stories of these tests begin.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// A line of a talk, as a test writes it.
type uttered struct {
	Role   retold.Role
	Text   string
	Tool   string // its name
	Kind   retold.ToolKind
	Status retold.ToolStatus
	Params json.RawMessage
	Result json.RawMessage
	Exit   *int
	Files  []string
	Diff   string
	Model  string
	Tokens *retold.Tokens
}

func (s uttered) message() retold.Message {
	m := retold.Message{Role: s.Role, Content: s.Text, Model: s.Model, Tokens: s.Tokens}
	if s.Tool != "" {
		status := s.Status
		if status == "" {
			status = retold.StatusCompleted
		}
		m.Role = retold.RoleTool
		if s.Diff != "" {
			s.Diff = "--- a" + s.Files[0] + "\n+++ b" + s.Files[0] + "\n" + s.Diff
		}
		m.Tool = &retold.ToolCall{Name: s.Tool, Kind: s.Kind, Status: status, Params: s.Params, Result: s.Result, ExitCode: s.Exit, Files: s.Files, Diff: s.Diff}
	}
	return m
}

// A scene is a repository with one commit that a talk led to.
type scene struct {
	repo  *git.Repo
	ids   []string
	shelf *shelf
	paper *paper
}

// enact reads a scene from an archive: "talk", a JSON object per line in which ROOT
// stands for the repository, "message", and the files "before/…" and "after/…".
func enact(t testing.TB, ar *txtar.Archive) *scene {
	t.Helper()
	var s stream
	before, after := map[string]string{"README": "Tidepool\n"}, map[string]string{}
	message, talk := "Work\n", ""
	for _, f := range ar.Files {
		text := string(f.Data)
		switch dir, name, _ := strings.Cut(f.Name, "/"); {
		case dir == "before":
			before[name] = text
		case dir == "after":
			after[name] = text
		case f.Name == "message":
			message = text
		case f.Name == "talk":
			talk = text
		}
	}
	s.commit(noon.Add(-time.Hour), "Begin\n", before)
	s.commit(noon.Add(time.Hour), message, after)
	sc := &scene{shelf: &shelf{}, paper: newPaper()}
	sc.repo, sc.ids = s.build(t)
	teller := sc.shelf.session("5e2c9a10-tidepool", sc.repo.Root, noon)
	teller.kept.Title = "Retries that give up"
	for line := range strings.Lines(strings.ReplaceAll(talk, "ROOT", sc.repo.Root)) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var said uttered
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		teller.add(said.message())
	}
	return sc
}

func (s *scene) journal() *journal.Journal {
	return journal.New(journal.Options{History: s.shelf, Notebook: s.paper, Now: func() time.Time { return noon.Add(2 * time.Hour) }})
}

func (s *scene) last() string { return s.ids[len(s.ids)-1] }
