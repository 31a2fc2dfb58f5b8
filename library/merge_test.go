package library_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
)

// told writes messages back in the notation of conversation, recovered ones
// with a + before them.
func told(ms []retold.Message) []string {
	letters := map[retold.Role]string{retold.RoleUser: "u", retold.RoleAssistant: "a", retold.RoleTool: "t", retold.RoleThinking: "k", retold.RoleError: "e"}
	var out []string
	for _, m := range ms {
		mark := ""
		if m.Recovered {
			mark = "+"
		}
		out = append(out, mark+letters[m.Role]+":"+m.Content)
	}
	return out
}

func TestOneSessionOfTwoStores(t *testing.T) {
	for name, c := range map[string]struct {
		composer, transcript, want string // messages apart by |
	}{
		"the same":                           {"u:hi|a:hello", "u:hi|a:hello", "u:hi|a:hello"},
		"other white space":                  {"u:fix  it\n|a:done", "u:fix it|a: done", "u:fix  it\n|a:done"},
		"answer split otherwise":             {"u:hi|a:one|t:c1|a:two", "u:hi|a:one\n\ntwo|t:", "u:hi|a:one|t:c1|a:two"},
		"turns after the end":                {"u:hi|a:hello", "u:hi|a:hello|u:more|a:sure", "u:hi|a:hello|+u:more|+a:sure"},
		"a turn before":                      {"u:two|a:2", "u:one|a:1|u:two|a:2", "u:two|a:2|+u:one|+a:1"},
		"one more continue":                  {"u:continue|a:1|u:continue|a:2", "u:continue|a:1|u:continue|a:2|u:continue|a:3", "u:continue|a:1|u:continue|a:2|+u:continue|+a:3"},
		"a question without its answer":      {"u:hi|a:hello|u:why", "u:hi|a:hello|u:why|a:because|t:c1", "u:hi|a:hello|u:why|+a:because|+t:c1"},
		"acted but did not speak":            {"u:why|t:c1", "u:why|a:because|t:c1", "u:why|t:c1|+a:because"},
		"thinking at the end of the text":    {"u:why|k:hm|a:because the lock is never released", "u:wyh|a:because the lock is never released\n\nhm", "u:why|k:hm|a:because the lock is never released"},
		"an image is named in the text":      {"u:look|a:ok", "u:[Image]\nlook|a:okay then", "u:look|a:ok"},
		"same tool call, other words":        {"u:a|t:call-1", "u:b|t:call-1", "u:a|t:call-1"},
		"nothing in common":                  {"u:a|a:b", "u:c|a:d", "u:a|a:b|+u:c|+a:d"},
		"the backbone has no messages":       {"", "u:a|a:b", "u:a|a:b"},
		"the transcript has no messages":     {"u:a|a:b", "", "u:a|a:b"},
		"an answer before the first message": {"u:a", "a:welcome|u:a", "u:a|+a:welcome"},
	} {
		t.Run(name, func(t *testing.T) {
			split := func(s string) []string {
				if s == "" {
					return nil
				}
				return strings.Split(s, "|")
			}
			ide := &memory{agent: "cursor", sessions: []memorySession{session("s1", day(1), "composer", split(c.composer)...)}}
			cli := &memory{agent: "cursor-cli", sessions: []memorySession{session("s1", day(1), "transcript", split(c.transcript)...)}}
			l := open(t, cli, ide)
			d, err := l.Show(t.Context(), "s1")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(split(c.want), told(d.Messages)); diff != "" {
				t.Error(diff)
			}
			seen := map[string]bool{}
			for i, m := range d.Messages {
				if m.Index != i || seen[m.ID] {
					t.Errorf("message %d has index %d and id %q", i, m.Index, m.ID)
				}
				seen[m.ID] = true
			}
			listing, err := l.List(t.Context(), retold.Filter{}, 0, 0)
			if err != nil || len(listing.Data) != 1 {
				t.Fatalf("listed %v, %v; want one session", listing, err)
			}
			if got := listing.Data[0].MessageCount; got != len(d.Messages) {
				t.Errorf("list counts %d messages, show returns %d", got, len(d.Messages))
			}
		})
	}
}

func TestHeadersFillEachOther(t *testing.T) {
	ide := &memory{agent: "cursor", sessions: []memorySession{session("s1", time.Time{}, "composer", "u:hi")}}
	cli := &memory{agent: "cursor-cli", sessions: []memorySession{session("s1", day(4), "transcript", "u:hi"), session("S1", day(3), "store", "u:hi")}}
	cli.sessions[0].header.Title, cli.sessions[0].header.WorkspacePath, cli.sessions[0].header.WorkspaceName = "Greeting", "/home/ada/tidepool", "tidepool"
	ide.sessions[0].header.Model = "gpt-5"
	other := &memory{agent: "codex", sessions: []memorySession{session("s1", day(2), "rollout", "u:hi")}}
	listing, err := open(t, cli, ide, other).List(t.Context(), retold.Filter{}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range listing.Data {
		got = append(got, fmt.Sprint(s.ID, " ", s.Agent, " ", s.Sources, " ", s.Title, " ", s.WorkspaceName, " ", s.Model, " ", s.UpdatedAt.Day()))
	}
	want := []string{"s1 cursor [composer transcript] Greeting tidepool gpt-5 4", "S1 cursor-cli [store] hi   3", "s1 codex [rollout] hi   2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A session of 77,000 messages in two stores is merged in one pass.
func TestMergeOfALongSession(t *testing.T) {
	var long []string
	for i := range 77_000 {
		long = append(long, []string{"u:continue", "a:Done, moving on to the next step of the plan.", "t:"}[i%3])
	}
	ide := &memory{agent: "cursor", sessions: []memorySession{session("s1", day(1), "composer", long...)}}
	cli := &memory{agent: "cursor-cli", sessions: []memorySession{session("s1", day(1), "transcript", append(long, "u:the end")...)}}
	start := time.Now()
	d, err := open(t, ide, cli).Show(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if n := len(d.Messages); n != 77_001 || !d.Messages[n-1].Recovered {
		t.Errorf("got %d messages, want 77001 with the last one recovered", n)
	}
}

func TestAStoreThatCannotBeRead(t *testing.T) {
	broken := session("s1", day(1), "composer", "u:hi")
	broken.err = fmt.Errorf("rows are gone")
	ide := &memory{agent: "cursor", sessions: []memorySession{broken}}
	cli := &memory{agent: "cursor-cli", sessions: []memorySession{session("s1", day(1), "transcript", "u:hi", "a:hello")}}
	d, err := open(t, ide, cli).Show(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"u:hi", "a:hello"}, told(d.Messages)); diff != "" {
		t.Error(diff)
	}
	if d.Problems != 1 || len(d.ProblemList) != 1 {
		t.Errorf("problems are %v, want the store that could not be read", d.ProblemList)
	}
}
