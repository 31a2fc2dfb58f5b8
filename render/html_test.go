package render_test

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/retold-history/retold/render"
)

func TestHTMLShows(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"raw inline", "a <b>x</b>", "<p>a &lt;b&gt;x&lt;/b&gt;</p>"},
		{"raw block", "<div onclick=x>\nhi\n</div>", "&lt;div onclick=x&gt;\nhi\n&lt;/div&gt;"},
		{"comment block", "<!-- a\nb -->", "&lt;!-- a\nb --&gt;"},
		{"script", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"javascript link", "[x](javascript:alert(1))", `x <span class="url">(javascript:alert(1))</span>`},
		{"image", "![alt](https://example.org/b.png)", `<a href="https://example.org/b.png" class="image" rel="nofollow noreferrer"><span class="tag">image</span> alt</a>`},
		{"link", "[t](https://example.org/?a=1&b=2)", `<a href="https://example.org/?a=1&amp;b=2" rel="nofollow noreferrer">t</a>`},
		{"bare link", "see https://example.org.", `<a href="https://example.org" rel="nofollow noreferrer">https://example.org</a>.`},
		{"relative link", "[t](src/a.go)", `t <span class="url">(src/a.go)</span>`},
		{"heading", "# Big", "<h4>Big</h4>"},
		{"code", "```go\nfunc f() {}\n```", `<span class="kd">func</span>`},
		{"cursor fence", "```12:14:src/a.go\nx := 1\n```", `<div class="path">src/a.go:12–14</div>`},
		{"diff fence", "```diff\n-a\n+b\n```", "<span class=\"d-add\">+b\n</span>"},
		{"unknown language", "```zork\n<x>\n```", `<code>&lt;x&gt;`},
		{"table", "|a|b|\n|-|:-:|\n|1|2|", `<td align="center">2</td>`},
		{"task", "- [x] done", `<span class="box">☑</span> done`},
		{"escape sequence", "a\x1b[31mb", "<p>ab</p>"},
		{"override", "a\u202eb", "a⟨U+202E⟩b"},
		{"cjk", "你好 **世界** 🎉", "你好 <strong>世界</strong> 🎉"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := render.HTML(c.in); !strings.Contains(got, c.want) {
				t.Errorf("HTML(%q)\n got %q\nwant %q in it", c.in, got, c.want)
			}
		})
	}
}

// Each of these took a plain parser from seconds to hours.
func TestHTMLDoesNotHang(t *testing.T) {
	for name, in := range map[string]string{
		"quotes": strings.Repeat(">", 100_000), "brackets": strings.Repeat("[", 100_000),
		"links": strings.Repeat("[a](", 100_000), "emphasis": strings.Repeat("*a_", 100_000),
		"pairs": strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "numbers": strings.Repeat("1. ", 100_000),
		"huge": strings.Repeat("word ", 1_000_000), "references": strings.Repeat("[a]: b\n", 100_000),
	} {
		start := time.Now()
		got := render.HTML(in)
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: %v", name, d)
		}
		if !strings.HasPrefix(got, `<pre class="verbatim"`) || len(got) < len(in) {
			t.Errorf("%s: not shown whole: %.40q… (%d of %d bytes)", name, got, len(got), len(in))
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range attacks {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		watch(t, in)
		got := render.HTML(in)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		if bad := unsafe(got); bad != "" {
			t.Fatalf("%s in %q from %q", bad, got, in)
		}
	})
}

// unsafe reads the tags of got without a parser: every "<" must begin one of
// the elements that render writes, with the attributes it writes.
func unsafe(got string) string {
	for rest := got; ; {
		_, after, found := strings.Cut(rest, "<")
		if !found {
			return ""
		}
		tag, after, found := strings.Cut(after, ">")
		if !found {
			return "unclosed tag"
		}
		rest = after
		if bad := unsafeTag(tag); bad != "" {
			return bad
		}
	}
}

const elements = " p br hr h4 h5 h6 em strong del code pre span div a blockquote ul ol li table thead tbody tr th td "

func unsafeTag(tag string) string {
	name, attrs, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(tag, "/"), "/"), " ")
	if !strings.Contains(elements, " "+name+" ") {
		return "element <" + name + ">"
	}
	for attrs = strings.TrimSpace(attrs); attrs != ""; attrs = strings.TrimSpace(attrs) {
		key, rest, ok := strings.Cut(attrs, `="`)
		value, after, closed := strings.Cut(rest, `"`)
		if !ok || !closed {
			return "attribute " + attrs
		}
		attrs = after
		switch key {
		case "class", "rel", "align", "start", "tabindex":
		case "href":
			low := strings.ToLower(value)
			if !strings.HasPrefix(low, "https:") && !strings.HasPrefix(low, "http:") && !strings.HasPrefix(low, "mailto:") {
				return "address " + value
			}
		default:
			return "attribute " + key
		}
	}
	return ""
}

var attacks = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "[x](JaVa\tScript:alert(1))", "[x](&#106;avascript:alert(1))",
	"</details></article></main>", "</style><style>*{display:none}</style>", "</title><script>", "![b](http://example.org/beacon.gif)",
	"[x](data:text/html;base64,PHNjcmlwdD4=)", "![x](data:image/svg+xml,<svg/onload=alert(1)>)", "```\nnever closed", "~~~html\n<b>\n```", "- ```\n  x",
	"<!-- never closed", "<?php", "<![CDATA[", "<!DOCTYPE html", "<textarea>", "<svg><script>", "<a href=\"javascript:x\">y</a>", "<javascript:alert(1)>",
	"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://x\x1b\\y", "a\u202eb\u2066c", "\xff\xfe\x00", "&lt;script&gt;", "<https://example.org/\"onmouseover=x>",
	"[a]: javascript:alert(1)\n\n[a]", "|<b>|\n|-|\n|<script>|", "```\"><script>\nx\n```", "```go:<script>\nx\n```", "# <img src=x>", "* a\n  <div>\n", "> ```\n> a\n\nb", "`<script>`", "\\<script>", "\\\\<script>",
	"[x](//example.org)", "<DETAILS>", "http://a\"b", "[x](http://a/\"b'c)", "你好 🎉 مرحبا",
}

// A control character is taken out however it is written.
func TestControlCharactersInEntities(t *testing.T) {
	for _, in := range []string{"a &#27;[31m b", "a &#x1b;[31m b", "`a \x1b[31m b`", "a &#155;31m b", "<b>&#8;</b>"} {
		for _, r := range render.HTML(in) {
			if r != '\n' && r != '\t' && unicode.IsControl(r) {
				t.Errorf("%q becomes %q", in, render.HTML(in))
			}
		}
	}
}
