package prose

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/retold-history/retold"
)

// Bounds of a call.
const (
	mostAnswer   = 1 << 20          // bytes of an answer
	mostPause    = 20 * time.Second // that a server may have a second try wait
	defaultPause = 2 * time.Second
	mostSaid     = 200 // bytes of a server's words in an error
)

// newClient never leaves the host it is sent to, and takes a proxy from the
// environment alone.
func newClient(timeout time.Duration) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: min(timeout, 15*time.Second)}).DialContext,
			TLSHandshakeTimeout:    min(timeout, 15*time.Second),
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			MaxResponseHeaderBytes: 64 << 10,
			MaxIdleConns:           1,
			IdleConnTimeout:        30 * time.Second,
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			from := via[0]
			switch {
			case to.URL.Host != from.URL.Host || to.URL.Scheme != from.URL.Scheme:
				return errRedirect
			case to.Method != from.Method || len(via) > 3: // a redirect that forgets the body
				return errors.New("it redirects to somewhere else: correct url")
			}
			return nil
		},
	}
}

var errRedirect = errors.New("it redirects to another host or scheme, where nothing is sent")

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// send asks, a second time when the server is busy and says when, or has failed.
func (w *Writer) send(ctx context.Context, body []byte, key string) ([]byte, error) {
	answer, pause, err := w.try(ctx, body, key)
	if err == nil || pause < 0 {
		return answer, err
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
	}
	answer, _, err = w.try(ctx, body, key)
	return answer, err
}

// try asks once. With an error, pause is how long to wait before another try; one
// below zero says that it is of no use.
func (w *Writer) try(ctx context.Context, body []byte, key string) (answer []byte, pause time.Duration, err error) {
	limited, cancel := context.WithTimeout(ctx, w.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return nil, -1, err
	}
	req.Header = w.headers(key)
	res, err := w.client.Do(req)
	if err == nil {
		defer func() { _ = res.Body.Close() }() // it was only read
		answer, err = io.ReadAll(io.LimitReader(res.Body, mostAnswer+1))
	}
	switch {
	case ctx.Err() != nil:
		return nil, -1, ctx.Err()
	case err != nil:
		return nil, -1, w.unreached(limited, err)
	case res.StatusCode != http.StatusOK:
		pause, err = w.refused(res, answer, key)
		return nil, pause, err
	case len(answer) > mostAnswer:
		return nil, -1, w.unusable(fmt.Errorf("it is larger than %d bytes", mostAnswer))
	}
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, -1, &retold.Error{
			Code: CodeModel, Op: "ask " + w.o.Model, Path: w.url, Err: fmt.Errorf("it answers with %q, not with JSON", clip(clean(res.Header.Get("Content-Type")), mostSaid)),
			Hint: "see whether url in config.toml is the address of a server that speaks " + w.o.Kind,
		}
	}
	return answer, -1, nil
}

// unreached is the error of a server that could not be asked. The address is
// already in it, so that of the HTTP client goes.
func (w *Writer) unreached(limited context.Context, err error) error {
	e := &retold.Error{Code: CodeModel, Op: "ask " + w.o.Model, Path: w.url, Err: err}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		e.Err = inner.Err
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
	text = clean(text)
	if key != "" {
		text = strings.ReplaceAll(text, key, "[key]")
	}
	quoted, err := json.Marshal(text)
	if err != nil || json.Unmarshal(w.o.Mask(quoted), &text) != nil {
		return ""
	}
	return clip(text, mostSaid)
}

// retryAfter reads a Retry-After header; ok says that the wait is short enough.
func retryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	wait = defaultPause
	if seconds, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	wait = max(wait, 0)
	return wait, wait <= mostPause
}
