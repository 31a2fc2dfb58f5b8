package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/journal/prose"
	"github.com/retold-history/retold/redact"
)

// aiConfig is [ai] of config.toml: the model that journal --ai asks. The key
// itself is never in it.
type aiConfig struct {
	Kind     string `toml:"kind"`
	URL      string `toml:"url"`
	Model    string `toml:"model"`
	KeyEnv   string `toml:"key_env"`
	Timeout  string `toml:"timeout"`
	Insecure bool   `toml:"insecure"`
}

// model makes what asks the configured model; it connects to nothing yet. What is
// sent is masked even when a person asked to see secrets.
func (c aiConfig) model() (*prose.Writer, error) {
	o := prose.Options{Kind: c.Kind, URL: c.URL, Model: c.Model, KeyEnv: c.KeyEnv, Insecure: c.Insecure, Mask: redact.JSON}
	if c.Timeout != "" {
		var err error
		if o.Timeout, err = time.ParseDuration(c.Timeout); err != nil || o.Timeout <= 0 {
			return nil, errors.New(`timeout wants a time as "90s" or "5m"`)
		}
	}
	return prose.New(o)
}

// setting is the line of `retold config`.
func (c aiConfig) setting() setting {
	s := setting{name: "ai", from: "default"}
	if c == (aiConfig{}) {
		return s
	}
	s.from = "config"
	w, err := c.model()
	if err != nil {
		s.value = "not usable: " + err.Error()
		return s
	}
	s.value = c.Kind + " " + w.Model() + " at " + w.URL()
	return s
}

// aiFlag adds the flag that has a model asked.
func aiFlag(cmd *cobra.Command, ai *bool) {
	cmd.Flags().BoolVar(ai, "ai", false, "have the model of [ai] in config.toml tell it in prose; sends the entry there")
}

// An author has the configured model tell entries, or notes what it would be sent.
// A nil one does nothing: no model is to be asked.
type author struct {
	app      *app
	model    *prose.Writer
	dry      bool
	many     bool // an answer that cannot be used ends nothing
	requests []*prose.Request
}

// author returns nil when no model is to be asked.
func (a *app) author(ai, dry bool) (*author, error) {
	if !ai {
		return nil, nil
	}
	if a.settings.AI == (aiConfig{}) {
		return nil, &retold.Error{Code: retold.CodeUsage, Op: "read", Path: a.settings.Config.value, Err: errors.New("--ai, but no model is configured"), Hint: "name one below [ai], see `retold config --help`; nothing is sent anywhere until then"}
	}
	w, err := a.settings.AI.model()
	if err != nil {
		e := &retold.Error{Code: retold.CodeUsage, Op: "read", Path: a.settings.Config.value, Err: fmt.Errorf("[ai]: %w", err), Hint: "see `retold config --help`"}
		if inner, ok := errors.AsType[*retold.Error](err); ok {
			e.Err = fmt.Errorf("[ai]: %w", inner.Err)
		}
		return nil, e
	}
	return &author{app: a, model: w, dry: dry, requests: []*prose.Request{}}, nil
}

// into has the entry that is written told, unless it is already.
func (w *author) into(o *journal.WriteOptions) {
	if w != nil {
		o.Prose = w.tell
	}
}

// each has many entries told.
func (w *author) each(o *journal.WriteOptions) {
	if w != nil {
		w.many = true
		w.into(o)
	}
}

// drafts reports whether requests are printed instead of sent.
func (w *author) drafts() bool { return w != nil && w.dry }

// tell asks about one entry.
func (w *author) tell(ctx context.Context, e *journal.Entry) (*journal.Prose, error) {
	if w.dry {
		r, err := w.model.Request(e)
		if err == nil && r != nil {
			w.requests = append(w.requests, r)
		}
		return nil, err
	}
	name, commit := w.model.Model(), shortCommit(e.Commit.ID)
	w.app.progress("asking " + name + " about " + commit)
	p, err := w.model.Write(ctx, e)
	switch {
	case err != nil && w.many && errors.Is(err, prose.ErrAnswer):
		w.app.problems++
		w.app.note("%s is written without prose: %v", commit, err)
		return nil, nil
	case err != nil:
		return nil, err
	case p == nil:
		w.app.note("the entry of %s cites no message: nothing was sent", commit)
		return nil, nil
	}
	text := fmt.Sprintf("%s told %s in %s", name, commit, counted(len(p.Sentences), "sentence"))
	if p.Dropped > 0 {
		text += fmt.Sprintf("; %d more dropped, for citing or quoting what is not there", p.Dropped)
	}
	w.app.note("%s", text)
	return p, nil
}

// printRequests prints what would be sent, to the byte. It is masked already.
func (w *author) printRequests() error {
	a := w.app
	if a.json {
		return a.printVeiled(map[string]any{"requests": w.requests})
	}
	for _, r := range w.requests {
		a.line("%s", r)
	}
	if len(w.requests) == 0 {
		a.note("nothing would be sent: no conversation is linked, or a model has told all already")
		return nil
	}
	a.note("%s would be sent; nothing was sent, and nothing was written", counted(len(w.requests), "request"))
	return nil
}

// printed has an entry that is shown told, unless it is already; done says that
// all is printed. Nothing is written.
func (w *author) printed(ctx context.Context, e *journal.Entry) (done bool, err error) {
	switch {
	case w == nil:
		return false, nil
	case e.Class == journal.ClassLinked && e.Prose == nil:
		p, err := w.tell(ctx, e)
		if err != nil {
			return false, err
		}
		e.Prose = p
	case !w.dry:
		w.app.note("nothing is sent: no conversation is linked, or a model has told it already")
	}
	if w.dry {
		return true, w.printRequests()
	}
	return false, nil
}
