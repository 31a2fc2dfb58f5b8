package cursorcli

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite/vfs"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/relocate"
)

// plansOf brings the plans back that a session names and that are gone: in its
// files (formats D.5), or elsewhere as far as want.Plans knows. One that is there
// stays as it is, because it may serve several sessions and is edited by hand.
func (r *restorer) plansOf(id string, names []string) error {
	if !slices.ContainsFunc(r.want.Names, func(n string) bool { return strings.HasPrefix(n, "plans/") }) {
		return nil
	}
	wanted := slices.Clone(r.want.Plans[id])
	for _, name := range names {
		found, err := r.plansIn(name)
		if err != nil {
			return fmt.Errorf("look for plans in %s: %w", name, err)
		}
		wanted = append(wanted, found...)
	}
	slices.Sort(wanted)
	for _, base := range slices.Compact(wanted) {
		name := path.Join("plans", base)
		if path.Dir(name) != "plans" || !slices.Contains(r.want.Names, name) || r.plans[name] {
			continue
		}
		r.plans[name] = true
		if there, err := r.isThere(name); err != nil || there {
			if err != nil {
				return err
			}
			continue
		}
		info, err := fs.Stat(r.want.Files, name)
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(r.want.Files, name)
		if err != nil {
			return err
		}
		if err := r.folders(id, "plans"); err != nil {
			return err
		}
		at := filepath.Join(r.want.Place, "plans", base)
		if err := r.file(id, retold.FileChange{Path: at, After: &retold.File{Mode: 0o644, ModTime: info.ModTime(), Data: data}}); err != nil {
			return err
		}
	}
	return nil
}

// plansIn are the plans that one file of the backup names.
func (r *restorer) plansIn(name string) ([]string, error) {
	if isDatabase(name) {
		return r.plansInStore(name)
	}
	switch path.Ext(name) {
	case ".jsonl", ".json", ".txt":
		data, err := fs.ReadFile(r.want.Files, name)
		return relocate.Plans(data), err
	}
	return nil, nil
}

// rooted takes off the slash that SQLite puts before every path.
type rooted struct{ fs.FS }

func (r rooted) Open(name string) (fs.File, error) { return r.FS.Open(strings.TrimPrefix(name, "/")) }

// plansInStore looks through a store where it lies in the backup. One that SQLite
// cannot read, or that is none, names no plan: it comes back as it is.
func (r *restorer) plansInStore(name string) (plans []string, err error) {
	vfsName, files, err := vfs.New(rooted{r.want.Files})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, files.Close()) }()
	conn, err := sqlite.OpenConn("file:"+(&url.URL{Path: "/" + name}).EscapedPath()+"?mode=ro&immutable=1&vfs="+vfsName, sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	conn.SetInterrupt(r.ctx.Done())
	for _, sql := range []string{"SELECT data FROM blobs WHERE instr(data, CAST('.plan.md' AS BLOB)) > 0", "SELECT value FROM meta"} {
		err := sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			value := column(s, 0)
			plans = append(plans, relocate.Plans(value)...)
			if plain, err := hex.DecodeString(string(value)); err == nil {
				plans = append(plans, relocate.Plans(plain)...)
			}
			return nil
		}})
		switch sqlite.ErrCode(err).ToPrimary() {
		case sqlite.ResultOK:
		case sqlite.ResultError, sqlite.ResultCorrupt, sqlite.ResultNotADB:
			return plans, nil
		default:
			return nil, err
		}
	}
	return plans, nil
}
