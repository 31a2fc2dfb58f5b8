// Package prose has a language model tell an entry of the journal in sentences.
// It knows how models are asked (three protocols) and what of an answer may be
// believed: a sentence stays only when it cites messages that the entry cites and
// every passage in quotes stands, word for word, in what was said there. All else
// is dropped and counted.
//
// A model is given the entry's own JSON, masked and bounded, and nothing more; it
// is asked once for each entry. Nothing is sent unless Writer.Write is called:
// Writer.Request tells what would be.
//
//	prompt.go    what a model is told to do, and the form of its answer
//	input.go     an entry becomes what is sent, within a bound
//	protocol.go  the three ways to ask
//	request.go   what would be sent
//	send.go      the call: where to, how long, how much
//	failure.go   what went wrong with it, in words without the key
//	answer.go    an answer becomes sentences
//	source.go    what sentences may rest on
//	quote.go     passages in quotes
package prose

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

// CodeModel is the code of a model that could not be asked or gave no usable answer.
const CodeModel retold.Code = "model_failed"

// ErrAnswer is in the tree of the error of an answer that cannot be used: the
// model was reached, and asking about another entry may well work.
var ErrAnswer = errors.New("the model's answer cannot be used")

// A Writer asks one model. It is safe for concurrent use.
type Writer struct {
	o        Options
	protocol protocol
	url      string
	client   *http.Client
}

// URL is the address that is asked.
func (w *Writer) URL() string { return w.url }

// Model is the name of the model that is asked.
func (w *Writer) Model() string { return w.o.Model }

// Write has the model tell an entry. An entry that cites no message has nothing to
// be told: then nothing is sent, and the result is nil. Errors are *retold.Error
// with CodeModel, or the context's; no error holds the key.
func (w *Writer) Write(ctx context.Context, e *journal.Entry) (*journal.Prose, error) {
	m, err := w.material(e)
	if err != nil {
		return nil, err
	}
	if !m.citable() {
		return nil, nil
	}
	body, err := w.protocol.body(w.o.Model, m)
	if err != nil {
		return nil, err
	}
	key, err := w.key()
	if err != nil {
		return nil, err
	}
	answer, err := w.send(ctx, body, key)
	if err != nil {
		return nil, err
	}
	text, err := w.protocol.text(answer)
	if err != nil {
		return nil, w.unusable(err)
	}
	p, err := read(text, sourceOf(m.entry))
	if err != nil {
		return nil, w.unusable(err)
	}
	p.Model = w.o.Model
	return p, nil
}

// unusable is the error of an answer that says nothing.
func (w *Writer) unusable(err error) error {
	return &retold.Error{
		Code: CodeModel, Op: "ask " + w.o.Model, Path: w.url, Err: fmt.Errorf("%w: %w", ErrAnswer, err),
		Hint: "try again, or another model: small ones often cannot keep to a form",
	}
}

// key reads the key from the environment.
func (w *Writer) key() (string, error) {
	if w.o.KeyEnv == "" {
		return "", nil
	}
	key := strings.TrimSpace(w.o.Getenv(w.o.KeyEnv))
	why := ""
	switch {
	case key == "":
		why = "is not set"
	case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		why = "holds what no key does: spaces or characters that are not ASCII"
	default:
		return key, nil
	}
	return "", &retold.Error{Code: CodeModel, Op: "ask " + w.o.Model, Path: w.url, Err: fmt.Errorf("%s, which key_env names, %s", w.o.KeyEnv, why), Hint: "export " + w.o.KeyEnv + "=…"}
}
