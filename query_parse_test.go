package retold_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
)

// queryNow is the time at which queries are asked here: Tuesday noon.
var queryNow = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// The query's parts, short.
func word(s string) retold.Expr   { return &retold.Term{Text: s} }
func prefix(s string) retold.Expr { return &retold.Term{Text: s, Kind: retold.TermPrefix} }
func phrase(s string) retold.Expr { return &retold.Term{Text: s, Kind: retold.TermPhrase} }
func expr(s string) retold.Expr   { return &retold.Term{Text: s, Kind: retold.TermRegexp} }
func not(e retold.Expr) retold.Expr {
	return retold.Not{Expr: e}
}

func role(roles ...retold.Role) retold.Expr {
	return retold.Where{Filter: retold.Filter{Roles: roles}}
}

func words(list ...string) retold.Expr {
	var out retold.And
	for _, w := range list {
		out = append(out, word(w))
	}
	return out
}

func TestParseQuery(t *testing.T) {
	type and = retold.And
	type or = retold.Or
	for in, want := range map[string]retold.Expr{
		"":                      nil,
		" \t\n ":                nil,
		"deadlock":              word("deadlock"),
		"go  test\n-race":       and{word("go"), word("test"), not(word("race"))},
		`"null pointer"`:        phrase("null pointer"),
		`"say ""hi"" now"`:      phrase(`say "hi" now`),
		`" padded "`:            phrase("padded"),
		`"C:\dir\"`:             phrase(`C:\dir\`),
		"useEff*":               prefix("useEff"),
		"潮*":                    prefix("潮"),
		`/fo+\d/`:               expr(`fo+\d`),
		`/a b/ c`:               and{expr("a b"), word("c")},
		`/a\/b\\/`:              expr(`a/b\\`),
		"a OR b":                or{word("a"), word("b")},
		"a | b | c":             or{word("a"), word("b"), word("c")},
		"a OR b c":              and{or{word("a"), word("b")}, word("c")},
		"c a OR b":              and{word("c"), or{word("a"), word("b")}},
		"(a c) OR b":            or{and{word("a"), word("c")}, word("b")},
		"a OR (b OR c)":         or{word("a"), word("b"), word("c")},
		"a (b c)":               words("a", "b", "c"),
		"a or b":                words("a", "or", "b"),
		"(a OR b) OR(c d)":      or{word("a"), word("b"), words("c", "d")},
		"-a -b":                 and{not(word("a")), not(word("b"))},
		`-"a b"`:                not(phrase("a b")),
		"-(a b)":                not(words("a", "b")),
		"-(a OR b)":             not(or{word("a"), word("b")}),
		"-/a+/":                 not(expr("a+")),
		"-a*":                   not(prefix("a")),
		"-(-a)":                 not(not(word("a"))),
		`-\->`:                  not(word("->")),
		"-/usr x)":              and{not(word("/usr")), word("x)")},
		"-é":                    not(word("é")),
		"role:user OR x":        or{role("user"), word("x")},
		"-role:user":            not(role("user")),
		"-(role:user,tool x)":   not(and{role("user", "tool"), word("x")}),
		"(role:user OR file:a)": or{role("user"), retold.Where{Filter: retold.Filter{Files: []string{"a"}}}},
		// Code, paths and prose as they are pasted.
		"foo_bar(":              word("foo_bar("),
		"(foo_bar( OR baz)":     or{word("foo_bar("), word("baz")},
		"if (x)":                words("if", "x"),
		"if (x":                 words("if", "x"),
		"main()":                word("main()"),
		"func () error":         words("func", "()", "error"),
		"f(a(b) c":              words("f(a(b)", "c"),
		"x) y":                  words("x)", "y"),
		") (":                   words(")", "("),
		"a->b":                  word("a->b"),
		"-> x":                  words("->", "x"),
		"!=":                    word("!="),
		"a - b":                 words("a", "-", "b"),
		"json.Unmar":            word("json.Unmar"),
		`C:\dir`:                word(`C:\dir`),
		`\dir`:                  word(`\dir`),
		"--flag":                word("--flag"),
		"-5":                    word("-5"),
		"-1.5e3 -.5":            words("-1.5e3", "-.5"),
		"std::vector":           word("std::vector"),
		"http://a.example/b?c":  word("http://a.example/b?c"),
		"file:///home/ada/x.go": word("file:///home/ada/x.go"),
		"role::User":            word("role::User"),
		"foo:bar":               word("foo:bar"),
		"Role:user":             word("Role:user"),
		"role:":                 word("role:"),
		"title: x":              words("title:", "x"),
		"role:,":                word("role:,"),
		`title:""`:              word(`title:""`),
		"/usr/local/bin":        word("/usr/local/bin"),
		"/usr/bin /tmp":         words("/usr/bin", "/tmp"),
		"// note":               words("//", "note"),
		"/* note */":            words("/*", "note", "*/"),
		"a / b / c":             words("a", "/", "b", "/", "c"),
		"char **p":              words("char", "**p"),
		"**bold**":              word("**bold**"),
		"a|b a||b":              words("a|b", "a||b"),
		"it's":                  word("it's"),
		`say("hi there")`:       words(`say("hi`, `there")`),
		"a\xff\x00b":            word("a\xff\x00b"),
		// What asks nothing, and what is not finished yet.
		`""`:         nil,
		`-""`:        nil,
		`" "`:        nil,
		"*":          nil,
		"OR":         nil,
		"(OR)":       nil,
		"a OR":       word("a"),
		"OR a":       word("a"),
		"a OR OR b":  or{word("a"), word("b")},
		`"go te`:     phrase("go te"),
		`"`:          nil,
		"(a OR b":    or{word("a"), word("b")},
		"-(a":        not(word("a")),
		"(((":        word("("),
		"-":          word("-"),
		"/":          word("/"),
		"/a":         word("/a"),
		"(":          word("("),
		"-OR":        not(word("OR")),
		`\-x`:        word("-x"),
		`\(x y`:      words("(x", "y"),
		`\/usr/`:     word("/usr/"),
		`\"a b"`:     words(`"a`, `b"`),
		`\*`:         word("*"),
		`\\srv\x`:    word(`\srv\x`),
		`\`:          word(`\`),
		`(a \) b) c`: words("a", ")", "b", "c"),
	} {
		t.Run(in, func(t *testing.T) {
			got, err := retold.ParseQuery(in, queryNow)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(retold.Query{Match: want}, got); diff != "" {
				t.Errorf("ParseQuery(%q): %s", in, diff)
			}
			roundTrip(t, in)
		})
	}
}

func TestParseQueryFields(t *testing.T) {
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for in, want := range map[string]retold.Query{
		"agent:cursor x": {Filter: retold.Filter{Agents: []string{"cursor"}}, Match: word("x")},
		"x role:user,assistant y": {
			Filter: retold.Filter{Roles: []retold.Role{"user", "assistant"}}, Match: words("x", "y"),
		},
		"role:User role:tool":              {Filter: retold.Filter{Roles: []retold.Role{"user", "tool"}}},
		"(role:user x)":                    {Filter: retold.Filter{Roles: []retold.Role{"user"}}, Match: word("x")},
		`title:"tide pool, fixed",x`:       {Filter: retold.Filter{Titles: []string{"tide pool, fixed", "x"}}},
		`workspace:/home/ada/a,"/srv/b c"`: {Filter: retold.Filter{Workspaces: []string{"/home/ada/a", "/srv/b c"}}},
		`workspace:C:\Users\lin`:           {Filter: retold.Filter{Workspaces: []string{`C:\Users\lin`}}},
		"tool:shell file:a.go,b.go has:edit": {
			Filter: retold.Filter{Tools: []string{"shell"}, Files: []string{"a.go", "b.go"}, HasEdit: true},
		},
		"has:error,edit":              {Filter: retold.Filter{HasError: true, HasEdit: true}},
		"model:opus branch:feat/*":    {Filter: retold.Filter{Models: []string{"opus"}, Branches: []string{"feat/*"}}},
		"since:2026-03-01":            {Filter: retold.Filter{Since: day}},
		"until:2026-03-01 since:7d":   {Filter: retold.Filter{Since: queryNow.AddDate(0, 0, -7), Until: day.AddDate(0, 0, 1)}},
		"since:7d since:2026-03-09":   {Filter: retold.Filter{Since: time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)}},
		`since:"2026-03-01 10:00"`:    {Filter: retold.Filter{Since: day.Add(10 * time.Hour)}},
		"file:f(a) x":                 {Filter: retold.Filter{Files: []string{"f(a)"}}, Match: word("x")},
		"(file:f(a) OR x) role:tool":  {Filter: retold.Filter{Roles: []retold.Role{"tool"}}, Match: retold.Or{retold.Where{Filter: retold.Filter{Files: []string{"f(a)"}}}, word("x")}},
		"panic OR crash agent:cursor": {Filter: retold.Filter{Agents: []string{"cursor"}}, Match: retold.Or{word("panic"), word("crash")}},
		"(role:user has:edit) OR x":   {Match: retold.Or{retold.Where{Filter: retold.Filter{Roles: []retold.Role{"user"}, HasEdit: true}}, word("x")}},
		"until:9999-12-31 since:0000": {Filter: retold.Filter{Since: time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), Until: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)}},
		`file:"unfinished na`:         {Filter: retold.Filter{Files: []string{"unfinished na"}}},
		`file:"a"b`:                   {Filter: retold.Filter{Files: []string{"a"}}, Match: word("b")},
		"-since:2026-03-01":           {Match: not(retold.Where{Filter: retold.Filter{Since: day}})},
		"tool:a,,b":                   {Filter: retold.Filter{Tools: []string{"a", "b"}}},
	} {
		t.Run(in, func(t *testing.T) {
			got, err := retold.ParseQuery(in, queryNow)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("ParseQuery(%q): %s", in, diff)
			}
			roundTrip(t, in)
		})
	}
}

// Days in a query are those of the zone in which it is asked.
func TestParseQueryZone(t *testing.T) {
	zone := time.FixedZone("somewhere", -5*3600)
	q, err := retold.ParseQuery("since:yesterday", time.Date(2026, 3, 10, 1, 0, 0, 0, zone))
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2026, 3, 9, 5, 0, 0, 0, time.UTC); !q.Filter.Since.Equal(want) {
		t.Errorf("since is %v, want %v", q.Filter.Since, want)
	}
}

func TestParseQueryErrors(t *testing.T) {
	for in, want := range map[string]struct {
		at           int
		reason, hint string
	}{
		"a /b(/":               {2, "missing closing ) in \"b(\"", "quotes"},
		"x role:narrator":      {7, `no role "narrator"`, "choose system, user, thinking, assistant, tool or error"},
		"role:user,narrator":   {10, `no role "narrator"`, "quotes"},
		"-(a has:fun)":         {8, `does not know "fun"`, "choose error or edit"},
		"é since:tomorrow":     {9, `"tomorrow" is not a time`, "yesterday"},
		`until:"a b" c`:        {6, `"a b" is not a time`, "2026-03-01"},
		"/a{2,1}/":             {0, "invalid repeat count", "RE2"},
		"/\xff/":               {0, "invalid UTF-8", "RE2"},
		"x since:2026-03-01,a": {8, "is not a time", "7d"},
	} {
		_, err := retold.ParseQuery(in, queryNow)
		e, ok := errors.AsType[*retold.Error](err)
		q, isQuery := errors.AsType[*retold.QueryError](err)
		if !ok || !isQuery || e.Code != retold.CodeUsage {
			t.Errorf("ParseQuery(%q): %#v", in, err)
			continue
		}
		if q.Offset != want.at || q.Query != in || !strings.Contains(q.Reason, want.reason) || !strings.Contains(e.Hint, want.hint) {
			t.Errorf("ParseQuery(%q): %+v, hint %q; want %+v", in, q, e.Hint, want)
		}
	}
}

// However a query is built, reading it takes neither much stack nor much time.
func TestParseQueryDepth(t *testing.T) {
	const n = 50_000
	for name, in := range map[string]string{
		"open":         strings.Repeat("(", n),
		"nested":       strings.Repeat("(", n) + "x" + strings.Repeat(")", n),
		"apart":        strings.Repeat("( ", n) + "x",
		"negated":      strings.Repeat("-(", n) + "x" + strings.Repeat(")", n),
		"quotes":       strings.Repeat(`"a`, n),
		"slashes":      strings.Repeat("/a ", n) + "b",
		"or":           "x" + strings.Repeat(" OR x", n),
		"fields":       "role:" + strings.Repeat("user,", n),
		"apart fields": strings.Repeat("role:user ", n),
		"one word":     strings.Repeat("x", 10*n),
	} {
		t.Run(name, func(t *testing.T) { roundTrip(t, in) })
	}
}

// roundTrip checks that a query, printed and read again, is the same.
func roundTrip(t *testing.T, in string) {
	t.Helper()
	q, err := retold.ParseQuery(in, queryNow)
	if err != nil {
		t.Fatal(err)
	}
	printed := q.String()
	again, err := retold.ParseQuery(printed, queryNow)
	if err != nil {
		t.Fatalf("%q is printed as %q, which is: %v", in, printed, err)
	}
	if diff := cmp.Diff(q, again); diff != "" {
		t.Fatalf("%.500q is printed as %.500q: %.2000s", in, printed, diff)
	}
}

// Whatever is typed is a query or a mistake that can be pointed at, and what is
// printed of it is the same query.
func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{
		`go "test race" -flaky (a OR b*) /x+y/ role:user,tool since:7d`, `-(a -"b c") | d`, `title:"a, b" file:x\y OR -has:edit`,
		`\(x \-y \*`, `foo_bar( baz)`, `(a foo( ) b`, `"a""b`, `/a\/b/ /usr/ -/x/`, `until:9999-12-31 since:0000-01-01T00:00+14:00`,
		"x) (y OR z)", "()", "a OR (b (c", "OR OR | x", "潮池 -潮*", "std::a http://b role::c", "-(5) -(-x) -5", `branch:"":,a`, "\xff(\x00)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		_, err := retold.ParseQuery(in, queryNow)
		if err == nil {
			roundTrip(t, in)
			return
		}
		e, ok := errors.AsType[*retold.QueryError](err)
		if !ok || retold.CodeOf(err) != retold.CodeUsage {
			t.Fatalf("%q: %#v", in, err)
		}
		if e.Offset < 0 || e.Offset > len(in) || e.Reason == "" || e.Query != in {
			t.Fatalf("%q: %+v", in, e)
		}
	})
}
