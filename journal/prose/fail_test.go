package prose_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal/prose"
)

// failed checks an error of Write: its code, its words, and that the key is not in it.
func failed(t *testing.T, err error, words string, answer bool) {
	t.Helper()
	e, ok := errors.AsType[*retold.Error](err)
	if !ok || e.Code != prose.CodeModel || e.Hint == "" {
		t.Fatalf("%#v", err)
	}
	if !strings.Contains(err.Error(), words) || errors.Is(err, prose.ErrAnswer) != answer {
		t.Errorf("%v (an answer's: %v)", err, errors.Is(err, prose.ErrAnswer))
	}
	if text := fmt.Sprintf("%v %+v %#v %s", err, err, e, e.Hint); strings.Contains(text, key) {
		t.Errorf("the key is in %s", text)
	}
	if strings.ContainsAny(err.Error(), "\n\x1b") {
		t.Errorf("%q", err)
	}
}

// Answers that cannot be used.
func TestBadAnswers(t *testing.T) {
	good := sentences([3]string{"Summary", "Retries got a budget.", ref(0)})
	for _, kind := range prose.Kinds() {
		for name, c := range map[string]struct{ text, want string }{
			"prose":         {"Sure! Here is the summary.", "not the JSON"},
			"empty":         {"", "it is not the JSON that was asked for"},
			"cut off":       {good[:len(good)-9], "cut off"},
			"array":         {"[]", "not the JSON"},
			"null":          {"null", "no sentences"},
			"other object":  {`{"answer": 1}`, "no sentences"},
			"wrong types":   {`{"sentences": [{"section": 1}]}`, "not the JSON"},
			"something too": {good + " I hope this helps.", "something follows"},
			"fenced text":   {"```python\n" + good + "\n```", "not the JSON"},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				s := serve(t, says(wrapped(kind, c.text)))
				_, err := writer(t, kind, s.URL).Write(t.Context(), entry())
				if c.text == "" && kind == "anthropic" {
					c.want = "no text"
				}
				if c.text == "" && err != nil && kind != "anthropic" {
					c.want = "cannot be used"
				}
				failed(t, err, c.want, true)
			})
		}
		for _, fence := range []string{"```json\n%s\n```", "```\n%s\n```\n", "  ```JSON\n%s```"} {
			s := serve(t, says(wrapped(kind, fmt.Sprintf(fence, good))))
			if p, err := writer(t, kind, s.URL).Write(t.Context(), entry()); err != nil || len(p.Sentences) != 1 {
				t.Errorf("%s in %q: %+v, %v", kind, fence, p, err)
			}
		}
	}
	for name, c := range map[string]struct{ kind, answer, want string }{
		"cut off, openai":    {"openai", `{"choices":[{"message":{"content":"{}"},"finish_reason":"length"}]}`, "cut off"},
		"cut off, anthropic": {"anthropic", `{"content":[{"type":"text","text":"{}"}],"stop_reason":"max_tokens"}`, "cut off"},
		"cut off, ollama":    {"ollama", `{"message":{"content":"{}"},"done_reason":"length"}`, "cut off"},
		"refusal, openai":    {"openai", `{"choices":[{"message":{"content":null,"refusal":"No."}}]}`, "refused"},
		"refusal, anthropic": {"anthropic", `{"content":[],"stop_reason":"refusal"}`, "refused"},
		"no choices":         {"openai", `{"choices":[]}`, "no choices"},
		"no content":         {"openai", `{"choices":[{"message":{}}]}`, "no content"},
		"no message":         {"ollama", `{}`, "no message"},
		"no JSON":            {"ollama", `Hello`, "the server's JSON"},
		"huge":               {"openai", `{"x":"` + strings.Repeat("y", 2<<20) + `"}`, "larger than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, says(c.answer))
			_, err := writer(t, c.kind, s.URL).Write(t.Context(), entry())
			failed(t, err, c.want, true)
		})
	}
}

// Servers that do not answer as they should.
func TestBadServers(t *testing.T) {
	status := func(code int, header, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set(header, value)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
		}
	}
	leak := fmt.Sprintf(`{"error":{"message":"the key %s\u001b[1m is wrong"}}`, key)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
		asked  int
	}{
		"401":       {status(401, "X-Y", "", leak), "401 Unauthorized", 1},
		"403":       {status(403, "X-Y", "", leak), "403 Forbidden", 1},
		"400":       {status(400, "X-Y", "", leak), "400 Bad Request: the key [key] [1m is wrong", 1},
		"400, text": {status(400, "X-Y", "", `{"error": "no such format"}`), "400 Bad Request: no such format", 1},
		"404":       {status(404, "X-Y", "", "<html>"), "404 Not Found", 1},
		"429":       {status(429, "Retry-After", "0", leak), "429 Too Many Requests", 2},
		"429, long": {status(429, "Retry-After", "3600", ""), "wants 1h0m0s to pass", 1},
		"503":       {status(503, "Retry-After", "0", ""), "503 Service Unavailable", 2},
		"204":       {status(204, "X-Y", "", ""), "204 No Content", 1},
		"html": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<p>")
		}, `answers with "text/html"`, 1},
		"other host":       {status(307, "Location", "http://localhost:1/v1/chat/completions", ""), "redirects to another host", 1},
		"other scheme":     {status(308, "Location", "https://127.0.0.1:1/", ""), "redirects to another host", 1},
		"loses the body":   {status(302, "Location", "/elsewhere", ""), "redirects to somewhere else", 1},
		"hangs up":         {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF", 1},
		"key as a type":    {status(200, "Content-Type", key, "{}"), `answers with "[key]"`, 1},
		"key in a place":   {status(307, "Location", "http://127.0.0.1/%zz"+key, ""), "Location", 1},
		"endless redirect": {status(307, "Location", "/again", ""), "redirects to somewhere else", 4},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.answer)
			_, err := writer(t, "openai", s.URL).Write(t.Context(), entry())
			failed(t, err, c.want, false)
			if n := len(s.asked()); n != c.asked {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// A second try is worth it, and a redirect on the same host keeps everything.
func TestSecondTry(t *testing.T) {
	good := wrapped("openai", sentences([3]string{"Summary", "Retries got a budget.", ref(0)}))
	first := true
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case first:
			first = false
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(429)
		case r.URL.Path != "/moved":
			http.Redirect(w, r, "/moved", http.StatusPermanentRedirect)
		default:
			says(good)(w, r)
		}
	})
	p, err := writer(t, "openai", s.URL).Write(t.Context(), entry())
	calls := s.asked()
	if err != nil || len(p.Sentences) != 1 || len(calls) != 3 {
		t.Fatalf("%+v, %v, %d requests", p, err, len(calls))
	}
	if calls[2].body != calls[0].body || calls[2].header.Get("Authorization") != "Bearer "+key {
		t.Error("the redirect lost the body or the key")
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 2 * time.Second, "soon": 2 * time.Second, "0": 0, "-5": 0, "7": 7 * time.Second, "21": 21 * time.Second,
		"Sun, 01 Mar 2026 09:00:10 GMT": 10 * time.Second, "Sun, 01 Mar 2026 08:00:00 GMT": 0, "99999999999999": 2 * time.Second,
	} {
		wait, ok := prose.RetryAfter(value, now)
		if wait != want || ok != (want <= 20*time.Second) {
			t.Errorf("%q: %v, %v", value, wait, ok)
		}
	}
}

// A slow server ends at the timeout, an interrupt at once, each as what it is.
func TestSlow(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	_, err := writer(t, "ollama", s.URL).Write(ctx, entry())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	_, err = writer(t, "ollama", s.URL, func(o *prose.Options) { o.Timeout = 30 * time.Millisecond }).Write(t.Context(), entry())
	failed(t, err, "no answer within 30ms", false)
	if retold.CodeOf(err) == retold.CodeInterrupted {
		t.Error("a timeout is no interrupt")
	}
}

// What cannot be reached or trusted is named.
func TestUnreachable(t *testing.T) {
	s := serve(t, says("{}"))
	s.Close()
	_, err := writer(t, "openai", s.URL).Write(t.Context(), entry())
	failed(t, err, "refused", false)

	secure := httptest.NewTLSServer(says("{}"))
	defer secure.Close()
	secure.Config.ErrorLog = nil
	_, err = writer(t, "openai", secure.URL).Write(t.Context(), entry())
	failed(t, err, "TLS: its certificate is not to be trusted", false)

	clear := serve(t, says("{}"))
	_, err = writer(t, "openai", strings.Replace(clear.URL, "http:", "https:", 1)).Write(t.Context(), entry())
	failed(t, err, "HTTP response to HTTPS client", false)
	if len(clear.asked()) != 0 {
		t.Error("it was asked all the same")
	}
}

// A key that is not there is asked for by the name of its variable, and nothing is sent.
func TestKey(t *testing.T) {
	s := serve(t, says("{}"))
	for value, want := range map[string]string{"": "OTHER_KEY, which key_env names, is not set", key + " x": "holds what no key does"} {
		w := writer(t, "openai", s.URL, func(o *prose.Options) { o.KeyEnv, o.Getenv = "OTHER_KEY", func(string) string { return value } })
		_, err := w.Write(t.Context(), entry())
		failed(t, err, want, false)
	}
	if len(s.asked()) != 0 {
		t.Error("something was sent")
	}
	good := serve(t, says(wrapped("openai", sentences())))
	p, err := writer(t, "openai", good.URL, func(o *prose.Options) { o.KeyEnv = "" }).Write(t.Context(), entry())
	if err != nil || p == nil || good.asked()[0].header.Get("Authorization") != "" {
		t.Errorf("without a key: %+v, %v", p, err)
	}
}
