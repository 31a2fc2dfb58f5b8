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
//	send.go      the call: where to, how long, how much
//	answer.go    an answer becomes sentences
//	source.go    what sentences may rest on
//	quote.go     passages in quotes
package prose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

// CodeModel is the code of a model that could not be asked or gave no usable answer.
const CodeModel retold.Code = "model_failed"

// ErrAnswer is in the tree of the error of an answer that cannot be used: the
// model was reached, and asking about another entry may well work.
var ErrAnswer = errors.New("the model's answer cannot be used")

// DefaultTimeout is how long one call may take when nothing else is said.
const DefaultTimeout = 2 * time.Minute

// Options say which model is asked, and how.
type Options struct {
	Kind     string        // the protocol: one of Kinds
	URL      string        // the server's address up to its version; "": where the protocol's maker serves it
	Model    string        // the model's name; required
	KeyEnv   string        // the variable of the environment that holds the key; "": no key is sent
	Timeout  time.Duration // of one call; 0: DefaultTimeout
	Insecure bool          // plain http to other machines is allowed

	// Mask masks the secrets in JSON before anything is sent; required.
	Mask func(json.RawMessage) json.RawMessage
	// Getenv reads the environment; nil: os.Getenv.
	Getenv func(string) string
}

// Kinds are the protocols there are.
func Kinds() []string { return []string{"anthropic", "ollama", "openai"} }

// A Writer asks one model. It is safe for concurrent use.
type Writer struct {
	o        Options
	protocol protocol
	url      string
	client   *http.Client
}

// New checks options and returns a writer; it reads no key and connects to nothing.
// What is wrong with the options is a *retold.Error with CodeUsage.
func New(o Options) (*Writer, error) {
	wrong := func(format string, args ...any) error {
		return &retold.Error{Code: retold.CodeUsage, Op: "configure the model", Err: fmt.Errorf(format, args...), Hint: "see `retold config --help` for [ai] in config.toml"}
	}
	if !slices.Contains(Kinds(), o.Kind) {
		return nil, wrong("kind is %q, not one of %s", o.Kind, strings.Join(Kinds(), ", "))
	}
	w := &Writer{o: o, protocol: protocols()[o.Kind]}
	switch {
	case o.Mask == nil:
		return nil, wrong("nothing would mask secrets")
	case strings.TrimSpace(o.Model) == "" || clean(o.Model) != o.Model:
		return nil, wrong("model names no model")
	case o.KeyEnv != "" && !variableName().MatchString(o.KeyEnv): // it may be the key itself: never repeat it
		return nil, wrong("key_env wants the name of an environment variable in capitals, as OPENAI_API_KEY, not the key")
	case o.Timeout < 0 || o.Timeout > time.Hour:
		return nil, wrong("timeout is %v, not between 0 and 1h", o.Timeout)
	}
	if o.Timeout == 0 {
		w.o.Timeout = DefaultTimeout
	}
	if o.Getenv == nil {
		w.o.Getenv = os.Getenv
	}
	address, why := endpoint(w.protocol, o.URL, o.Insecure)
	if why != "" {
		return nil, wrong("url %s", why)
	}
	w.url = address
	w.client = newClient(w.o.Timeout)
	return w, nil
}

// variableName is what the variable that holds a key is called.
func variableName() *regexp.Regexp { return regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,99}$`) }

// endpoint is the address that is asked; why says what is wrong with the one given.
// The address is printed, so nothing secret may stand in it.
func endpoint(p protocol, given string, insecure bool) (address, why string) {
	if given == "" {
		given = p.home
	}
	u, err := url.Parse(given)
	switch {
	case err != nil: // its error repeats the address
		return "", "is no address"
	case u.User != nil:
		return "", "holds a name or password: name the key's variable with key_env"
	case u.RawQuery != "" || u.Fragment != "":
		return "", "holds a query or fragment"
	case u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", "is not http://… or https://…"
	case u.Scheme == "http" && !insecure && !loopback(u.Hostname()):
		return "", fmt.Sprintf("is plain http to %s, where others can read along: use https, or allow it with insecure = true", u.Hostname())
	}
	path := strings.TrimRight(u.Path, "/")
	if !strings.HasSuffix(path, p.path) {
		if !strings.HasSuffix(path, p.version) && (path == "" || p.versioned) {
			path += p.version
		}
		path += p.path
	}
	u.Path, u.RawPath = path, ""
	return u.String(), ""
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

// A Request is what is sent, without the key and without what HTTP itself adds
// (Host, Content-Length).
type Request struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"` // where the key goes, the name of its variable
	Body    string            `json:"body"`    // byte for byte
}

// Request tells what Write would send about an entry; nil when it would send
// nothing. It sends nothing and reads no key.
func (w *Writer) Request(e *journal.Entry) (*Request, error) {
	m, err := w.material(e)
	if err != nil || !m.citable() {
		return nil, err
	}
	body, err := w.protocol.body(w.o.Model, m)
	if err != nil {
		return nil, err
	}
	key := ""
	if w.o.KeyEnv != "" {
		key = "${" + w.o.KeyEnv + "}"
	}
	r := &Request{Method: http.MethodPost, URL: w.url, Headers: map[string]string{}, Body: string(body)}
	for name, values := range w.headers(key) {
		r.Headers[name] = strings.Join(values, ", ")
	}
	return r, nil
}

// String is the request as HTTP writes it.
func (r *Request) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", r.Method, r.URL)
	names := make([]string, 0, len(r.Headers))
	for name := range r.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\n", name, r.Headers[name])
	}
	return b.String() + "\n" + r.Body + "\n"
}
