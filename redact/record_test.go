package redact_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/redact/redacttest"
)

// kept are the fields that stay as they are: ids, by which everything is found
// again, and words of retold's own.
var kept = map[string]bool{
	"Session.ID": true, "Session.ParentID": true, "Session.Agent": true, "Session.TimeSource": true,
	"Message.ID": true, "Message.RequestID": true, "Message.Role": true, "Message.TimestampSource": true,
	"ToolCall.CallID": true, "ToolCall.Kind": true, "ToolCall.Status": true,
	"Hit.SessionID": true, "Hit.MessageID": true, "Hit.Agent": true, "Hit.Role": true, "Key.Family": true, "Key.ID": true,
}

// fill puts secret into everything below v that can hold text. It returns how
// many places that were.
func fill(t *testing.T, v reflect.Value, name, secret string) int {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		if kept[name] {
			v.SetString("id-1")
			return 0
		}
		v.SetString("see " + secret + " here")
		return 1
	case reflect.Struct:
		if v.Type().PkgPath() == "time" {
			return 0
		}
		n := 0
		for i := range v.NumField() {
			n += fill(t, v.Field(i), v.Type().Name()+"."+v.Type().Field(i).Name, secret)
		}
		return n
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(t, v.Elem(), name, secret)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes(fmt.Appendf(nil, `{"a":["see %s"],"b":"{\"c\":\"%s\"}"}`, secret, secret))
			return 2
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		return fill(t, v.Index(0), name, secret) + fill(t, v.Index(1), name, secret)
	case reflect.Array, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return 0
	}
	t.Fatalf("%s: nobody has thought of a %s", name, v.Type())
	return 0
}

// TestNothingForgotten fills every text there is with a secret and looks for it
// in what is left: a field that is added to a record has to be masked too.
func TestNothingForgotten(t *testing.T) {
	tokens := redacttest.Tokens(11)
	token := tokens[slices.IndexFunc(tokens, func(k redacttest.Token) bool { return k.Provider == "github" })]
	check := func(name string, record any, mask func() int) {
		t.Helper()
		wanted := fill(t, reflect.ValueOf(record).Elem(), name, token.Value)
		before := fmt.Sprintf("%+v", record)
		if !strings.Contains(before, token.Value) && wanted > 0 && name != "SessionDetail" && name != "Message" {
			t.Fatalf("%s was not filled", name)
		}
		if got := mask(); got != wanted {
			t.Errorf("%s: %d masked, want %d", name, got, wanted)
		}
		after, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		if part := token.Leak(string(after) + fmt.Sprintf("%+v", record)); part != "" {
			t.Errorf("%s: %q is left in %s", name, part, after)
		}
		if got := mask(); got != 0 {
			t.Errorf("%s: %d masked the second time", name, got)
		}
	}
	var (
		message retold.Message
		session retold.Session
		detail  retold.SessionDetail
		hit     retold.Hit
		problem retold.Problem
	)
	check("Message", &message, func() int { return redact.Message(&message) })
	check("Session", &session, func() int { return redact.Session(&session) })
	check("SessionDetail", &detail, func() int { return redact.Detail(&detail) })
	check("Hit", &hit, func() int { return redact.Hit(&hit) })
	check("Problem", &problem, func() int { return redact.Problem(&problem) })
}

// TestOriginalStays masks copies and wants what they were made of untouched.
func TestOriginalStays(t *testing.T) {
	token := redacttest.Tokens(5)[0].Value
	build := func() *retold.SessionDetail {
		var d retold.SessionDetail
		fill(t, reflect.ValueOf(&d).Elem(), "SessionDetail", token)
		return &d
	}
	d := build()
	whole, first, session := *d, d.Messages[0], d.Session
	redact.Session(&session)
	redact.Message(&first)
	redact.Detail(&whole)
	if diff := cmp.Diff(build(), d); diff != "" {
		t.Errorf("the original changed (-want +got):\n%s", diff)
	}
	if whole.Messages[0].Tool == d.Messages[0].Tool {
		t.Error("the copy shares its tool call")
	}
}

// TestManyMessages masks a list as long as several processors share.
func TestManyMessages(t *testing.T) {
	token := redacttest.Tokens(6)[0]
	list := make([]retold.Message, 1000)
	for i := range list {
		list[i] = retold.Message{Index: i, Content: fmt.Sprintf("%d: %s", i, token.Value)}
	}
	if n := redact.Messages(list); n != len(list) {
		t.Errorf("%d masked, want %d", n, len(list))
	}
	for i, m := range list {
		if want := fmt.Sprintf("%d: [masked api-key]", i); m.Content != want || m.Index != i {
			t.Fatalf("message %d is %q", i, m.Content)
		}
	}
}

func TestHit(t *testing.T) {
	token := redacttest.Tokens(5)[1].Value // sk-proj-…
	for _, c := range []struct {
		name, match string
		marked      []string // what is highlighted, before and after
		want        string
		after       []string
	}{
		{"none", "a race in the cache", []string{"race"}, "a race in the cache", []string{"race"}},
		{"before and behind", "race " + token + " cache", []string{"race", "cache"}, "race [masked openai-key] cache", []string{"race", "cache"}},
		{"inside", "race " + token + " cache", []string{token[12:20]}, "race [masked openai-key] cache", []string{"[masked openai-key]"}},
		{"twice inside", "race " + token + " cache", []string{token[12:20], token[40:50], "cache"}, "race [masked openai-key] cache", []string{"[masked openai-key]", "cache"}},
		{"over the edge", "race " + token + " cache", []string{"race " + token[:20]}, "race [masked openai-key] cache", []string{"race [masked openai-key]"}},
		{"cut at the end", "the key " + token[:30] + "…", []string{"key"}, "the key [masked openai-key]…", []string{"key"}},
		{"cut at the beginning", "…" + token[40:90] + " is the key", []string{"key"}, "…[masked secret] is the key", []string{"key"}},
		{"a name, cut", "db_password: hunt2R4bb…", []string{"db_password"}, "db_password: [masked password]…", []string{"db_password"}},
		{"words, cut", "…deterministically and then the…", []string{"then"}, "…deterministically and then the…", []string{"then"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := retold.Hit{Match: c.match}
			at := 0
			for _, m := range c.marked {
				i := at + strings.Index(c.match[at:], m)
				at = i + len(m)
				h.Highlights = append(h.Highlights, [2]int{i, at})
			}
			redact.Hit(&h)
			if h.Match != c.want {
				t.Errorf("got %q, want %q", h.Match, c.want)
			}
			var lit []string
			for _, r := range h.Highlights {
				lit = append(lit, h.Match[r[0]:r[1]])
			}
			if diff := cmp.Diff(c.after, lit); diff != "" {
				t.Errorf("highlights (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClippedTitle(t *testing.T) {
	token := redacttest.Tokens(5)[1].Value
	s := retold.Session{Title: "Use " + token[:17] + "…", FirstMessagePreview: retold.Preview(strings.Repeat("word ", 20) + token)}
	if n := redact.Session(&s); n != 2 {
		t.Errorf("%d masked: %q, %q", n, s.Title, s.FirstMessagePreview)
	}
}

// TestPreviewCutBeforeTheSign cuts the preview of a first message at every place
// of a password in a URL, before the @ that would tell.
func TestPreviewCutBeforeTheSign(t *testing.T) {
	password := redacttest.Tokens(5)[0].Value[3:28]
	for words := 60; words < 110; words++ {
		said := strings.Repeat("tide ", 30)[:words] + " connect with postgres://ada:" + password + "@db.internal/x"
		s := retold.Session{Title: retold.Preview(said), FirstMessagePreview: retold.Preview(said)}
		redact.Session(&s)
		for at := 0; at+4 <= len(password); at++ {
			if part := password[at : at+4]; strings.Contains(s.Title+s.FirstMessagePreview, part) {
				t.Fatalf("%q is left in %q", part, s.Title)
			}
		}
	}
}
