package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

// retries is the scene of testdata/entry/roadblocks.txtar.
func retries(t testing.TB) *scene {
	t.Helper()
	ar, err := txtar.ParseFile("testdata/entry/roadblocks.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return enact(t, ar)
}

// git runs git in the scene's repository at a moment.
func (s *scene) git(t testing.TB, at time.Time, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.repo.Root
	date := at.Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_COMMITTER_DATE="+date,
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func (s *scene) write(t testing.TB, id string, o journal.WriteOptions) *journal.Written {
	t.Helper()
	w, err := s.journal().Write(t.Context(), s.repo, id, o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// entries are the commits that the journal has entries of, oldest first.
func (s *scene) entries(t testing.TB) (list []string) {
	t.Helper()
	for e, err := range s.journal().Entries(t.Context(), "", time.Time{}, time.Time{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e.Commit.ID)
	}
	return list
}

func (s *scene) id(t testing.TB) string {
	t.Helper()
	id, err := s.journal().RepoID(t.Context(), s.repo)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// files are the Markdown files below a folder, joined.
func markdown(t testing.TB, dir string) (text string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "2026", "*", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range list {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	return text
}

// TestWriteTwice: the second time nothing is written, neither file, note nor notebook.
func TestWriteTwice(t *testing.T) {
	s := retries(t)
	s.git(t, noon, "config", "user.name", "Ada")
	o := journal.WriteOptions{Folder: &journal.Folder{Path: t.TempDir(), Zone: time.UTC}, Notes: true}
	if w := s.write(t, s.last(), o); !w.Changed || w.Entry.Class != journal.ClassLinked || w.Entry.Sessions[0].Title != "Retries that give up" {
		t.Fatalf("%+v", w)
	}
	text, note, writes := markdown(t, o.Folder.Path), s.git(t, noon, "rev-parse", "refs/notes/retold"), s.paper.writes
	if w := s.write(t, s.last(), o); w.Changed {
		t.Error("changed")
	}
	if diff := cmp.Diff(text, markdown(t, o.Folder.Path)); diff != "" {
		t.Error(diff)
	}
	if again := s.git(t, noon, "rev-parse", "refs/notes/retold"); again != note {
		t.Error("the note was written again")
	}
	if s.paper.writes != writes {
		t.Errorf("%d writes to the notebook", s.paper.writes-writes)
	}
	for _, where := range []string{text, s.git(t, noon, "notes", "--ref=retold", "show", s.last())} {
		if strings.Contains(where, "ghp_16C7") || !strings.Contains(where, "[masked github-token]") {
			t.Errorf("a secret is told:\n%s", where)
		}
	}
}

// TestRewriteSurvivesDeath: killed before any of its writes, and done again, a
// rewrite ends the same; and no moment leaves the journal without the entry.
func TestRewriteSurvivesDeath(t *testing.T) {
	s := retries(t)
	o := journal.WriteOptions{Folder: &journal.Folder{Path: t.TempDir(), Zone: time.UTC}}
	old := s.last()
	s.write(t, old, o)
	s.git(t, noon.Add(90*time.Minute), "commit", "-q", "--amend", "-m", "A budget for retries")
	now := s.git(t, noon, "rev-parse", "HEAD")
	start := maps.Clone(s.paper.notes)
	for dies := 1; dies < 40; dies++ {
		s.paper.notes = maps.Clone(start)
		s.paper.writes, s.paper.dies = 0, dies
		_, err := s.journal().Rewrite(t.Context(), s.repo, old, now, o)
		if err != nil && !errors.Is(err, errDead) {
			t.Fatal(err)
		}
		s.paper.dies = 0
		if _, err := s.journal().Entry(t.Context(), s.id(t), old); err != nil {
			t.Fatalf("killed at write %d: %v", dies, err)
		}
		if _, again := s.journal().Rewrite(t.Context(), s.repo, old, now, o); again != nil {
			t.Fatal(again)
		}
		if diff := cmp.Diff([]string{now}, s.entries(t)); diff != "" {
			t.Fatalf("killed at write %d: %s", dies, diff)
		}
		e, shown := s.journal().Entry(t.Context(), s.id(t), old)
		if shown != nil || e.Commit.ID != now {
			t.Fatal(e, shown)
		}
		if text := markdown(t, o.Folder.Path); strings.Contains(text, old) || !strings.Contains(text, now) {
			t.Fatalf("killed at write %d:\n%s", dies, text)
		}
		if err == nil {
			return
		}
	}
	t.Fatal("a rewrite that does not end")
}

// TestAmendedUnseen: an amend that no hook told of is known by its author, his time
// and what it says; a cherry-pick, whose original stands, is not taken for one.
func TestAmendedUnseen(t *testing.T) {
	s := retries(t)
	old := s.last()
	s.write(t, old, journal.WriteOptions{})
	s.git(t, noon.Add(2*time.Hour), "checkout", "-q", "-b", "side", "HEAD~1")
	s.git(t, noon.Add(2*time.Hour), "cherry-pick", old)
	copied := s.git(t, noon, "rev-parse", "HEAD")
	if w := s.write(t, copied, journal.WriteOptions{}); w.Entry.Commit.SameAs != old || len(w.Replaced) > 0 {
		t.Errorf("%+v %v", w.Entry.Commit, w.Replaced)
	}
	if diff := cmp.Diff([]string{old, copied}, s.entries(t)); diff != "" {
		t.Error(diff)
	}
	s.git(t, noon.Add(3*time.Hour), "commit", "-q", "--amend", "-m", "Said better")
	amended := s.git(t, noon, "rev-parse", "HEAD")
	if w := s.write(t, amended, journal.WriteOptions{}); !cmp.Equal(w.Replaced, []string{copied}) {
		t.Errorf("replaced %v", w.Replaced)
	}
	if w := s.write(t, amended, journal.WriteOptions{}); w.Changed {
		t.Error("changed the second time")
	}
	if e, err := s.journal().Entry(t.Context(), s.id(t), copied); err != nil || e.Commit.ID != amended {
		t.Error(e, err)
	}
	// And back: what it was is what it is again.
	s.git(t, noon.Add(4*time.Hour), "reset", "-q", "--hard", copied)
	if _, err := s.journal().Rewrite(t.Context(), s.repo, amended, copied, journal.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{copied, amended} {
		if e, err := s.journal().Entry(t.Context(), s.id(t), id); err != nil || e.Commit.ID != copied {
			t.Error(id, e, err)
		}
	}
}

// TestSquashed: several commits become one; asked for any of them the journal
// answers with it, and it holds what was written down for each.
func TestSquashed(t *testing.T) {
	s := retries(t)
	ctx := t.Context()
	begin := s.git(t, noon, "rev-parse", "HEAD~1")
	olds := []string{s.last()}
	at := noon.Add(50 * time.Minute)
	reflect(t, s, at, "A budget, not a limit for each.")
	s.write(t, olds[0], journal.WriteOptions{})
	reflect(t, s, noon.Add(65*time.Minute), "And the README.")
	if err := os.WriteFile(filepath.Join(s.repo.Root, "README"), []byte("Tidepool, with budgets\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.git(t, noon.Add(70*time.Minute), "commit", "-q", "-a", "-m", "Tell of it", "--date", noon.Add(70*time.Minute).Format(time.RFC3339))
	olds = append(olds, s.git(t, noon, "rev-parse", "HEAD"))
	if w := s.write(t, olds[1], journal.WriteOptions{}); len(w.Entry.Reflections) != 1 || w.Entry.Reflections[0].Text != "And the README." {
		t.Errorf("%+v", w.Entry.Reflections)
	}
	s.git(t, noon, "reset", "-q", "--soft", begin)
	s.git(t, noon.Add(80*time.Minute), "commit", "-q", "-m", "Both", "--date", noon.Add(80*time.Minute).Format(time.RFC3339))
	one := s.git(t, noon, "rev-parse", "HEAD")
	for _, old := range olds {
		if _, err := s.journal().Rewrite(ctx, s.repo, old, one, journal.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{one}, s.entries(t)); diff != "" {
		t.Error(diff)
	}
	for _, old := range olds {
		e, err := s.journal().Entry(ctx, s.id(t), old)
		if err != nil || e.Commit.ID != one || len(e.Reflections) != 2 {
			t.Errorf("%+v %v", e, err)
		}
	}
	if w := s.write(t, one, journal.WriteOptions{}); w.Changed {
		t.Error("changed")
	}
	if s.paper.count("day") != 1 || s.paper.count("twin") != 1 {
		t.Errorf("%d days and %d twins are left", s.paper.count("day"), s.paper.count("twin"))
	}
}

func reflect(t testing.TB, s *scene, at time.Time, text string) {
	t.Helper()
	j := journal.New(journal.Options{History: s.shelf, Notebook: s.paper, Now: func() time.Time { return at }})
	if _, err := j.Reflect(t.Context(), s.repo, "", "", text); err != nil {
		t.Fatal(err)
	}
}

// TestFirstCommitAmended: the id of a repository is its first commit, and yet it
// stays the same repository when that is amended.
func TestFirstCommitAmended(t *testing.T) {
	s := retries(t)
	s.git(t, noon, "reset", "-q", "--hard", s.ids[0])
	reflect(t, s, noon.Add(-70*time.Minute), "Start at last.")
	s.write(t, s.ids[0], journal.WriteOptions{})
	id := s.id(t)
	s.git(t, noon, "commit", "-q", "--amend", "-m", "Start")
	now := s.git(t, noon, "rev-parse", "HEAD")
	s.write(t, now, journal.WriteOptions{}) // as after post-commit
	for range 2 {
		if _, err := s.journal().Rewrite(t.Context(), s.repo, s.ids[0], now, journal.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if s.id(t) != id {
		t.Errorf("%s is %s now", id, s.id(t))
	}
	e, err := s.journal().Entry(t.Context(), id, s.ids[0])
	if err != nil || e.Commit.ID != now || len(e.Reflections) != 1 {
		t.Errorf("%+v %v", e, err)
	}
	if diff := cmp.Diff([]string{now}, s.entries(t)); diff != "" {
		t.Error(diff)
	}
}

// TestProse: a model is asked once, not each time.
func TestProse(t *testing.T) {
	s := retries(t)
	asked := 0
	o := journal.WriteOptions{Prose: func(context.Context, *journal.Entry) (*journal.Prose, error) {
		asked++
		return &journal.Prose{Model: "m", Sentences: []journal.Sentence{{Section: "Summary", Text: "A budget."}}}, nil
	}}
	s.write(t, s.last(), o)
	if w := s.write(t, s.last(), o); asked != 1 || w.Changed || w.Entry.Prose == nil {
		t.Errorf("asked %d times, %+v", asked, w)
	}
	if w := s.write(t, s.last(), journal.WriteOptions{}); w.Changed {
		t.Error("prose is lost when none is asked for")
	}
}

// TestOneBadEntry: it is named, the others are served, and it can be written anew;
// one of a newer retold is not overwritten.
func TestOneBadEntry(t *testing.T) {
	s := retries(t)
	for _, id := range s.ids {
		s.write(t, id, journal.WriteOptions{})
	}
	key := s.id(t) + "/" + s.last()
	name := "entry\x00" + key
	whole := s.paper.notes[name]
	s.paper.notes[name] = retold.Note{Kind: "entry", Key: key, Value: []byte("{")}
	found, problems, err := s.journal().Search(t.Context(), "", []string{"Begin"})
	if err != nil || len(found) != 1 || len(problems) != 1 || !strings.Contains(problems[0], s.last()) {
		t.Error(found, problems, err)
	}
	p, err := journal.PeriodOf("day", noon)
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := s.journal().Summary(t.Context(), "", p); err != nil || len(sum.Commits) != 1 || len(sum.Problems) != 1 {
		t.Error(sum, err)
	}
	s.write(t, s.last(), journal.WriteOptions{})
	if diff := cmp.Diff(string(whole.Value), string(s.paper.notes[name].Value)); diff != "" {
		t.Error(diff)
	}
	var newer map[string]any
	if err := json.Unmarshal(whole.Value, &newer); err != nil {
		t.Fatal(err)
	}
	newer["version"] = journal.EntryVersion + 1
	value, err := json.Marshal(newer)
	if err != nil {
		t.Fatal(err)
	}
	s.paper.notes[name] = retold.Note{Kind: "entry", Key: key, Value: value}
	if _, err := s.journal().Write(t.Context(), s.repo, s.last(), journal.WriteOptions{}); err == nil || !strings.Contains(err.Error(), "newer retold") {
		t.Error(err)
	}
}

// TestLockedOut: where nothing can be kept nothing seems to be.
func TestLockedOut(t *testing.T) {
	s := retries(t)
	j := journal.New(journal.Options{History: s.shelf, Notebook: s.paper, Lock: filepath.Join(t.TempDir(), "none", "journal.lock")})
	dir := t.TempDir()
	for name, f := range map[string]func() error{
		"write": func() error {
			_, err := j.Write(t.Context(), s.repo, s.last(), journal.WriteOptions{Folder: &journal.Folder{Path: dir}})
			return err
		},
		"reflect": func() error {
			_, err := j.Reflect(t.Context(), s.repo, "", "", "lost?")
			return err
		},
	} {
		var e *retold.Error
		if err := f(); !errors.As(err, &e) || e.Path == "" || e.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text := markdown(t, dir); text != "" || s.paper.count("entry")+s.paper.count("reflection") > 0 {
		t.Error("something was written")
	}
}

// TestBeforeTheFirstCommit: what is written down before there is a commit goes into
// the entry of the first one.
func TestBeforeTheFirstCommit(t *testing.T) {
	dir := t.TempDir()
	s := &scene{shelf: &shelf{}, paper: newPaper(), repo: &journal.Repo{Root: dir}}
	s.git(t, noon, "init", "-q", "-b", "main")
	var err error
	if s.repo, err = journal.OpenRepo(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	reflect(t, s, noon, "Begin small.")
	at := noon.Add(time.Minute)
	s.git(t, at, "commit", "-q", "--allow-empty", "-m", "Begin", "--date", at.Format(time.RFC3339))
	if w := s.write(t, "HEAD", journal.WriteOptions{}); len(w.Entry.Reflections) != 1 {
		t.Errorf("%+v", w.Entry)
	}
	reflect(t, s, noon.Add(2*time.Minute), "Go on.")
	at = noon.Add(3 * time.Minute)
	s.git(t, at, "commit", "-q", "--allow-empty", "-m", "More", "--date", at.Format(time.RFC3339))
	if w := s.write(t, "HEAD", journal.WriteOptions{}); len(w.Entry.Reflections) != 1 || w.Entry.Reflections[0].Text != "Go on." {
		t.Errorf("%+v", w.Entry.Reflections)
	}
}
