package render_test

import (
	"strings"
	"testing"

	"github.com/retold-history/retold/render"
)

// rel is what every link gets.
const rel = ` rel="nofollow noreferrer"`

// What the renderer writes passes unchanged; all else is shown, not obeyed.
func TestSanitize(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"ours", `<p>a <em>b</em><br>c</p>`, `<p>a <em>b</em><br>c</p>`},
		{"quotes", `"a" 'b' &quot; &amp;lt; x > y`, `&#34;a&#34; &#39;b&#39; &#34; &amp;lt; x &gt; y`},
		{"control characters", "a&#13;b&#27;[31mc\r", "a\nbc\n"},
		{"link", `<a href="https://example.org/?a=1&amp;b=2">x</a>`, `<a href="https://example.org/?a=1&amp;b=2"` + rel + `>x</a>`},
		{"script", `<script>alert(1)</script>`, `&lt;script&gt;alert(1)&lt;/script&gt;`},
		{"capitals", `<P>x`, `&lt;P&gt;x`},
		{"handler", `<p onclick="x()">a</p>`, `&lt;p onclick=&#34;x()&#34;&gt;a&lt;/p&gt;`},
		{"handler after ours", `<span class="a" onclick="x()">a`, `&lt;span class=&#34;a&#34; onclick=&#34;x()&#34;&gt;a`},
		{"no quotes", `<pre tabindex=0>`, `&lt;pre tabindex=0&gt;`},
		{"single quotes", `<span class='a'>`, `&lt;span class=&#39;a&#39;&gt;`},
		{"style", `<div style="position:fixed">`, `&lt;div style=&#34;position:fixed&#34;&gt;`},
		{"class with a trick", `<span class="a&quot; onclick=&quot;x">`, `&lt;span class=&#34;a&#34; onclick=&#34;x&#34;&gt;`},
		{"twice", `<span class="a" class="b">`, `&lt;span class=&#34;a&#34; class=&#34;b&#34;&gt;`},
		{"javascript", `<a href="javascript:alert(1)">x</a>`, `&lt;a href=&#34;javascript:alert(1)&#34;&gt;x&lt;/a&gt;`},
		{"javascript in entities", `<a href="java&#115;cript:alert(1)">`, `&lt;a href=&#34;javascript:alert(1)&#34;&gt;`},
		{"javascript with a tab", "<a href=\"java&#9;script:alert(1)\">", "&lt;a href=&#34;java\tscript:alert(1)&#34;&gt;"},
		{"javascript behind a control", "<a href=\"&#1;javascript:alert(1)\">", "&lt;a href=&#34;javascript:alert(1)&#34;&gt;"},
		{"data", `<a href="data:text/html,x">`, `&lt;a href=&#34;data:text/html,x&#34;&gt;`},
		{"relative", `<a href="//example.org">`, `&lt;a href=&#34;//example.org&#34;&gt;`},
		{"link without address", `<a class="image">x</a>`, `&lt;a class=&#34;image&#34;&gt;x&lt;/a&gt;`},
		{"address elsewhere", `<p href="https://example.org">`, `&lt;p href=&#34;https://example.org&#34;&gt;`},
		{"start elsewhere", `<p start="1">`, `&lt;p start=&#34;1&#34;&gt;`},
		{"closes what it did not open", `a</article></main></p>b`, `a&lt;/article&gt;&lt;/main&gt;&lt;/p&gt;b`},
		{"crossed", `<em><strong>a</em></strong>`, `<em><strong>a&lt;/em&gt;</strong></em>`},
		{"left open", `<div><p>a`, `<div><p>a</p></div>`},
		{"never ends", `<p class="a`, `&lt;p class=&#34;a`},
		{"tag in a tag", `<p <script>>`, `&lt;p &lt;script&gt;&gt;`},
		{"comment", `<!-- <p> -->`, `&lt;!-- <p> --&gt;</p>`},
		{"instruction", `<?xml?><!DOCTYPE html><![CDATA[x]]>`, `&lt;?xml?&gt;&lt;!DOCTYPE html&gt;&lt;![CDATA[x]]&gt;`},
		{"raw text elements", `<style>*{}</style><textarea><title><noscript><svg><math>`, `&lt;style&gt;*{}&lt;/style&gt;&lt;textarea&gt;&lt;title&gt;&lt;noscript&gt;&lt;svg&gt;&lt;math&gt;`},
		{"self-closing", `<br/><p/>`, `&lt;br/&gt;&lt;p/&gt;`},
	} {
		if got := render.Sanitize(c.in); got != c.want {
			t.Errorf("%s: sanitize(%q)\n got %q\nwant %q", c.name, c.in, got, c.want)
		}
	}
}

// FuzzSanitize hands the fence what no renderer wrote.
func FuzzSanitize(f *testing.F) {
	for _, s := range attacks {
		f.Add(s)
		f.Add(`<p>` + s + `</p><a href="https://example.org/` + s + `" class="image">x</a>`)
		f.Add(`<span class="` + s + `"><a href="` + s + `">` + s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := render.Sanitize(in)
		if bad := unsafe(got); bad != "" {
			t.Fatalf("%s in %q from %q", bad, got, in)
		}
		if bad := unbalanced(got); bad != "" {
			t.Fatalf("%s in %q from %q", bad, got, in)
		}
		if again := render.Sanitize(strings.ReplaceAll(got, rel, "")); again != got {
			t.Fatalf("not stable: %q, then %q", got, again)
		}
	})
}

// unbalanced follows the tags of got, which passed unsafe.
func unbalanced(got string) string {
	var open []string
	for {
		_, after, found := strings.Cut(got, "<")
		if !found {
			return strings.Join(open, " ")
		}
		tag, rest, _ := strings.Cut(after, ">")
		got = rest
		name, _, _ := strings.Cut(tag, " ")
		switch closing, ok := strings.CutPrefix(name, "/"); {
		case ok && (len(open) == 0 || open[len(open)-1] != closing):
			return "closing " + closing
		case ok:
			open = open[:len(open)-1]
		case name != "br" && name != "hr":
			open = append(open, name)
		}
	}
}
