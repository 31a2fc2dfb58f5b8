package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/redact"
)

// A LineWhy says where one line of a file came from. What is not known is nil.
type LineWhy struct {
	File      string     `json:"file"`
	Line      int        `json:"line"`
	Text      string     `json:"text"`   // secrets masked
	Commit    *string    `json:"commit"` // that wrote the line; nil for what is not committed
	Class     Class      `json:"class"`
	SessionID *string    `json:"sessionId"`
	MessageID *string    `json:"messageId"` // the edit; of a possible link the prompt
	Prompt    *string    `json:"prompt"`    // what was asked, secrets masked
	Score     float64    `json:"score"`
	Evidence  []Evidence `json:"evidence"`

	Raw      string   `json:"-"` // the text as it stands there
	PromptID *string  `json:"promptId"`
	Agent    string   `json:"agent,omitempty"`
	How      string   `json:"how,omitempty"`     // see Wrote
	Reason   string   `json:"reason,omitempty"`  // why there is no link, for a person
	Through  []string `json:"through,omitempty"` // later commits that only moved or reformatted the line, the latest first
}

// Line says where a line of a file came from, as of a revision; with rev "" as it
// lies in the working tree. The path is relative to the repository's root. A file
// or line that is not there is git.ErrNotFound.
func (j *Journal) Line(ctx context.Context, repo *git.Repo, rev, path string, line int) (*LineWhy, error) {
	for w, err := range j.blamed(ctx, repo, git.BlameAsk{Rev: rev, Path: path, From: line, To: line}) {
		return w, err
	}
	return nil, fmt.Errorf("line %d of %s: %w", line, path, git.ErrNotFound)
}

// File says the same of every line of a file, in order. The error, at most one,
// ends it.
func (j *Journal) File(ctx context.Context, repo *git.Repo, rev, path string) iter.Seq2[*LineWhy, error] {
	return j.blamed(ctx, repo, git.BlameAsk{Rev: rev, Path: path})
}

func (j *Journal) blamed(ctx context.Context, repo *git.Repo, ask git.BlameAsk) iter.Seq2[*LineWhy, error] {
	return func(yield func(*LineWhy, error) bool) {
		q, err := j.inquire(ctx, repo)
		if err != nil {
			yield(nil, err)
			return
		}
		f := &follower{q: q, ask: ask, commits: map[string]*git.Commit{}, prompts: map[string]string{}}
		list, err := blame(ctx, repo, ask)
		if err != nil {
			yield(nil, err)
			return
		}
		shown := maskedLines(ctx, repo, ask, list)
		for i, b := range list {
			w, err := f.line(ctx, b)
			if err != nil {
				err = fmt.Errorf("line %d of %s: %w", b.Line, ask.Path, err)
			} else {
				w.Text = shown[i]
			}
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// A follower finds the writers of lines; what lines have in common it finds once.
type follower struct {
	q       *inquiry
	ask     git.BlameAsk
	commits map[string]*git.Commit // with what they changed
	prompts map[string]string
	open    *Attribution // of what is not committed
}

// line finds the writer of a blamed line.
func (f *follower) line(ctx context.Context, b git.BlamedLine) (*LineWhy, error) {
	w := &LineWhy{File: f.ask.Path, Line: b.Line, Text: b.Text, Raw: b.Text, Class: ClassNone, Evidence: []Evidence{}}
	if b.Commit == git.ZeroID {
		a, err := f.uncommitted(ctx)
		if err != nil {
			return nil, err
		}
		w.Reason = "it is not committed, and no conversation is known to have written it"
		return w, f.answer(ctx, w, a, f.ask.Path, b.Line)
	}
	w.Commit = &b.Commit
	seen := map[git.BlamedLine]bool{}
	for range mostHops {
		a, err := f.q.attribution(ctx, b.Commit)
		if err != nil {
			return nil, err
		}
		if wrote := a.wrote(b.OrigPath, b.OrigLine); wrote != nil {
			w.Commit = &b.Commit
			return w, f.answer(ctx, w, a, b.OrigPath, b.OrigLine)
		}
		before, err := f.before(ctx, b)
		if err != nil {
			return nil, err
		}
		if before == nil || seen[*before] {
			w.Commit = &b.Commit
			w.Reason = none(a)
			return w, f.maybe(ctx, w, a)
		}
		seen[*before] = true
		w.Through = append(w.Through, b.Commit)
		b = *before
	}
	return w, nil
}

// none says why a line of a commit is nobody's.
func none(a *Attribution) string {
	if a.Class == ClassLinked {
		return "a conversation became its commit, but none wrote this line"
	}
	return a.Reason
}

// wrote is who wrote a line of a commit's file; nil for nobody.
func (a *Attribution) wrote(path string, line int) *Wrote {
	path = string([]rune(path)) // as JSON has what is no text
	for i := range a.Files {
		if string([]rune(a.Files[i].Path)) != path {
			continue
		}
		for k := range a.Files[i].Wrote {
			if w := &a.Files[i].Wrote[k]; w.From <= line && line <= w.To {
				return w
			}
		}
	}
	return nil
}

// answer fills in who wrote a line, if anybody did.
func (f *follower) answer(ctx context.Context, w *LineWhy, a *Attribution, path string, line int) error {
	wrote := a.wrote(path, line)
	if wrote == nil {
		return nil
	}
	w.Reason, w.Class = "", ClassLinked
	w.SessionID, w.MessageID, w.PromptID, w.How = &wrote.SessionID, &wrote.MessageID, &wrote.PromptID, wrote.How
	for i := range a.Links {
		if l := &a.Links[i]; l.SessionID == wrote.SessionID && l.MessageID == wrote.PromptID {
			return f.link(ctx, w, l)
		}
	}
	return nil
}

// maybe names the conversation that ran the git commit of a line that no edit is
// known to have written: a command may have.
func (f *follower) maybe(ctx context.Context, w *LineWhy, a *Attribution) error {
	for i := range a.Links {
		l := &a.Links[i]
		for _, e := range l.Evidence {
			if e.Kind == EvidenceCommand || e.Kind == EvidenceCursor || e.Kind == EvidenceAnswer {
				w.Class, w.SessionID, w.MessageID, w.PromptID = ClassPossible, &l.SessionID, &l.MessageID, &l.MessageID
				return f.link(ctx, w, l)
			}
		}
	}
	return nil
}

func (f *follower) link(ctx context.Context, w *LineWhy, l *Link) error {
	w.Score, w.Evidence, w.Agent = l.Score, l.Evidence, l.Agent
	id := l.SessionID + "/" + l.MessageID
	text, ok := f.prompts[id]
	if !ok {
		for m, err := range f.q.j.history.Messages(ctx, l.Key, l.MessageIndex) {
			if errors.Is(err, retold.ErrSessionNotFound) {
				break
			}
			if err != nil {
				return err
			}
			if m.ID == l.MessageID && m.Role == retold.RoleUser {
				text = redact.Text(m.Content)
			}
			break
		}
		f.prompts[id] = text
	}
	if text != "" {
		w.Prompt = &text
	}
	return nil
}
