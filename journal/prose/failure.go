package prose

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// unreached is the error of a server that could not be asked. The address is
// already in it, so that of the HTTP client goes.
func (w *Writer) unreached(limited context.Context, err error, key string) error {
	e := &retold.Error{Code: CodeModel, Op: "ask " + w.o.Model, Path: w.url, Err: err}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		e.Err = inner.Err
	}
	if text := without(key, e.Err.Error()); text != e.Err.Error() { // a server may repeat the key in a header
		e.Err = errors.New(text)
	}
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case limited.Err() != nil || isTimeout(err):
		e.Err = fmt.Errorf("no answer within %v", w.o.Timeout)
		e.Hint = `give it longer: timeout = "10m" below [ai] in config.toml`
	case errors.As(err, &verify):
		e.Err = fmt.Errorf("TLS: its certificate is not to be trusted: %w", verify.Err)
		e.Hint = "nothing was sent; see whether url in config.toml is right"
	case errors.As(err, &record):
		e.Err = fmt.Errorf("TLS: %w", e.Err)
		e.Hint = "nothing was sent; see whether the server speaks https"
	case errors.Is(err, errRedirect):
		e.Hint = "put the address that is meant into config.toml as url below [ai]"
	default:
		e.Hint = "see whether the server runs and url in config.toml is right"
	}
	return e
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// refused is the error of a status that is not 200.
func (w *Writer) refused(res *http.Response, answer []byte, key string) (pause time.Duration, err error) {
	status := fmt.Sprintf("it answers %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	e := &retold.Error{Code: CodeModel, Op: "ask " + w.o.Model, Path: w.url}
	pause = -1
	switch {
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		// What a server says of a key may repeat it.
		e.Err, e.Hint = errors.New(status), "name the variable that holds the key: key_env below [ai] in config.toml"
		if w.o.KeyEnv != "" {
			e.Hint = "see whether the key in " + w.o.KeyEnv + " is right and may use the model"
		}
		return pause, e
	case res.StatusCode == http.StatusNotFound:
		e.Hint = "see whether model and url below [ai] in config.toml are right"
	case res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500:
		e.Hint = "try again later; what is written stays, and a backfill goes on where it ended"
		wait, ok := retryAfter(res.Header.Get("Retry-After"), time.Now())
		if pause = wait; !ok {
			pause = -1
			status += fmt.Sprintf(" and wants %v to pass", wait.Round(time.Second))
		}
	default:
		e.Hint = "see whether this model and server can hold an answer to a JSON schema"
	}
	if words := w.words(answer, key); words != "" {
		status += ": " + words
	}
	e.Err = errors.New(status)
	return pause, e
}

// words are what a server says of an error, without the key and other secrets.
func (w *Writer) words(answer []byte, key string) string {
	var a struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return ""
	}
	var text string
	if json.Unmarshal(a.Error, &text) != nil {
		var inner struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(a.Error, &inner) != nil {
			return ""
		}
		text = inner.Message
	}
	text = without(key, text)
	quoted, err := json.Marshal(text)
	if err != nil || json.Unmarshal(w.o.Mask(quoted), &text) != nil {
		return ""
	}
	return clip(text, mostSaid)
}

// without is a server's text on one line, bounded and without the key.
func without(key, text string) string {
	text = clean(text)
	if key != "" {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	return clip(text, 4*mostSaid)
}
