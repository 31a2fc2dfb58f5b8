package paths_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/retold-history/retold/internal/paths"
)

func TestAddress(t *testing.T) {
	for in, want := range map[string][2]string{ // URI and FSPath
		"/home/ada/my proj":                      {"file:///home/ada/my%20proj", "/home/ada/my proj"},
		"file:///home/ada/caf%C3%A9/":            {"file:///home/ada/caf%C3%A9", "/home/ada/café"},
		`C:\Users\lin\p`:                         {"file:///c%3A/Users/lin/p", `c:\Users\lin\p`},
		"file:///c%3A/Users/lin/p":               {"file:///c%3A/Users/lin/p", `c:\Users\lin\p`},
		`\\server\share\p`:                       {"file://server/share/p", `\\server\share\p`},
		"vscode-remote://wsl+Ubuntu/home/lin/x/": {"vscode-remote://wsl%2BUbuntu/home/lin/x", "/home/lin/x"},
	} {
		a := paths.ParseAddress(in)
		if diff := cmp.Diff(want, [2]string{a.URI(), a.FSPath()}); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
}

func TestRelocate(t *testing.T) {
	for _, c := range []struct{ s, from, to, want string }{
		{"/home/ada/old", "/home/ada/old", "/srv/new", "/srv/new"},
		{"/home/ada/old/a b.go", "/home/ada/old", "/srv/new", "/srv/new/a b.go"},
		{"/home/ada/older", "/home/ada/old", "/srv/new", ""},
		{"see /home/ada/old", "/home/ada/old", "/srv/new", ""},
		{"file:///home/ada/my%20old/x%20y", "/home/ada/my old", "/srv/né w", "file:///srv/n%C3%A9%20w/x%20y"},
		{"file:///home/ada/my old/x y", "/home/ada/my old", "/srv/né w", "file:///srv/né w/x y"},
		{"file:///home/ada/my%20older", "/home/ada/my old", "/srv", ""},
		{"file:///c%3A/Users/lin/p/x", `C:\Users\lin\p`, `D:\q`, "file:///d%3A/q/x"},
		{"file:///C%3A/Users/lin/p/x", `C:\Users\lin\p`, `D:\q`, "file:///d%3A/q/x"},
		{`c:\Users\lin\p\x.go`, `C:\Users\lin\p`, `D:\q`, `d:\q\x.go`},
		{`C:\Users\lin\p\x.go`, `C:\Users\lin\p`, `D:\q`, `D:\q\x.go`},
		{"C:/Users/lin/p/x.go", `C:\Users\lin\p`, `D:\q r`, "D:/q r/x.go"},
		{"/c:/Users/lin/p/x.go", `C:\Users\lin\p`, `D:\q`, "/d:/q/x.go"},
		{`C:\users\lin\p\x.go`, `C:\Users\lin\p`, `D:\q`, ""},
		{`c:\Users\lin\p\x\y.go`, `C:\Users\lin\p`, "/home/lin/p", "/home/lin/p/x/y.go"},
		{"vscode-remote://wsl%2Bubuntu/home/lin/x/y", "vscode-remote://wsl+Ubuntu/home/lin/x", "vscode-remote://wsl+Ubuntu/z", "vscode-remote://wsl%2BUbuntu/z/y"},
		{"vscode-remote://wsl+ubuntu/home/lin/x/y", "vscode-remote://wsl+Ubuntu/home/lin/x", "vscode-remote://wsl+Ubuntu/z", "vscode-remote://wsl+Ubuntu/z/y"},
		{"file:///home/lin/x", "vscode-remote://wsl+Ubuntu/home/lin/x", "/z", ""},
		{"/home/lin/x/y", "vscode-remote://wsl+Ubuntu/home/lin/x", "vscode-remote://wsl+Ubuntu/z", "/z/y"},
	} {
		got := ""
		if cut, with, ok := paths.Relocate(c.s, paths.ParseAddress(c.from), paths.ParseAddress(c.to)); ok {
			got = with + c.s[cut:]
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.s, got, c.want)
		}
	}
}

// TestRelocateBack goes there and back.
func TestRelocateBack(t *testing.T) {
	folder := rapid.StringMatching(`(/[a-zA-Zé %+@._-]{1,6}){1,3}[a-z]`)
	rapid.Check(t, func(t *rapid.T) {
		from, to := paths.ParseAddress(folder.Draw(t, "from")), paths.ParseAddress(folder.Draw(t, "to"))
		for _, s := range []string{from.FSPath() + "/x y", from.URI() + "/x%20y", from.FSPath(), from.URI()} {
			cut, with, ok := paths.Relocate(s, from, to)
			if !ok {
				t.Fatalf("%s is not below %+v", s, from)
			}
			there := with + s[cut:]
			cut, with, ok = paths.Relocate(there, to, from)
			if back := with + there[cut:]; !ok || back != s {
				t.Fatalf("%s, there %s, back %s", s, there, back)
			}
		}
	})
}
