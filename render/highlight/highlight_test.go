package highlight_test

import (
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold/render/highlight"
)

// marked writes code as class‹text› pieces; white space and text without class
// stay as they are.
func marked(t *testing.T, language, code string) string {
	t.Helper()
	var b strings.Builder
	known := highlight.Each(code, language, func(class, text string) {
		if class == "" {
			b.WriteString(text)
			return
		}
		b.WriteString(class + "‹" + text + "›")
	})
	if !known {
		t.Fatalf("%s is not known", language)
	}
	return b.String()
}

func TestEach(t *testing.T) {
	for _, c := range []struct{ language, in, want string }{
		{"go", "package a // b", "kn‹package› nx‹a› c1‹// b›"},
		{"go", "func (t *T) F(x int) {", "kd‹func› p‹(›nx‹t› o‹*›nx‹T›p‹)› nf‹F›p‹(›nx‹x› kt‹int›p‹)› p‹{›"},
		{"go", "x := len(`a\nb`) + 0x1f + 1.5e-3", "nx‹x› o‹:=› nb‹len›p‹(›s‹`a\nb`›p‹)› o‹+› mh‹0x1f› o‹+› mf‹1.5e-3›"},
		{"go", "len := '\\''", "nx‹len› o‹:=› sc‹'\\''›"},
		{"python", "@cached\ndef f(self):\n    return f\"a\" # b", "nd‹@cached›\nk‹def› nf‹f›p‹(›bp‹self›p‹)›p‹:›\n    k‹return› sa‹f›s2‹\"a\"› c1‹# b›"},
		{"py", "\"\"\"a\n'b\"\"\" == None", "s2‹\"\"\"a\n'b\"\"\"› o‹==› kc‹None›"},
		{"ts", "const f = /a[/]b/g.test(x) / 2", "kr‹const› nx‹f› p‹=› sr‹/a[/]b/g›p‹.›nf‹test›p‹(›nx‹x›p‹)› o‹/› mi‹2›"},
		{"tsx", "<b>x</b> // c", "p‹<›nx‹b›p‹>›nx‹x›p‹<›o‹/›nx‹b›p‹>› c1‹// c›"},
		{"js", "`a${b}`", "sb‹`a${b}`›"},
		{"rust", "fn f<'a>(x: &'a str) { 'x' }", "kd‹fn› nf‹f›p‹<›p‹'›n‹a›p‹>›p‹(›n‹x›p‹:› o‹&›p‹'›n‹a› kt‹str›p‹)› p‹{› sc‹'x'› p‹}›"},
		{"rs", "/* a /* b */ c */ 1..2", "cm‹/* a /* b */ c */› mi‹1›o‹..›mi‹2›"},
		{"c", "#include <a.h>\nint x;", "cp‹#include <a.h>›\nkt‹int› n‹x›p‹;›"},
		{"sh", "#!/bin/sh\nif [ \"$a\" ]; then echo ${b} x#y # c", "cp‹#!/bin/sh›\nk‹if› p‹[› s2‹\"$a\"› p‹]›p‹;› k‹then› nb‹echo› nv‹${b}› n‹x›p‹#›n‹y› c1‹# c›"},
		{"sql", "SELECT a FROM t -- b", "k‹SELECT› n‹a› k‹FROM› n‹t› c1‹-- b›"},
		{"json", `{"a": [1, -2.5, true], "b" : "c"}`, `p‹{›nt‹"a"›p‹:› p‹[›mi‹1›p‹,› mf‹-2.5›p‹,› kc‹true›p‹]›p‹,› nt‹"b"› p‹:› s2‹"c"›p‹}›`},
		{"yaml", "a: 1 # b\nc:\n  - \"d\"\ne: |\n  f: g\nh: no", "nt‹a›p‹:› mi‹1› c‹# b›\nnt‹c›p‹:›\n  p‹-› s2‹\"d\"›\nnt‹e›p‹:› p‹|›\n  s‹f: g›\nnt‹h›p‹:› kc‹no›"},
		{"toml", "[a]\nb = \"c\" # d", "k‹[a]›\nna‹b› o‹=› s2‹\"c\"› c‹# d›"},
		{"html", `<p class="a">b &amp; c</p><script>var x</script>`, `p‹<›nt‹p› na‹class›o‹=›s‹"a"›p‹>›b ni‹&amp;› cp‹<›p‹/›nt‹p›p‹>›p‹<›nt‹script›p‹>›kr‹var› nx‹x›p‹<›p‹/›nt‹script›p‹>›`},
		{"css", ".a:hover { color: red; /* b */ }", "nc‹.a›p‹:›nt‹hover› p‹{› na‹color›p‹:› no‹red›p‹;› cm‹/* b */› p‹}›"},
		{"md", "# a\n- `b` **c**\n```\nd\n```", "gh‹# a›\nk‹-› sb‹`b`› gs‹**c**›\nsb‹```›\nsb‹d›\nsb‹```›"},
		{"dockerfile", "FROM a:1 AS b\nRUN c # d", "k‹FROM› n‹a›p‹:›mi‹1› k‹AS› n‹b›\nk‹RUN› n‹c› c1‹# d›"},
		{"php", "<?php\n$a = \"b\"; # c", "cp‹<?php›\nnv‹$a› p‹=› s2‹\"b\"›p‹;› c1‹# c›"},
		{"lua", "--[[ a\nb ]] local c", "cm‹--[[ a\nb ]]› kd‹local› n‹c›"},
		{"java", "@Override public class A {}", "nd‹@Override› kd‹public› kd‹class› nc‹A› p‹{›p‹}›"},
	} {
		if got := marked(t, c.language, c.in); got != c.want {
			t.Errorf("%s: %q\n got %s\nwant %s", c.language, c.in, got, c.want)
		}
	}
}

func TestUnknownLanguage(t *testing.T) {
	if highlight.Each("x", "zork", func(string, string) { t.Error("called") }) {
		t.Error("zork is known")
	}
}

// languages is one name of each scanner and table.
var languages = strings.Fields("json yaml toml html css markdown go c cpp objc java kotlin scala groovy csharp rust swift zig dart solidity proto " +
	"js ts php graphql python ruby lua perl r julia elixir sh powershell bat dockerfile makefile sql haskell ocaml clojure erlang hcl nix latex vim nginx prisma")

// Nothing is lost, added or moved, whatever the text.
func FuzzEach(f *testing.F) {
	for i, s := range []string{
		"func f() { return `a` }", "\"unclosed", "'", "/*", "/* /* */", "a /b/ c / d", "<!--", "<a b='c", "<script>x", "a: |\n  b", "```", "x = 'a' # b",
		"$", "${", "@", "#", "0x", "1e", "1e+", "'''", "\"\"\"", "--[[", "\\", "你好 'é' = \"🎉\"", "\xff\xfe", "a\x00b", "- - - a", "[", "<", "</", "&", "**", "--", "r\"a\"", "x.5", "#!", "(*", "{-", "''",
	} {
		f.Add(s, i)
	}
	f.Fuzz(func(t *testing.T, in string, which int) {
		language := languages[uint(which)%uint(len(languages))]
		var b strings.Builder
		known := highlight.Each(in, language, func(class, text string) {
			if text == "" || len(class) > 3 || strings.Trim(class, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
				t.Fatalf("%s: class %q for %q", language, class, text)
			}
			b.WriteString(text)
		})
		if !known || b.String() != in {
			t.Fatalf("%s: %q became %q", language, in, b.String())
		}
	})
}

// Text made to be slow takes no longer than other text.
func TestLinear(t *testing.T) {
	const size = 64 << 10
	for _, piece := range []string{"/", "/ a ", "'", "'a", "\"", "`", "(", "<", "<a ", "<a b=", "&", "#", "$", "${", "@", "*", "**", "/*", "(*", "{-", "[[", "--", "''", "\\", "0x", "1e", ":", "a:", "- ", "{", "=", "\n", " ", "a", "\n'", "/*\n", "r#\"", "<script>", "```\n", ";:"} {
		in := strings.Repeat(piece, size/len(piece))
		for _, language := range strings.Fields("json yaml toml html css markdown go ts python ruby sh php rust lua haskell sql perl graphql") {
			start := time.Now()
			highlight.Each(in, language, func(string, string) {})
			if d := time.Since(start); d > 500*time.Millisecond {
				t.Errorf("%s: 64 KB of %q take %v", language, piece, d)
			}
		}
	}
}
