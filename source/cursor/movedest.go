package cursor

import (
	"crypto/md5" //nolint:gosec // Cursor names folders by it; nothing is protected with it
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// A target is the workspace that conversations go to.
type target struct {
	id   string
	dir  string
	db   string
	made bool // its database is part of the plan
}

// addressOf is the folder that workspace.json names, byte for byte (formats A.4).
func addressOf(dir string) (paths.Address, bool) {
	raw, err := os.ReadFile(filepath.Join(dir, "workspace.json"))
	if err != nil {
		return paths.Address{}, false
	}
	v, err := jscan.Parse(raw)
	if err != nil {
		return paths.Address{}, false
	}
	uri := v.First("folder", "workspace", "configuration")
	address := uri.Str()
	if address == "" {
		address = uri.First("external", "path").Str()
	}
	return paths.ParseAddress(address), address != ""
}

// findTarget finds the workspace of the new folder: the id that Cursor would
// compute for a folder of this machine, else the workspace that is there for the
// address, else the id of an address that is not this machine's.
func (v *mover) findTarget() (target, error) {
	id, err := workspaceID(v.to)
	if err != nil {
		if id = v.knownWorkspace(); id == "" {
			return target{}, &retold.Error{
				Code: retold.CodeWorkspaceNotFound, Op: "find the folder", Path: v.move.To, Err: err,
				Hint: "make the folder first, or open it in Cursor once: the name of its workspace follows from it",
			}
		}
	} else if !v.to.IsLocal() {
		if known := v.knownWorkspace(); known != "" {
			id = known
		}
	}
	dir := filepath.Join(v.user, "workspaceStorage", id)
	t := target{id: id, dir: dir, db: filepath.Join(dir, "state.vscdb")}
	_, err = os.Stat(t.db)
	t.made = errors.Is(err, os.ErrNotExist)
	return t, nil
}

// knownWorkspace is the workspace of the address that was used last.
func (v *mover) knownWorkspace() (id string) {
	var latest int64
	for _, w := range v.g.workspaces {
		a, ok := addressOf(w.dir)
		if !ok || !a.Same(v.to) {
			continue
		}
		at := int64(1)
		if info, err := os.Stat(w.db()); err == nil {
			at = info.ModTime().UnixNano()
		}
		if at > latest || at == latest && w.id > id {
			id, latest = w.id, at
		}
	}
	return id
}

// workspaceID is the id that Cursor gives the workspace of a folder (formats
// A.5): a hash of its path and of what tells it from another folder of that path,
// of its address when it is not this machine's, of its path for a file of several
// folders.
func workspaceID(a paths.Address) (string, error) {
	switch {
	case !a.IsLocal():
		return hexMD5(a.URI()), nil
	case strings.HasSuffix(a.Path, ".code-workspace"):
		p := a.FSPath()
		if runtime.GOOS != "linux" {
			p = strings.ToLower(p)
		}
		return hexMD5(p), nil
	case a.IsWindows() != (runtime.GOOS == "windows"):
		return "", errors.New("it is no folder of this system")
	}
	info, err := os.Stat(a.FSPath())
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no folder", a.FSPath())
	}
	salt, err := folderSalt(info)
	return hexMD5(a.FSPath() + salt), err
}

func hexMD5(s string) string {
	sum := md5.Sum([]byte(s)) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}

// makeTarget plans the workspace's folder where it is missing.
func (v *mover) makeTarget() error {
	folder := func(dir string) error {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return v.give(retold.Step{File: &retold.FileChange{Path: dir, After: &retold.File{Dir: true, Mode: 0o755}}})
	}
	if err := folder(filepath.Dir(v.home.dir)); err != nil {
		return err
	}
	if err := folder(v.home.dir); err != nil {
		return err
	}
	describe := filepath.Join(v.home.dir, "workspace.json")
	if _, err := os.Stat(describe); errors.Is(err, os.ErrNotExist) {
		kind := "folder"
		if strings.HasSuffix(v.to.Path, ".code-workspace") {
			kind = "workspace"
		}
		text, err := json.MarshalIndent(map[string]string{kind: v.to.URI()}, "", "  ")
		if err != nil {
			return err
		}
		if err := v.give(retold.Step{File: &retold.FileChange{Path: describe, After: &retold.File{Mode: 0o644, Data: text}}}); err != nil {
			return err
		}
	}
	if !v.home.made {
		return nil
	}
	data, err := emptyState()
	if err != nil {
		return fmt.Errorf("make an empty state.vscdb: %w", err)
	}
	return v.give(retold.Step{File: &retold.FileChange{Path: v.home.db, After: &retold.File{Mode: 0o644, Data: data}}})
}

// emptyState is a state.vscdb with both tables and nothing in them.
func emptyState() (data []byte, err error) {
	dir, err := os.MkdirTemp("", "retold-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "state.vscdb")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	err = sqlitex.ExecuteScript(conn, `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
PRAGMA user_version = 1;`, nil)
	if err = errors.Join(err, conn.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// identifier is how a record names the new workspace (formats C.2), with the
// members in Cursor's order.
func (v *mover) identifier() []byte {
	uri := `{"$mid":1,"fsPath":` + quoted(v.to.FSPath())
	if v.to.IsWindows() {
		uri += `,"_sep":1`
	}
	uri += `,"external":` + quoted(v.to.URI()) + `,"path":` + quoted(v.to.Path) + `,"scheme":` + quoted(v.to.Scheme)
	if v.to.Authority != "" {
		uri += `,"authority":` + quoted(v.to.Authority)
	}
	member := "uri"
	if strings.HasSuffix(v.to.Path, ".code-workspace") {
		member = "configPath"
	}
	return []byte(`{"id":` + quoted(v.home.id) + `,"` + member + `":` + uri + `}}`)
}

func quoted(s string) string { return `"` + string(jscan.Quote([]byte(s))) + `"` }

// assign gives a record or head the new workspace. What already names it in the
// form that Cursor chose keeps that form.
func (v *mover) assign(doc []byte, m interface{ JSON([]byte) []byte }, add bool) []byte {
	doc = slices.Clip(m.JSON(doc))
	rec, err := jscan.Parse(doc)
	if err != nil {
		return doc
	}
	w := rec.Get("workspaceIdentifier")
	switch {
	case w.Kind() <= jscan.Null && !add:
		return doc
	case w.Kind() != jscan.Object || !v.names(w):
		return setMember(doc, "workspaceIdentifier", v.identifier())
	}
	id := w.Get("id")
	at := jscan.Offset(doc, id)
	return jscan.Edit(doc, []jscan.Splice{{Start: at, End: at + len(id), Text: []byte(quoted(v.home.id))}})
}

// names reports whether an identifier speaks of the new folder in every member
// that holds an address.
func (v *mover) names(w jscan.Value) bool {
	uri := w.First("uri", "configPath")
	if w.Get("id").Kind() != jscan.String || uri.Kind() != jscan.Object {
		return false
	}
	for _, c := range []struct{ member, want string }{{"external", v.to.URI()}, {"path", v.to.Path}, {"scheme", v.to.Scheme}, {"authority", v.to.Authority}} {
		have := uri.Get(c.member).Str()
		spelled := c.member == "external" && paths.ParseAddress(have).Same(v.to)
		if have != "" && have != c.want && !spelled || have == "" && c.member == "path" {
			return false
		}
	}
	return true
}
