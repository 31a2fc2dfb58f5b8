package prose_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/journal"
	"github.com/retold-history/retold/journal/prose"
)

// Every protocol is asked as its servers expect, sends what Request said it would,
// and its answer becomes the same prose.
func TestWrite(t *testing.T) {
	answer := sentences(
		[3]string{"Discussion", `The agent: "bursts share it".`, ref(3)},
		[3]string{"summary", "The person wanted retries that do not hammer the server.", ref(0)},
		[3]string{"Summary", "Nobody ever said this.", "elsewhere#1"},
	)
	want := &journal.Prose{Model: "tiny-1", Dropped: 1, Sentences: []journal.Sentence{
		{Section: prose.Summary, Text: "The person wanted retries that do not hammer the server.", Cites: []journal.Cite{at(0)}},
		{Section: prose.Discussion, Text: `The agent: "bursts share it".`, Cites: []journal.Cite{at(3)}},
	}}
	for kind, c := range map[string]struct{ path, auth, value string }{
		"openai":    {"/v1/chat/completions", "Authorization", "Bearer " + key},
		"anthropic": {"/v1/messages", "X-Api-Key", key},
		"ollama":    {"/api/chat", "Authorization", "Bearer " + key},
	} {
		t.Run(kind, func(t *testing.T) {
			s := serve(t, says(wrapped(kind, answer)))
			w := writer(t, kind, s.URL)
			draft, err := w.Request(entry())
			if err != nil {
				t.Fatal(err)
			}
			if n := len(s.asked()); n != 0 {
				t.Fatalf("a draft sent %d requests", n)
			}
			got, err := w.Write(t.Context(), entry())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			calls := s.asked()
			if len(calls) != 1 {
				t.Fatalf("%d requests", len(calls))
			}
			sent := calls[0]
			if sent.method != http.MethodPost || sent.path != c.path || sent.header.Get(c.auth) != c.value {
				t.Errorf("%s %s with %s %q", sent.method, sent.path, c.auth, sent.header.Get(c.auth))
			}
			if diff := cmp.Diff(draft.Body, sent.body); diff != "" {
				t.Errorf("another body was sent than was said: %s", diff)
			}
			if draft.URL != s.URL+c.path || draft.Method != sent.method {
				t.Errorf("%s %s was said", draft.Method, draft.URL)
			}
			for name := range sent.header {
				if _, told := draft.Headers[name]; !told && name != "Content-Length" {
					t.Errorf("header %s was not told", name)
				}
			}
			if strings.Contains(draft.String(), key) || strings.Contains(sent.body, key) {
				t.Error("the key is where it must not be")
			}
			if !strings.Contains(draft.Headers[c.auth], "${RETOLD_TEST_KEY}") {
				t.Errorf("the draft does not say where the key goes: %v", draft.Headers)
			}
			if !json.Valid([]byte(sent.body)) {
				t.Error("the body is no JSON")
			}
		})
	}
}

// What a model reads is the entry, without what a model wrote before, masked; what
// was said in it stays text among texts.
func TestMaterial(t *testing.T) {
	e := entry()
	secret := "ghp_" + "x7Kd92LmQp4RzTv8Wc1YbN6sHf3GjE5uA0oI"
	e.Reflections[0].Text = "token " + secret
	e.Commands[0].Text = "export GITHUB_TOKEN=" + secret
	e.Intent[0].More = "\x1b[31mred\u202e \u0085"
	e.Prose = &journal.Prose{Sentences: []journal.Sentence{{Text: "what a model wrote before"}}}
	for _, kind := range prose.Kinds() {
		r, err := writer(t, kind, "http://127.0.0.1:1").Request(e)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(r.Body, secret) || strings.Contains(r.Body, "what a model wrote before") {
			t.Errorf("%s: the body holds what it must not", kind)
		}
		if strings.ContainsAny(r.Body, "\x1b\u202e\u0085") {
			t.Errorf("%s: the body moves a terminal", kind)
		}
		var body struct {
			System   string
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
			t.Fatal(err)
		}
		last := body.Messages[len(body.Messages)-1]
		_, data, _ := strings.Cut(last.Content, "\n\n")
		var read journal.Entry
		if err := json.Unmarshal([]byte(data), &read); err != nil {
			t.Fatalf("%s: what the model is given is no entry: %v", kind, err)
		}
		if last.Role != "user" || read.Discussion[1].Text != injection {
			t.Errorf("%s: %s said %q", kind, last.Role, read.Discussion[1].Text)
		}
		rules := body.System
		if len(body.Messages) > 1 {
			rules = body.Messages[0].Content
		}
		if rules == "" || strings.Contains(rules, "Ignore all previous") {
			t.Errorf("%s: the rules are %q", kind, rules)
		}
		if e.Prose == nil || e.Intent[0].More == "" {
			t.Fatal("the entry itself was changed")
		}
	}
}

// However much was said, what is sent is bounded.
func TestMaterialIsBounded(t *testing.T) {
	e := entry()
	long := strings.Repeat("größer ", 150)
	for i := range 600 {
		e.Intent = append(e.Intent, journal.Quote{Cite: journal.Cite{SessionID: session, MessageIndex: 100 + i}, Text: long, More: long})
		e.Commands = append(e.Commands, journal.Command{Cite: journal.Cite{SessionID: session, MessageIndex: 100 + i}, Text: long})
	}
	for _, kind := range prose.Kinds() {
		r, err := writer(t, kind, "http://127.0.0.1:1").Request(e)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Body) > 80<<10 || len(r.Body) < 10<<10 {
			t.Errorf("%s: %d bytes", kind, len(r.Body))
		}
	}
	e = entry()
	e.Commit.Subject = strings.Repeat("x", 100<<10)
	if _, err := writer(t, "openai", "http://127.0.0.1:1").Request(e); err == nil {
		t.Error("an entry that cannot be shortened was sent")
	}
}

// An entry that cites nothing is not sent.
func TestNothingToCite(t *testing.T) {
	s := serve(t, says("{}"))
	e := &journal.Entry{Commit: journal.EntryCommit{ID: "1", Subject: "By hand"}}
	w := writer(t, "openai", s.URL)
	got, err := w.Write(t.Context(), e)
	if got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	draft, err := w.Request(e)
	if draft != nil || err != nil || len(s.asked()) != 0 {
		t.Errorf("%v, %v, %d requests", draft, err, len(s.asked()))
	}
}

// The same entry is sent as the same bytes.
func TestDeterministic(t *testing.T) {
	for _, kind := range prose.Kinds() {
		w := writer(t, kind, "http://127.0.0.1:1")
		a, errA := w.Request(entry())
		b, errB := w.Request(entry())
		if errA != nil || errB != nil || a.String() != b.String() {
			t.Errorf("%s: %v %v", kind, errA, errB)
		}
	}
}
