package index_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/index"
)

var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A library is a made-up one: messages and titles by doc, spread over segments.
type library struct {
	messages map[uint32]*retold.Message
	sessions map[uint32]uint32
	titles   map[uint32]bool
	dead     map[uint32]bool
	segs     []*index.Reader
}

func newLibrary() *library {
	return &library{messages: map[uint32]*retold.Message{}, sessions: map[uint32]uint32{}, titles: map[uint32]bool{}, dead: map[uint32]bool{}}
}

func (l *library) add(b *index.Builder, doc, session uint32, m *retold.Message) {
	l.messages[doc], l.sessions[doc] = m, session
	b.Add(doc, session, m)
}

func (l *library) title(b *index.Builder, doc, session uint32, title string, when time.Time) {
	l.messages[doc], l.sessions[doc], l.titles[doc] = &retold.Message{Content: title, Timestamp: when}, session, true
	b.AddTitle(doc, session, title, when)
}

func open(t rapid.TB, seg *index.Segment) *index.Reader {
	t.Helper()
	r, err := index.Open(seg.Info, func(n int) ([]byte, error) { return seg.Rows[n], nil })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (l *library) isDead(_ int, doc uint32) bool { return l.dead[doc] }

// merge merges segments and drops the dead.
func (l *library) merge(t rapid.TB, from, to int) {
	t.Helper()
	seg := &index.Segment{}
	info, err := index.Merge(context.Background(), l.segs[from:to], l.isDead, func(n int, row []byte, _ bool) error {
		if n != len(seg.Rows) {
			return fmt.Errorf("row %d after %d", n, len(seg.Rows))
		}
		seg.Rows = append(seg.Rows, slices.Clone(row))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	seg.Info = info
	l.segs = slices.Replace(l.segs, from, to, open(t, seg))
}

func (l *library) env() index.Env {
	env := index.Env{
		Now: epoch, Workers: 2,
		Sessions: func(f retold.Filter) (func(uint32) bool, error) {
			return func(s uint32) bool { return f.MatchHeader(header(s)) }, nil
		},
		Messages: func(ctx context.Context, docs []uint32, visit func(int, *retold.Message) error) error {
			for i, d := range docs {
				if err := visit(i, l.messages[d]); err != nil {
					return err
				}
			}
			return ctx.Err()
		},
	}
	if len(l.dead) > 0 {
		env.Dead = l.isDead
	}
	return env
}

// header makes up a session: its number decides what it is.
func header(n uint32) retold.Header {
	h := retold.Header{Session: retold.Session{ID: fmt.Sprint(n), Agent: "cursor", Title: fmt.Sprint("session ", n)}}
	if n%3 == 0 {
		h.Agent = "cursor-cli"
	}
	if n%5 != 0 {
		h.CreatedAt = epoch.AddDate(0, 0, -int(n))
		h.UpdatedAt = h.CreatedAt.AddDate(0, 0, 2)
	}
	return h
}

// fits decides a filter for a doc as the package's documentation says.
func (l *library) fits(doc uint32, f retold.Filter) bool {
	m, session := l.messages[doc], l.sessions[doc]
	if len(f.Roles)+len(f.Tools)+len(f.Files) > 0 && (l.titles[doc] || !f.MatchMessage(m)) {
		return false
	}
	var all []retold.Message
	for d, s := range l.sessions {
		if s == session && !l.dead[d] && !l.titles[d] {
			all = append(all, *l.messages[d])
		}
	}
	if !(retold.Filter{HasError: f.HasError, HasEdit: f.HasEdit}).MatchMessages(all) {
		return false
	}
	f.Roles, f.Tools, f.Files, f.HasError, f.HasEdit = nil, nil, nil, false, false
	if when := m.Timestamp; !when.IsZero() {
		if !f.Since.IsZero() && when.Before(f.Since) || !f.Until.IsZero() && !when.Before(f.Until) {
			return false
		}
		f.Since, f.Until = time.Time{}, time.Time{}
	}
	return f.MatchHeader(header(session))
}

// find answers a query the slow way.
func (l *library) find(t rapid.TB, q retold.Query) []uint32 {
	t.Helper()
	m, err := index.NewMatcher(q.Match)
	if err != nil {
		t.Fatal(err)
	}
	var out []uint32
	for _, doc := range slices.Sorted(maps.Keys(l.messages)) {
		where := func(f retold.Filter) bool { return l.fits(doc, f) }
		if !l.dead[doc] && where(q.Filter) && m.Match(index.Texts(l.messages[doc]), where) {
			out = append(out, doc)
		}
	}
	return out
}

// all returns every doc that a search visits, sorted.
func all(r *index.Result) []uint32 {
	out := []uint32{}
	r.Each(func(doc, _ uint32, _ retold.Role, _ string, _ time.Time) bool {
		out = append(out, doc)
		return true
	})
	slices.Sort(out)
	return out
}

func docs(hits []index.Hit) []uint32 {
	out := []uint32{}
	for _, h := range hits {
		out = append(out, h.Doc)
	}
	return out
}

// What random texts are made of: words that hold each other, code, several
// scripts in both ways of writing their letters, odd bytes.
var pieces = []string{
	"a", "ab", "fo", "foo", "Foo", "foobar", "foo_bar", "xfoo", "_", "__x", "42", "4", "json.Unmarshal(", "useEffect", "fect", "err != nil", "->",
	" ", " ", " ", " ", "\n", "\t ", "\u00a0", ".", "(", "\"", "\\", "é", "e\u0301", "É", "Ёлка", "елка", "йод", "и\u0306", "и", "їжак", "і\u0308", "ОШИБКА", "шиб",
	"数", "据", "数据", "数据库", "库", "错误", "カ", "ガ", "ｶﾞ", "カ\u3099", "ー", "한국", "\u1112\u1161\u11ab", "국", "ﬁle", "file", "Ａｂ", "²", "x\u0308", "\u0301", "ß", "ς", "Σ",
	"😀", "\xff", "\u0000", "K", "ſ", "İ", "ı",
}

func genText(most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		piece := rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringOfN(rapid.RuneFrom([]rune("abAB_1")), 1, 9, -1))
		return strings.Join(rapid.SliceOfN(piece, 0, most).Draw(t, "text"), "")
	})
}

func genMessage() *rapid.Generator[*retold.Message] {
	return rapid.Custom(func(t *rapid.T) *retold.Message {
		m := &retold.Message{Content: genText(8).Draw(t, "content"), Role: rapid.SampledFrom(retold.Roles).Draw(t, "role")}
		if rapid.Bool().Draw(t, "dated") {
			m.Timestamp = epoch.Add(-time.Duration(rapid.IntRange(0, 40).Draw(t, "age")) * 6 * time.Hour)
		}
		m.Orphan = rapid.Bool().Draw(t, "orphan")
		if m.Role != retold.RoleTool {
			return m
		}
		params, _ := json.Marshal(map[string]any{"foo_bar": genText(3).Draw(t, "param"), "n": []any{4.5, true, nil, genText(2).Draw(t, "inner")}})
		result, _ := json.Marshal(genText(5).Draw(t, "result"))
		m.Tool = &retold.ToolCall{
			Name: rapid.SampledFrom([]string{"read_file", "edit_file", "Shell", ""}).Draw(t, "tool"), Params: params, Result: result,
			Kind:   rapid.SampledFrom([]retold.ToolKind{retold.ToolRead, retold.ToolEdit, retold.ToolShell}).Draw(t, "kind"),
			Status: rapid.SampledFrom([]retold.ToolStatus{retold.StatusCompleted, retold.StatusFailed}).Draw(t, "status"),
			Files:  rapid.SliceOfN(rapid.SampledFrom([]string{"/home/ada/Foo.go", "src/数据.ts", "a\\b.txt"}), 0, 2).Draw(t, "files"),
		}
		return m
	})
}

func genFilter() *rapid.Generator[retold.Filter] {
	return rapid.Custom(func(t *rapid.T) (f retold.Filter) {
		switch rapid.IntRange(0, 9).Draw(t, "field") {
		case 0:
			f.Roles = rapid.SliceOfN(rapid.SampledFrom(retold.Roles), 1, 2).Draw(t, "roles")
		case 1:
			f.Tools = []string{rapid.SampledFrom([]string{"file", "SHELL", "edit", "nosuch", ""}).Draw(t, "tool")}
		case 2:
			f.Files = []string{rapid.SampledFrom([]string{"foo.GO", "数", "b.t", "ada", "nosuch"}).Draw(t, "file")}
		case 3:
			f.HasError = true
		case 4:
			f.HasEdit = true
		case 5:
			f.Since = epoch.AddDate(0, 0, -rapid.IntRange(0, 12).Draw(t, "since"))
		case 6:
			f.Until = epoch.AddDate(0, 0, -rapid.IntRange(0, 12).Draw(t, "until"))
		case 7:
			f.Agents = []string{rapid.SampledFrom([]string{"cursor", "cursor-cli"}).Draw(t, "agent")}
		}
		return f
	})
}

func genTerm() *rapid.Generator[*retold.Term] {
	return rapid.Custom(func(t *rapid.T) *retold.Term {
		kind := retold.TermKind(rapid.IntRange(0, 3).Draw(t, "kind"))
		if kind == retold.TermRegexp {
			return &retold.Term{Kind: kind, Text: rapid.SampledFrom([]string{
				`fo+`, `foo|数据`, `^foo`, `bar$`, `(foo).*(err|json)`, `[0-9]+`, `json\.unm`, `\bиод|ёлка`, `é`, `k`, `s`, `σ`, `и`, `한`, `국`, `カ`, `f(e)?ct`, `据库`, `.`, `x{0}`, `(?-i)Foo`,
			}).Draw(t, "regexp")}
		}
		text := genText(3).Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).Draw(t, "term")
		if kind != retold.TermPhrase {
			text = strings.Join(strings.Fields(text), "")
		}
		return &retold.Term{Kind: kind, Text: text}
	})
}

func genExpr(depth int) *rapid.Generator[retold.Expr] {
	return rapid.Custom(func(t *rapid.T) retold.Expr {
		kids := func(label string) []retold.Expr {
			return rapid.SliceOfN(genExpr(depth-1), 1, 3).Draw(t, label)
		}
		n := 4
		if depth > 0 {
			n = 9
		}
		switch rapid.IntRange(0, n).Draw(t, "op") {
		case 4:
			return retold.Where{Filter: genFilter().Draw(t, "where")}
		case 5, 6:
			return retold.And(kids("and"))
		case 7:
			return retold.Or(kids("or"))
		case 8, 9:
			return retold.Not{Expr: genExpr(depth-1).Draw(t, "not")}
		}
		return genTerm().Draw(t, "term")
	})
}

func genQuery() *rapid.Generator[retold.Query] {
	return rapid.Custom(func(t *rapid.T) retold.Query {
		q := retold.Query{Filter: genFilter().Draw(t, "filter")}
		if rapid.IntRange(0, 9).Draw(t, "match") > 0 {
			q.Match = genExpr(2).Draw(t, "expr")
		}
		return q
	})
}

// genLibrary spreads docs over segments in interleaving ranges and kills some.
func genLibrary() *rapid.Generator[*library] {
	return rapid.Custom(func(t *rapid.T) *library {
		l := newLibrary()
		builders := make([]*index.Builder, rapid.IntRange(1, 3).Draw(t, "segments"))
		for i := range builders {
			builders[i] = index.NewBuilder()
		}
		doc := uint32(0)
		for range rapid.IntRange(0, 25).Draw(t, "docs") {
			doc += uint32(rapid.IntRange(1, 3).Draw(t, "gap"))
			b := rapid.SampledFrom(builders).Draw(t, "segment")
			session := uint32(rapid.IntRange(1, 6).Draw(t, "session"))
			if rapid.IntRange(0, 7).Draw(t, "title") == 0 {
				l.title(b, doc, session, genText(5).Draw(t, "title"), header(session).UpdatedAt)
			} else {
				l.add(b, doc, session, genMessage().Draw(t, "message"))
			}
			if rapid.IntRange(0, 9).Draw(t, "dies") == 0 {
				l.dead[doc] = true
			}
		}
		for _, b := range builders {
			l.segs = append(l.segs, open(t, b.Build()))
		}
		return l
	})
}

func search(t testing.TB, l *library, q retold.Query, limit, offset int) *index.Result {
	t.Helper()
	r, err := index.Search(t.Context(), l.segs, q, l.env(), limit, offset)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func contextOf(t testing.TB) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(t.Context())
}
