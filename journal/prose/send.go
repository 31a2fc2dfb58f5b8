package prose

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
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
		return nil, -1, w.unreached(limited, err, key)
	case res.StatusCode != http.StatusOK:
		pause, err = w.refused(res, answer, key)
		return nil, pause, err
	case len(answer) > mostAnswer:
		return nil, -1, w.unusable(fmt.Errorf("it is larger than %d bytes", mostAnswer))
	}
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, -1, &retold.Error{
			Code: CodeModel, Op: "ask " + w.o.Model, Path: w.url, Err: fmt.Errorf("it answers with %q, not with JSON", without(key, res.Header.Get("Content-Type"))),
			Hint: "see whether url in config.toml is the address of a server that speaks " + w.o.Kind,
		}
	}
	return answer, -1, nil
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
