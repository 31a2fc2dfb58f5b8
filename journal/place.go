package journal

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold/internal/paths"
)

// slashed is a path as the journal compares paths: with slashes, without one at
// its end, the drive in lower case.
func slashed(p string) string {
	if windows(p) {
		p = strings.ReplaceAll(p, `\`, "/")
		if p[1] == ':' {
			p = strings.ToLower(p[:1]) + p[1:]
		}
	}
	if clean := path.Clean(p); p != "" {
		if strings.HasPrefix(p, "//") && !strings.HasPrefix(clean, "//") {
			clean = "/" + clean
		}
		return clean
	}
	return ""
}

// below returns what follows dir in p; ok when p is dir or lies in it.
func below(p, dir string, fold bool) (rest string, ok bool) {
	if len(p) < len(dir) || dir == "" {
		return "", false
	}
	if head := p[:len(dir)]; head != dir && (!fold || !strings.EqualFold(head, dir)) {
		return "", false
	}
	rest = p[len(dir):]
	if rest == "" || dir == "/" {
		return rest, true
	}
	return strings.TrimPrefix(rest, "/"), rest[0] == '/'
}

// nested reports whether one of two folders is the other or lies in it.
func nested(a, b string, fold bool) bool {
	_, in := below(a, b, fold)
	_, around := below(b, a, fold)
	return in || around
}

// A folder is where a session worked.
type folder struct {
	path      string // slashed, on the machine it is on
	host      string // for a container: the folder outside that the authority names
	remote    bool   // on another machine, in WSL, in a container
	workspace bool   // a .code-workspace file
}

// folderOf reads a workspace's path or address, whether its authority is spelled
// in hex or was made readable.
func folderOf(s string) folder {
	if s == "" {
		return folder{}
	}
	loc := paths.ParseURI(s)
	if loc.Scheme == "file" {
		p := slashed(loc.Path)
		return folder{path: p, workspace: strings.HasSuffix(p, ".code-workspace")}
	}
	f := folder{remote: true}
	rest := strings.TrimPrefix(loc.Path, loc.Scheme+"://")
	kind, inside, _ := strings.Cut(rest, "+")
	if kind == "dev-container" || kind == "attached-container" {
		if host, ok := strings.CutPrefix(loc.Authority, kind+"+"); ok && host != "" {
			f.path, f.host = slashed(strings.TrimPrefix(rest, loc.Authority)), slashed(host)
			return f
		}
		f.host = slashed(inside) // the two paths in one, see scope.container
		return f
	}
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		f.path = slashed(rest[i:])
	}
	f.workspace = strings.HasSuffix(f.path, ".code-workspace")
	return f
}

// aliases are the other names that a folder has where Windows and WSL see each
// other's files.
func aliases(p string) (list []string) {
	for _, share := range []string{"//wsl.localhost/", "//wsl$/"} {
		if rest, ok := strings.CutPrefix(strings.ToLower(p[:min(len(p), len(share))])+p[min(len(p), len(share)):], share); ok {
			if _, inside, ok := strings.Cut(rest, "/"); ok {
				list = append(list, "/"+inside)
			}
		}
	}
	if len(p) > 2 && p[1] == ':' {
		list = append(list, "/mnt/"+strings.ToLower(p[:1])+p[2:])
	}
	if rest, ok := strings.CutPrefix(p, "/mnt/"); ok && len(rest) > 1 && rest[1] == '/' {
		list = append(list, rest[:1]+":"+rest[1:])
	}
	return list
}

// editPath is the path of an edit, slashed; relative ones are seen from base.
func editPath(p, base string) string {
	if strings.Contains(p, "://") {
		f := folderOf(p)
		return f.path
	}
	if !absolute(p) {
		if base == "" {
			return ""
		}
		p = base + "/" + filepath.ToSlash(strings.ReplaceAll(p, `\`, "/"))
	}
	return slashed(p)
}
