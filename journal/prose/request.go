package prose

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/retold-history/retold/journal"
)

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
