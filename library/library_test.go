package library_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/library"
)

// memory is a source whose history is in the test. It counts how often
// messages are read.
type memory struct {
	agent    string
	sessions []memorySession
	broken   []error // yielded among the headers
	places   error

	mu    sync.Mutex
	reads map[string]int
}

type memorySession struct {
	header   retold.Header
	messages []retold.Message
	err      error
}

func (s *memory) Agent() string { return s.agent }

func (s *memory) Places(context.Context) ([]retold.Place, error) {
	return []retold.Place{{Agent: s.agent, Path: "/home/ada/" + s.agent, Used: s.sessions != nil || s.broken != nil}}, s.places
}

func (s *memory) Headers(ctx context.Context, p retold.Place) iter.Seq2[retold.Header, error] {
	return func(yield func(retold.Header, error) bool) {
		for _, err := range s.broken {
			if !yield(retold.Header{}, err) {
				return
			}
		}
		for _, m := range s.sessions {
			if ctx.Err() != nil {
				yield(retold.Header{}, ctx.Err())
				return
			}
			h := m.header
			h.Stamp = fmt.Sprint(len(m.messages), m.messages)
			h.Agent, h.Ref, h.MessageCount = s.agent, retold.Ref{Agent: s.agent, Place: p.Path, ID: h.ID}, -1
			if !yield(h, nil) {
				return
			}
		}
	}
}

func (s *memory) Session(ctx context.Context, ref retold.Ref) (*retold.SessionDetail, error) {
	s.mu.Lock()
	if s.reads == nil {
		s.reads = map[string]int{}
	}
	s.reads[ref.ID]++
	s.mu.Unlock()
	i := slices.IndexFunc(s.sessions, func(m memorySession) bool { return m.header.ID == ref.ID })
	if i < 0 {
		return nil, retold.ErrSessionNotFound
	}
	m := s.sessions[i]
	if m.err != nil {
		return nil, m.err
	}
	d := &retold.SessionDetail{Session: m.header.Session, Messages: slices.Clone(m.messages)}
	d.Agent, d.MessageCount = s.agent, len(m.messages)
	for i := range d.Messages {
		d.Messages[i].Index = i
		if d.Messages[i].ID == "" {
			d.Messages[i].ID = fmt.Sprintf("m%d", i)
		}
	}
	return d, ctx.Err()
}

func (s *memory) Complete(_ context.Context, h *retold.Header) error {
	for _, m := range s.sessions {
		if m.header.ID == h.ID {
			if m.err != nil {
				return m.err
			}
			h.MessageCount = len(m.messages)
			for _, msg := range m.messages {
				if msg.Role == retold.RoleUser && h.FirstMessagePreview == "" {
					h.FirstMessagePreview = retold.Preview(msg.Content)
				}
			}
			if h.Title == "" {
				h.Title = h.FirstMessagePreview
			}
		}
	}
	return nil
}

func day(n int) time.Time { return time.Date(2026, 3, n, 12, 0, 0, 0, time.UTC) }

// session is a session of which everything is known that a listing needs.
func session(id string, at time.Time, source string, texts ...string) memorySession {
	m := memorySession{header: retold.Header{Session: retold.Session{ID: id, Sources: []string{source}, UpdatedAt: at}, Empty: len(texts) == 0}}
	m.messages = conversation(texts...)
	return m
}

// conversation makes messages of "u:text", "a:text", "t:callID".
func conversation(texts ...string) []retold.Message {
	var out []retold.Message
	for _, text := range texts {
		role, text, _ := strings.Cut(text, ":")
		m := retold.Message{Role: map[string]retold.Role{"u": retold.RoleUser, "a": retold.RoleAssistant, "t": retold.RoleTool, "k": retold.RoleThinking, "e": retold.RoleError}[role], Content: text}
		if m.Role == retold.RoleTool {
			m.Tool = &retold.ToolCall{Name: "read_file", Kind: retold.ToolRead, CallID: text}
		}
		out = append(out, m)
	}
	return out
}

func open(t *testing.T, sources ...retold.Source) *library.Library {
	t.Helper()
	l, err := openAll(t.Context(), t.TempDir(), sources)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// openAll opens a library in home that reads sources.
func openAll(ctx context.Context, home string, sources []retold.Source) (*library.Library, error) {
	return library.Open(ctx, library.Options{Env: paths.Env{GOOS: "linux", Home: "/home/ada"}, Home: home, Sources: sources})
}

func ids(list []retold.Session) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, fmt.Sprintf("%d %s", s.Index, s.ID))
	}
	return out
}

func TestListingOrderAndIndexes(t *testing.T) {
	src := &memory{agent: "cursor", sessions: []memorySession{
		session("old", day(1), "composer", "u:hi"),
		session("undated", time.Time{}, "composer", "u:hi"),
		session("draft", day(9), "composer"),
		session("tie-b", day(3), "composer", "u:hi"),
		session("tie-a", day(3), "composer", "u:hi"),
		session("new", day(5), "composer", "u:hi"),
	}}
	src.sessions[5].header.Title = "the newest"
	l := open(t, src)
	for name, c := range map[string]struct {
		filter        retold.Filter
		limit, offset int
		want          []string
		page          retold.Pagination
	}{
		"all":    {retold.Filter{}, 0, 0, []string{"1 new", "2 tie-a", "3 tie-b", "4 old", "5 undated"}, retold.Pagination{Total: 5, Limit: 20}},
		"empty":  {retold.Filter{Empty: true}, -1, 0, []string{"1 new", "2 tie-a", "3 tie-b", "4 old", "5 undated", "6 draft"}, retold.Pagination{Total: 6, Limit: 6}},
		"page":   {retold.Filter{}, 2, 1, []string{"2 tie-a", "3 tie-b"}, retold.Pagination{Total: 5, Limit: 2, Offset: 1, HasMore: true}},
		"beyond": {retold.Filter{}, 2, 9, []string{}, retold.Pagination{Total: 5, Limit: 2, Offset: 5}},
		"since":  {retold.Filter{Since: day(3)}, 0, 0, []string{"1 new", "2 tie-a", "3 tie-b"}, retold.Pagination{Total: 3, Limit: 20}},
		"title":  {retold.Filter{Titles: []string{"hi"}}, 0, 0, []string{"2 tie-a", "3 tie-b", "4 old", "5 undated"}, retold.Pagination{Total: 4, Limit: 20}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := l.List(t.Context(), c.filter, c.limit, c.offset)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, ids(got.Data)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.page, got.Pagination); diff != "" {
				t.Error(diff)
			}
		})
	}
	for id, n := range src.reads {
		if n > 1 {
			t.Errorf("the messages of %s were read %d times", id, n)
		}
	}
}

func TestMessageFilters(t *testing.T) {
	failed := session("failed", day(2), "composer", "u:go", "e:boom")
	edited := session("edited", day(1), "composer", "u:go", "t:c1")
	edited.messages[1].Tool.Kind = retold.ToolEdit
	edited.messages[1].Tool.Files = []string{"/home/ada/parser.go"}
	l := open(t, &memory{agent: "cursor", sessions: []memorySession{failed, edited}})
	for name, c := range map[string]struct {
		filter retold.Filter
		want   []string
	}{
		"error":       {retold.Filter{HasError: true}, []string{"1 failed"}},
		"edit":        {retold.Filter{HasEdit: true}, []string{"2 edited"}},
		"both":        {retold.Filter{HasEdit: true, HasError: true}, []string{}},
		"file":        {retold.Filter{Files: []string{"PARSER"}}, []string{"2 edited"}},
		"file + role": {retold.Filter{Files: []string{"parser"}, Roles: []retold.Role{retold.RoleUser}}, []string{}},
		"role":        {retold.Filter{Roles: []retold.Role{retold.RoleError}}, []string{"1 failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := l.List(t.Context(), c.filter, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, ids(got.Data)); diff != "" {
				t.Error(diff)
			}
			each := []string{}
			for d, err := range l.Each(t.Context(), c.filter) {
				if err != nil {
					t.Fatal(err)
				}
				each = append(each, fmt.Sprintf("%d %s", d.Index, d.ID))
			}
			if diff := cmp.Diff(c.want, each); diff != "" {
				t.Errorf("Each differs from List: %s", diff)
			}
		})
	}
}

func TestOneBadRecordHidesNoOther(t *testing.T) {
	bad := session("bad", day(2), "composer", "u:x")
	bad.err = errors.New("rows are gone")
	l := open(t, &memory{
		agent: "cursor", broken: []error{&retold.Error{Code: retold.CodeDatabaseCorrupt, Path: "/home/ada/state.vscdb", Err: errors.New("not a database")}},
		sessions: []memorySession{bad, session("good", day(1), "composer", "u:x")},
	})
	got, err := l.List(t.Context(), retold.Filter{}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1 bad", "2 good"}, ids(got.Data)); diff != "" {
		t.Error(diff)
	}
	if got.Data[0].MessageCount >= 0 || got.Data[1].MessageCount != 1 {
		t.Errorf("counts are %d and %d, want unknown and 1", got.Data[0].MessageCount, got.Data[1].MessageCount)
	}
	want := []retold.Problem{
		{Path: "/home/ada/state.vscdb", Kind: retold.ProblemUnreadable, Reason: "not a database"},
	}
	if diff := cmp.Diff(want, got.Problems); diff != "" {
		t.Error(diff)
	}
	if got.Data[0].Problems != 1 || got.Data[1].Problems != 0 {
		t.Errorf("%d and %d problems, want 1 and none", got.Data[0].Problems, got.Data[1].Problems)
	}
	if _, err := l.Show(t.Context(), "bad"); err == nil || !strings.Contains(err.Error(), "rows are gone") {
		t.Errorf("showing the bad one: %v", err)
	}
}

func TestNothingAndNothingReadable(t *testing.T) {
	_, err := open(t, &memory{agent: "cursor"}).List(t.Context(), retold.Filter{}, 0, 0)
	if !errors.Is(err, library.ErrNothing) || retold.CodeOf(err) != retold.CodeDatabaseNotFound {
		t.Errorf("with no place used: %v", err)
	}
	locked := &retold.Error{Code: retold.CodeDatabaseLocked, Path: "/home/ada/state.vscdb"}
	_, err = open(t, &memory{agent: "cursor", broken: []error{locked}}).List(t.Context(), retold.Filter{}, 0, 0)
	if !errors.Is(err, retold.ErrDatabaseLocked) {
		t.Errorf("with one locked file and no session: %v", err)
	}
	_, err = library.Open(t.Context(), library.Options{Sources: []retold.Source{&memory{agent: "cursor", places: retold.ErrDatabaseNotFound}}})
	if !errors.Is(err, retold.ErrDatabaseNotFound) {
		t.Errorf("with a named folder that is not there: %v", err)
	}
}

func TestInterrupted(t *testing.T) {
	l := open(t, &memory{agent: "cursor", sessions: []memorySession{session("a", day(1), "composer", "u:x")}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.List(ctx, retold.Filter{}, 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("List: %v", err)
	}
	if _, err := l.List(t.Context(), retold.Filter{}, 0, 0); err != nil {
		t.Errorf("List after an interrupted one: %v", err)
	}
	for _, err := range l.Each(ctx, retold.Filter{}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Each: %v", err)
		}
	}
}
