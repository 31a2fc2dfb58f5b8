package demo

import (
	"crypto/md5" //nolint:gosec // Cursor names folders so
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
)

// A workspace is a folder that was open in Cursor.
type workspace struct {
	key    string
	id     string // name below workspaceStorage
	uri    string // of the folder, or of the .code-workspace file
	path   string // where tools work: absolute, as that system writes it
	config bool   // uri names a .code-workspace file
}

var workspaces = []*workspace{
	local("tidepool", "/home/ada/projects/tidepool"),
	local("lantern", "/home/ada/projects/lantern"),
	local("journal", "/home/ada/Документы/полевой журнал"),
	{key: "kettle", id: md5sum("kettle 1733302211000"), uri: "file:///c%3A/Users/lin/src/Kettle", path: `c:\Users\lin\src\Kettle`},
	{key: "parsnip", id: md5sum("vscode-remote://wsl%2Bubuntu/home/lin/src/parsnip"), uri: "vscode-remote://wsl%2Bubuntu/home/lin/src/parsnip", path: "/home/lin/src/parsnip"},
	{key: "harbor", id: md5sum("vscode-remote://ssh-remote%2Bharbor.example/srv/harbor"), uri: "vscode-remote://ssh-remote%2Bharbor.example/srv/harbor", path: "/srv/harbor"},
	{key: "orchard", id: md5sum("/users/lin/work/orchard.code-workspace"), uri: "file:///Users/lin/work/orchard.code-workspace", path: "/Users/lin/work/orchard", config: true},
	local("kite", "/home/ada/projects/kite"),
	{key: "window", id: "1779264512345"},
}

// local is a folder on this machine. Its id is salted, as Cursor's are, with
// what stands for the folder's inode number.
func local(key, path string) *workspace {
	u := url.URL{Scheme: "file", Path: path}
	return &workspace{key: key, id: md5sum(path + "1188213"), uri: u.String(), path: path}
}

func findWorkspace(key string) *workspace {
	for _, w := range workspaces {
		if w.key == key {
			return w
		}
	}
	return nil
}

// file is the absolute path of a file in the workspace, with that system's
// separators.
func (w *workspace) file(rel string) string {
	switch {
	case strings.HasPrefix(rel, "/") || w.path == "":
		return rel
	case strings.Contains(w.path, `\`):
		return w.path + `\` + strings.ReplaceAll(rel, "/", `\`)
	}
	return w.path + "/" + rel
}

// fileURI is the URI of a file in the workspace.
func (w *workspace) fileURI(rel string) string {
	base := w.uri
	if w.config {
		base = "file://" + w.path
	}
	return base + "/" + (&url.URL{Path: rel}).EscapedPath()
}

// identifier is the member by which a composer names its workspace.
func (w *workspace) identifier() obj {
	if w.uri == "" {
		return obj{"id": w.id}
	}
	uri := obj{"$mid": 1, "external": w.uri, "path": w.path, "scheme": "file", "fsPath": w.path}
	if u, err := url.Parse(strings.Replace(w.uri, "%2B", "+", 1)); err == nil {
		uri["path"], uri["scheme"] = u.Path, u.Scheme
		if u.Host != "" {
			uri["authority"] = u.Host
		}
	}
	if w.config {
		uri["fsPath"] = "/Users/lin/work/orchard.code-workspace"
		return obj{"id": w.id, "configPath": uri}
	}
	return obj{"id": w.id, "uri": uri}
}

// json is workspace.json; nil where Cursor writes none.
func (w *workspace) json() []byte {
	switch {
	case w.uri == "":
		return nil
	case w.config:
		return encode(obj{"workspace": w.uri})
	}
	return encode(obj{"folder": w.uri})
}

func md5sum(s string) string {
	sum := md5.Sum([]byte(s)) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}

// slug is the name of a folder's directory below ~/.cursor/projects: runs of
// anything but letters and digits become one dash.
func slug(path string) string {
	var b strings.Builder
	dash := false
	for _, r := range path {
		if r < 0x80 && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			dash = false
			b.WriteRune(r)
			continue
		}
		dash = true
	}
	return b.String()
}

type obj = map[string]any

// encode is v as JavaScript would write it: no escapes for < and >, no newline.
func encode(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // maps, slices, strings and numbers cannot fail
	}
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

func text(v any) string { return string(encode(v)) }
