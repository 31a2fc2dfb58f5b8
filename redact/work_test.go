package redact

import (
	"strings"
	"testing"
)

// TestWorkIsLinear gives the engine texts made of what costs it most, one twice
// as long as the other. What it looks at more closely may at most double.
func TestWorkIsLinear(t *testing.T) {
	for _, unit := range []string{
		"sk-", "sk-proj-", "sk-a ", "key=", "token=", "api_key:", "password ", "\"token\":\"", "password='x\"", "eyJ", "eyJ.", "eyJaaaaaaaaaaaa.", "://", "://a:b", "://a:b@",
		"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n", "\\", "\\\\n", "\n", "a\n", "sk-\n", "\"+\"", "sk-\"+\"", "ghp_\\n+", "\x1b[1m", "sk-\x1b[1m",
		"bearer ", "basic ", "cookie: a=b; ", "curl -u a:b ", "Key=Key=", "_key\\\":\\\"", "secret=secret", "A_KEY=\"a\" + ", "%3D", "token%3D", "sk-%2D", "AAAAAAAA0Q~", ".atlasv1.", "a.Gaaaaaa.", "?key=", "&key=a", "password=a&", "password=a,", "a&password=b;", "name: A_KEY\nvalue: ", "{\"name\":\"A_KEY\",\"value\":\"", "| api key | ", "$6$a$", "$2y$10$", "\u043f\u0430\u0440\u043e\u043b\u044c: ", "密码：", "Authorization: a ", "password='a b ", "'a'\"b", "\\u003cpassword\\u003e", "\\u0026key=", "7z -p", "0123:AA", "Private-Lines: 1\nAAAA", "…", "mysql -p",
	} {
		t.Run(unit, func(t *testing.T) {
			work := func(n int) int {
				l := look{s: strings.Repeat(unit, n/len(unit))}
				known().each(l.s, &l)
				return l.work
			}
			half, whole := work(64<<10), work(128<<10)
			if whole > 2*half+half/4+(64<<10) {
				t.Errorf("%d bytes for twice the text of %d", whole, half)
			}
			if whole > 40*(128<<10) {
				t.Errorf("%d bytes for a text of 128 KB", whole)
			}
		})
	}
}
