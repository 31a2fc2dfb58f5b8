package paths

import (
	"encoding/hex"
	"net/url"
	"path"
	"strings"

	"github.com/retold-history/retold/internal/jscan"
)

// Location is what the address of a workspace or file means to a person.
type Location struct {
	Path      string // absolute path of a local folder, else the address with its escapes decoded
	Name      string // last element; of a .code-workspace file its name without the ending
	Scheme    string // "file", "vscode-remote", "vscode-vfs", …
	Authority string // decoded: "wsl+Ubuntu", "ssh-remote+build.example", "" for local files
}

// ParseURI decodes the addresses that VS Code and Cursor write (formats A.4):
// file URIs with escapes, Windows drives and UNC servers, vscode-remote with
// WSL, SSH (also with a hex-encoded host), containers and tunnels, and plain
// paths. It never fails: what it cannot decode is kept as it is.
func ParseURI(address string) Location {
	if address == "" {
		return Location{}
	}
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || len(scheme) < 2 || strings.ContainsAny(scheme, `/\`) {
		p := localPath("", strings.TrimPrefix(address, "file:"))
		return Location{Path: p, Name: nameOf(p), Scheme: "file"}
	}
	authority, p := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		authority, p = rest[:i], rest[i:]
	}
	return Locate(strings.ToLower(scheme), decode(authority), decode(p))
}

// Locate is ParseURI for an address whose parts are stored apart and already
// decoded, as in {"scheme", "authority", "path"}.
func Locate(scheme, authority, p string) Location {
	if scheme == "" || scheme == "file" {
		p = localPath(authority, p)
		return Location{Path: p, Name: nameOf(p), Scheme: "file"}
	}
	authority = readable(authority)
	return Location{Path: scheme + "://" + authority + p, Name: nameOf(p), Scheme: scheme, Authority: authority}
}

// localPath turns the path of a file URI into one of its own system: /c:/x is
// C:\x on Windows, a server makes a UNC path. A WSL share keeps its UNC form.
func localPath(server, p string) string {
	if server != "" && !strings.EqualFold(server, "localhost") {
		return `\\` + server + strings.ReplaceAll(p, "/", `\`)
	}
	drive := strings.TrimPrefix(p, "/")
	if len(drive) >= 2 && drive[1] == ':' && isLetter(drive[0]) {
		p = strings.ToUpper(drive[:1]) + strings.ReplaceAll(drive[1:], "/", `\`)
		if len(p) == 2 {
			p += `\`
		}
		if len(p) > 3 {
			p = strings.TrimRight(p, `\`)
		}
		return p
	}
	if strings.HasPrefix(p, `\\`) {
		return p
	}
	if len(p) > 1 {
		p = strings.TrimRight(p, "/")
	}
	return p
}

// readable spells out the hex of an SSH host or container (formats A.4): the
// JSON's hostName or hostPath, or the plain text inside.
func readable(authority string) string {
	kind, host, ok := strings.Cut(authority, "+")
	if !ok {
		return authority
	}
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw) < 3 {
		return authority
	}
	text := string(raw)
	if v, err := jscan.Parse(raw); err == nil && v.Kind() == jscan.Object {
		text = v.First("hostName", "hostPath", "containerName").Str()
	}
	for _, r := range text {
		if r < ' ' || r == '\ufffd' || r == 0x7f {
			return authority
		}
	}
	if text == "" {
		return authority
	}
	return kind + "+" + text
}

func decode(s string) string {
	if out, err := url.PathUnescape(s); err == nil {
		return out
	}
	return s
}

func nameOf(p string) string {
	p = strings.TrimRight(strings.ReplaceAll(p, `\`, "/"), "/")
	name := path.Base(p)
	if name == "." || name == "/" {
		return ""
	}
	return strings.TrimSuffix(name, ".code-workspace")
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
