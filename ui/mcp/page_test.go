package mcp_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/ui/mcp"
)

type pageOf[T any] struct {
	Data       []T
	Pagination retold.Pagination
}

// long makes a session of n messages of every kind, some of them huge.
func long(s *tales, n int) string {
	var messages []retold.Message
	for i := range n {
		text := fmt.Sprintf("message %d about the harbour. ", i)
		switch i % 5 {
		case 0:
			messages = append(messages, said(retold.RoleUser, text+strings.Repeat("why? ", i%37)))
		case 1:
			messages = append(messages, said(retold.RoleThinking, strings.Repeat(text, 20)))
		case 2:
			messages = append(messages, said(retold.RoleAssistant, strings.Repeat(text+"<b>&\"\\\n", 1+i%90)))
		case 3:
			messages = append(messages, ran(retold.ToolShell, "sh", `{"command":"ls"}`, strings.Repeat(text+"é\n", 1+i*i%2000)))
		default:
			messages = append(messages, ran(retold.ToolRead, "read", `{"path":"/home/ada/a.go"}`, strings.Repeat("x", 40_000)))
		}
	}
	const id = "5eaf00d5-aaaa-4bbb-8ccc-0123456789ab"
	s.tell(retold.Session{ID: id, Title: "harbour", WorkspacePath: "/home/ada/harbour"}, messages...)
	return id
}

// Going on where each page says gives every message once, in order, in both forms
// of the answer: each says for itself where it ended.
func TestPagesGiveEveryMessageOnce(t *testing.T) {
	s := &tales{}
	id := long(s, 203)
	c := serveTales(t, s)
	want := make([]int, 203)
	for i := range want {
		want[i] = i
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	told := regexp.MustCompile(`(?m)^\[5eaf00d5-aaaa#(\d+)\]`)
	more := regexp.MustCompile(`(?m)^More: get_session session=5eaf00d5-aaaa from=(\d+)$`)
	asText := func(r result) (got []int, next int) {
		for _, m := range told.FindAllStringSubmatch(r.text, -1) {
			got = append(got, number(m[1]))
		}
		if m := more.FindStringSubmatch(r.text); m != nil {
			next = number(m[1])
		}
		return got, next
	}
	asJSON := func(r result) (got []int, next int) {
		d := decode[struct {
			Messages   []struct{ Index int }
			Pagination retold.Pagination
		}](t, r)
		for _, m := range d.Messages {
			got = append(got, m.Index)
		}
		if d.Pagination.HasMore {
			next = d.Pagination.Offset + d.Pagination.Limit
		}
		return got, next
	}
	for _, args := range []string{``, `, "limit": 50`, `, "max_chars": 3000`, `, "limit": 7, "max_chars": 60000`} {
		for form, read := range map[string]func(result) ([]int, int){"text": asText, "structured": asJSON} {
			var got []int
			for from, calls := 0, 0; calls < 500; calls++ {
				page, next := read(c.call("get_session", fmt.Sprintf(`{"session": %q, "from": %d%s}`, id, from, args)))
				got = append(got, page...)
				if from = next; next == 0 {
					break
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s with %q: %s", form, args, diff)
			}
		}
	}
}

// A small answer is used: what a reader is told takes most of what was asked for,
// whatever the structured form needs.
func TestSmallAnswersAreFull(t *testing.T) {
	s := &tales{}
	id := long(s, 100)
	c := serveTales(t, s)
	for _, most := range []int{2000, 4000, 8000} {
		for call, least := range map[string]int{
			`{"session": "` + id + `"`: most * 3 / 5, `{"session": "` + id + `", "message": 88`: most / 2, `{"query": "harbour"`: most / 2,
		} {
			tool := "get_session"
			switch {
			case strings.Contains(call, "query"):
				tool = "search_sessions"
			case strings.Contains(call, "message"):
				tool = "get_message"
			}
			r := c.call(tool, fmt.Sprintf("%s, \"max_chars\": %d}", call, most))
			if n := utf8.RuneCountInString(r.text); n < least || n > most {
				t.Errorf("%s %s with max_chars %d: %d characters", tool, call, most, n)
			}
		}
	}
}

// What would take longer to say than to tell is told.
func TestNoCutShorterThanItsMark(t *testing.T) {
	s := &tales{}
	id := long(s, 100)
	c := serveTales(t, s)
	cut := regexp.MustCompile(`\[… ([\d,]+) more characters: get_message`)
	for most := 2000; most < 12_000; most += 500 {
		for _, m := range cut.FindAllStringSubmatch(c.call("get_session", fmt.Sprintf(`{"session": %q, "max_chars": %d}`, id, most)).text, -1) {
			if len(m[1]) < 3 && m[1] < "90" {
				t.Errorf("max_chars %d: %s", most, m[0])
			}
		}
	}
}

// The listing and the search, page by page, give everything once, however small
// an answer may be.
func TestPagesOfLists(t *testing.T) {
	c := connect(t, openDemo(t), mcp.Options{}, nil)
	for _, call := range []struct{ tool, args, key string }{
		{"list_sessions", `"empty": true`, "id"}, {"search_sessions", `"query": "the"`, "messageId"}, {"list_workspaces", ``, "workspacePath"},
	} {
		all := func(more string) (keys []string) {
			for offset := 0; ; {
				args := strings.Trim(strings.Join([]string{call.args, fmt.Sprintf(`"offset": %d`, offset), more}, ","), ",")
				r := c.call(call.tool, "{"+strings.ReplaceAll(args, ",,", ",")+"}")
				p := decode[pageOf[map[string]json.RawMessage]](t, r)
				for _, item := range p.Data {
					keys = append(keys, string(item[call.key])+string(item["sessionId"])+string(item["workspaceName"]))
				}
				if !p.Pagination.HasMore || len(keys) > 10_000 {
					if len(keys) != p.Pagination.Total {
						t.Errorf("%s %s: %d of %d", call.tool, more, len(keys), p.Pagination.Total)
					}
					return keys
				}
				if len(p.Data) != p.Pagination.Limit {
					t.Fatalf("%s %s: %d items on a page that says %d", call.tool, more, len(p.Data), p.Pagination.Limit)
				}
				offset += p.Pagination.Limit
			}
		}
		want := all(`"limit": 1000, "max_chars": 400000`)
		for _, more := range []string{`"limit": 3`, `"max_chars": 2000`, `"limit": 100, "max_chars": 5000`} {
			if diff := cmp.Diff(want, all(more)); diff != "" {
				t.Errorf("%s with %s: %s", call.tool, more, diff)
			}
		}
	}
}

// Whatever was shortened can be had whole, piece by piece, byte for byte.
func TestPartsGiveTheWholeText(t *testing.T) {
	s := &tales{}
	text := ""
	for i := range 9000 {
		text += fmt.Sprintf("line %d: ä 漢 😀 <&>\n", i)
	}
	const id = "5eaf00d5-aaaa-4bbb-8ccc-0123456789ab"
	s.tell(retold.Session{ID: id, Title: "harbour"}, said(retold.RoleUser, text), ran(retold.ToolShell, "sh", `{"command":"cat"}`, text))
	c := serveTales(t, s)
	for message, part := range []string{"content", "result"} {
		r := c.call("get_session", fmt.Sprintf(`{"session": %q, "from": %d}`, id, message))
		short := decode[struct {
			Messages []struct {
				Truncated bool
				FullChars int
			}
		}](t, r).Messages[0]
		if !short.Truncated || short.FullChars < len([]rune(text)) || !strings.Contains(r.text, fmt.Sprintf(" more characters: get_message session=5eaf00d5-aaaa message=%d part=%s", message, part)) {
			t.Errorf("%s: truncated %v, %d characters of %d; %s", part, short.Truncated, short.FullChars, len([]rune(text)), r.text[len(r.text)-200:])
		}
		got, offset := "", 0
		for {
			p := decode[struct {
				Part struct {
					Text             string
					Chars, FullChars int
					HasMore          bool
				}
			}](t, c.call("get_message", fmt.Sprintf(`{"session": %q, "message": %d, "part": %q, "offset": %d, "max_chars": 30000}`, id, message, part, offset))).Part
			got += p.Text
			offset += p.Chars
			if p.FullChars != len([]rune(text)) {
				t.Fatalf("%s: %d characters in all, not %d", part, p.FullChars, len([]rune(text)))
			}
			if !p.HasMore {
				break
			}
		}
		if got != text {
			t.Errorf("%s: %d bytes of %d came back", part, len(got), len(text))
		}
	}
}

// What people said is kept when tool output is shortened.
func TestWordsBeforeOutput(t *testing.T) {
	s := &tales{}
	const id = "5eaf00d5-aaaa-4bbb-8ccc-0123456789ab"
	ask, answer := strings.Repeat("Why is it so? ", 150), strings.Repeat("Because of the tide. ", 150)
	s.tell(retold.Session{ID: id, Title: "harbour"}, said(retold.RoleUser, ask),
		ran(retold.ToolShell, "sh", `{"command":"cat"}`, strings.Repeat("output ", 9000)), said(retold.RoleAssistant, answer))
	r := serveTales(t, s).call("get_session", fmt.Sprintf(`{"session": %q, "max_chars": 12000}`, id))
	for _, whole := range []string{strings.TrimSpace(ask), strings.TrimSpace(answer), "output output"} {
		if !strings.Contains(r.text, whole) || !strings.Contains(string(r.body), whole) {
			t.Errorf("%.30s… was shortened", whole)
		}
	}
}
