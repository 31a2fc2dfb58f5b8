package paths

import (
	"net/url"
	"strings"
)

// An Address is a folder or file in parts, as VS Code keeps it: decoded.
type Address struct {
	Scheme    string // "file", "vscode-remote", …
	Authority string // "" for a local file, the server of a share, "wsl+Ubuntu"
	Path      string // begins with a slash: /home/ada/x, /c:/Users/lin/x; no slash at the end
}

// ParseAddress reads a URI, or the absolute path of a local folder as Unix or
// Windows writes it.
func ParseAddress(s string) Address {
	if scheme, rest, ok := strings.Cut(s, "://"); ok && len(scheme) > 1 && !strings.ContainsAny(scheme, `/\`) {
		authority, p := rest, ""
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			authority, p = rest[:i], rest[i:]
		}
		return Address{strings.ToLower(scheme), decode(authority), trimmed(decode(p))}
	}
	if share, ok := strings.CutPrefix(s, `\\`); ok {
		server, p, _ := strings.Cut(strings.ReplaceAll(share, `\`, "/"), "/")
		return Address{"file", server, trimmed("/" + p)}
	}
	if hasDrive(s) {
		return Address{"file", "", trimmed("/" + strings.ReplaceAll(s, `\`, "/"))}
	}
	return Address{"file", "", trimmed(s)}
}

// trimmed has no slash at its end, and its drive in lower case as VS Code has it.
func trimmed(p string) string {
	if len(p) > 1 {
		p = strings.TrimRight(p, "/")
	}
	if p == "" {
		p = "/"
	}
	if len(p) > 2 && hasDrive(p[1:]) {
		p = "/" + strings.ToLower(p[1:2]) + p[2:]
	}
	return p
}

func hasDrive(s string) bool { return len(s) >= 2 && s[1] == ':' && isLetter(s[0]) }

// IsWindows reports whether the path is one of Windows.
func (a Address) IsWindows() bool {
	return a.Scheme == "file" && (a.Authority != "" || len(a.Path) > 2 && hasDrive(a.Path[1:]))
}

// IsLocal reports whether the address is a file of this machine or of a share.
func (a Address) IsLocal() bool { return a.Scheme == "file" }

// FSPath is the path as the system of the folder writes it, VS Code's fsPath.
func (a Address) FSPath() string {
	switch {
	case a.Scheme == "file" && a.Authority != "":
		return `\\` + a.Authority + strings.ReplaceAll(a.Path, "/", `\`)
	case a.IsWindows():
		return strings.ReplaceAll(a.Path[1:], "/", `\`)
	}
	return a.Path
}

// URI spells the address as VS Code does, which escapes all but letters, digits
// and -._~/.
func (a Address) URI() string {
	return a.Scheme + "://" + escaped(a.Authority) + escaped(a.Path)
}

func escaped(s string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if isLetter(c) || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(digits[c>>4])
			b.WriteByte(digits[c&15])
		}
	}
	return b.String()
}

// Same reports whether two addresses are of one folder.
func (a Address) Same(b Address) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Authority, b.Authority) && a.Path == b.Path
}

// Relocate finds the part of s that names the folder from, or a file below it,
// and what stands for it when the folder is to: s[:cut] is to be replaced. It
// knows paths, URIs with and without escapes, and Windows paths with either
// slash and either case of the drive.
func Relocate(s string, from, to Address) (cut int, with string, ok bool) {
	if scheme, rest, isURI := strings.Cut(s, "://"); isURI {
		return relocateURI(s, scheme, rest, from, to)
	}
	if !from.IsWindows() {
		p := from.FSPath()
		if !strings.HasPrefix(s, p) || !ends(s[len(p):], "/") {
			return 0, "", false
		}
		return len(p), to.FSPath(), true
	}
	p := from.FSPath()
	head := 0
	if strings.HasPrefix(s, "/") && len(s) > 2 && hasDrive(s[1:]) { // the path of a URI
		head = 1
	}
	rest := s[head:]
	if len(rest) < len(p) || !strings.EqualFold(strings.ReplaceAll(rest[:len(p)], "/", `\`), p) || !ends(rest[len(p):], `/\`) {
		return 0, "", false
	}
	if rest[1:2] != p[1:2] || rest[2:len(p)] != p[2:] && strings.ReplaceAll(rest[2:len(p)], "/", `\`) != p[2:] {
		return 0, "", false // only the drive may differ in case
	}
	switch {
	case head == 1:
		with = to.Path
	case !to.IsWindows():
		return len(s), to.FSPath() + strings.ReplaceAll(rest[len(p):], `\`, "/"), true
	case strings.Contains(rest[:len(p)], "/"):
		with = strings.ReplaceAll(to.FSPath(), `\`, "/")
	default:
		with = to.FSPath()
	}
	if i := strings.IndexByte(with, ':'); i > 0 && hasDrive(rest) && rest[0] < 'a' {
		with = with[:i-1] + strings.ToUpper(with[i-1:i]) + with[i:]
	}
	return head + len(p), with, true
}

// ends reports whether a path ends here, or goes on below.
func ends(rest, separators string) bool {
	return rest == "" || strings.IndexByte(separators, rest[0]) >= 0
}

func relocateURI(s, scheme, rest string, from, to Address) (cut int, with string, ok bool) {
	authority, _, _ := strings.Cut(rest, "/")
	if !strings.EqualFold(scheme, from.Scheme) || !strings.EqualFold(decode(authority), from.Authority) {
		return 0, "", false
	}
	at := len(scheme) + len("://") + len(authority)
	for n := 0; n < len(from.Path); n++ {
		c, size := letter(s[at:])
		if n == 1 && hasDrive(from.Path[1:]) {
			c |= 0x20
		}
		if size == 0 || c != from.Path[n] {
			return 0, "", false
		}
		at += size
	}
	if !ends(s[at:], "/?#") {
		return 0, "", false
	}
	with = to.URI()
	if strings.Contains(authority, "+") {
		with = strings.Replace(with, "%2B", "+", 1)
	}
	if !strings.Contains(s[:at], "%") && strings.ContainsFunc(from.Path, func(r rune) bool { return escaped(string(r)) != string(r) }) {
		if plain, err := url.PathUnescape(with); err == nil { // written without escapes
			with = plain
		}
	}
	return at, with, true
}

// letter is the first byte of an escaped text, and how many bytes spell it.
func letter(s string) (c byte, size int) {
	if s == "" {
		return 0, 0
	}
	if s[0] == '%' && len(s) >= 3 {
		if text := decode(s[:3]); len(text) == 1 {
			return text[0], 3
		}
	}
	return s[0], 1
}
