package cursorcli

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
	"github.com/retold-history/retold/internal/relocate"
)

var _ retold.Writer = (*Source)(nil)

// PlanMove gives sessions another folder: their own folder below chats goes to
// the one that is named after the new folder (formats A.6), meta.json names it,
// and transcripts, those of the IDE among them, go to its project. The store of
// programs that use @cursor/sdk goes along when all of its sessions do. The agent
// state itself stays as it is: its blobs are named after what they hold.
func (s *Source) PlanMove(ctx context.Context, m retold.Move) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		v := &mover{ctx: ctx, move: m, to: paths.ParseAddress(m.To), yield: yield, made: map[string]bool{}}
		if !v.to.IsLocal() {
			return // the command line of that machine keeps its own files there
		}
		left, err := v.sdkStores()
		if err != nil {
			if !errors.Is(err, errStopped) {
				yield(retold.Step{}, err)
			}
			return
		}
		for _, id := range m.Sessions {
			if id == "" || id == "." || id == ".." || strings.ContainsAny(id, `/\`) {
				continue // no name of a file
			}
			if left[id] {
				continue
			}
			if err := v.session(id); err != nil {
				if !errors.Is(err, errStopped) {
					yield(retold.Step{}, fmt.Errorf("plan to move %s: %w", id, err))
				}
				return
			}
		}
	}
}

var errStopped = errors.New("nobody wants more steps")

type mover struct {
	ctx   context.Context
	move  retold.Move
	to    paths.Address
	yield func(retold.Step, error) bool
	made  map[string]bool // folders that earlier steps make
}

func (v *mover) give(s retold.Step) error {
	if !v.yield(s, nil) {
		return errStopped
	}
	return v.ctx.Err()
}

func (v *mover) file(id string, f retold.FileChange) error {
	return v.give(retold.Step{Session: id, File: &f})
}

// folder makes a folder unless it is there.
func (v *mover) folder(id, dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || v.made[dir] {
		if v.made[dir] {
			return nil
		}
		return err
	}
	v.made[dir] = true
	return v.file(id, retold.FileChange{Path: dir, After: &retold.File{Dir: true, Mode: 0o755}})
}

// A moving is one session on its way.
type moving struct {
	id, to string
	m      relocate.Map
}

func (v *mover) session(id string) error {
	mv := &moving{id: id, to: cmp.Or(v.move.Copies[id], id)}
	stores, err := entries(filepath.Join(v.move.Place, "chats"), id)
	if err != nil {
		return err
	}
	acp := filepath.Join(v.move.Place, "acp-sessions", id)
	cwd := v.move.From
	for _, dir := range append(slices.Clone(stores), acp) {
		cwd = cmp.Or(cwd, cwdOf(dir))
	}
	from := v.to
	if cwd != "" {
		from = paths.ParseAddress(cwd)
	}
	mv.m = relocate.Map{From: from, To: v.to, Projects: map[string]string{paths.Slug(from.FSPath()): paths.Slug(v.to.FSPath())}}
	if v.move.Copies != nil {
		mv.m.IDs = v.move.Copies
	}
	for _, dir := range ours(stores, func(dir string) bool {
		return filepath.Base(filepath.Dir(dir)) == paths.MD5(from.FSPath()) || cwdOf(dir) == from.FSPath()
	}) {
		if err := v.store(mv, dir); err != nil {
			return err
		}
	}
	if _, err := os.Stat(acp); err == nil {
		if err := v.acp(mv, acp); err != nil {
			return err
		}
	}
	return v.transcripts(mv)
}

// entries are the folders or files of that name one level below root.
func entries(root, name string) (found []string, err error) {
	dirs, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		p := filepath.Join(root, d.Name(), name)
		if _, err := os.Lstat(p); err == nil {
			found = append(found, p)
		}
	}
	return found, nil
}

// ours are those that belong to the folder that is left; one that is alone
// belongs to it whatever it is called.
func ours(found []string, belongs func(string) bool) (list []string) {
	for _, dir := range found {
		if belongs(dir) {
			list = append(list, dir)
		}
	}
	if len(list) == 0 && len(found) == 1 {
		return found
	}
	return list
}

// cwdOf is the folder that meta.json names; "" when it names none.
func cwdOf(dir string) string {
	raw, err := os.ReadFile(filepath.Join(dir, "meta.json"))
	if err != nil {
		return ""
	}
	v, err := jscan.Parse(raw)
	if err != nil {
		return ""
	}
	return v.Get("cwd").Str()
}

// store moves or copies one folder below chats.
func (v *mover) store(mv *moving, dir string) error {
	group := filepath.Join(v.move.Place, "chats", paths.MD5(v.to.FSPath()))
	to := filepath.Join(group, mv.to)
	if to == dir {
		return nil
	}
	if err := v.folder(mv.id, group); err != nil {
		return err
	}
	if v.move.Copies != nil {
		return v.copyStore(mv, dir, to)
	}
	if err := v.meta(mv, dir); err != nil {
		return err
	}
	return v.file(mv.id, retold.FileChange{Path: to, From: dir, Rename: true})
}

// meta lets a meta.json name the new folder.
func (v *mover) meta(mv *moving, dir string) error {
	path := filepath.Join(dir, "meta.json")
	f, err := readFile(path)
	if err != nil {
		return err
	}
	if f == nil {
		return v.describe(mv, filepath.Join(dir, "store.db"), path)
	}
	after := *f
	after.Data = v.named(mv, f.Data)
	return v.file(mv.id, retold.FileChange{Path: path, Before: f, After: &after})
}

// describe makes a meta.json for a store that has none: newer programs say the
// folder there, and its name is only a hash of it.
func (v *mover) describe(mv *moving, store, path string) error {
	info, err := os.Stat(store)
	if err != nil {
		return nil //nolint:nilerr // no store: nothing to describe
	}
	row, err := v.self(store)
	if err != nil || row == nil {
		return err
	}
	plain, err := hex.DecodeString(string(row.Cells[1].Value.Bytes))
	if err != nil {
		plain = row.Cells[1].Value.Bytes
	}
	rec, err := jscan.Parse(plain)
	if err != nil {
		return nil //nolint:nilerr // a store that does not say who it is stays as it is
	}
	updated := info.ModTime().UnixMilli()
	created, ok := rec.Get("createdAt").Int()
	if !ok {
		created = updated
	}
	return v.file(mv.id, retold.FileChange{Path: path, After: &retold.File{Mode: 0o644, ModTime: info.ModTime(), Data: fmt.Appendf(nil,
		`{"schemaVersion":1,"createdAtMs":%d,"hasConversation":true,"updatedAtMs":%d,"cwd":"%s"}`, created, updated, jscan.Quote([]byte(v.to.FSPath())))}})
}

// named is a meta.json for the new folder.
func (v *mover) named(mv *moving, meta []byte) []byte {
	rec, err := jscan.Parse(meta)
	if err != nil {
		return meta
	}
	doc := mv.m.JSON(meta)
	cwd := rec.Get("cwd")
	if cwd.Kind() != jscan.String || string(doc) != string(meta) {
		return doc
	}
	at := jscan.Offset(meta, cwd) // another spelling of the folder
	return jscan.Edit(meta, []jscan.Splice{{Start: at + 1, End: at + len(cwd) - 1, Text: jscan.Quote([]byte(v.to.FSPath()))}})
}

// readFile is a file as it is; nil when it is not there.
func readFile(path string) (*retold.File, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	return &retold.File{Mode: info.Mode().Perm(), ModTime: info.ModTime(), Data: data}, err
}

// acp lets a session that was started by an editor name the new folder; these
// are not filed by folder.
func (v *mover) acp(mv *moving, dir string) error {
	if v.move.Copies == nil {
		return v.meta(mv, dir)
	}
	return v.copyStore(mv, dir, filepath.Join(filepath.Dir(dir), mv.to))
}

// copyStore copies a store and gives the copy its own id.
func (v *mover) copyStore(mv *moving, dir, to string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if err := v.folder(mv.id, to); err != nil {
		return err
	}
	for _, e := range list {
		from := filepath.Join(dir, e.Name())
		info, err := e.Info()
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular() || strings.HasSuffix(e.Name(), "-shm"):
			continue
		case strings.HasSuffix(e.Name(), "-wal") || strings.HasSuffix(e.Name(), "-journal"):
			if info.Size() == 0 {
				continue
			}
			return &retold.Error{
				Code: retold.CodeDatabaseLocked, Op: "copy", Path: from, Err: errors.New("its program did not close it"),
				Hint: "resume the session once with cursor-agent and leave it, or move it instead of copying",
			}
		case e.Name() == "meta.json":
			f, err := readFile(from)
			if err != nil {
				return err
			}
			f.Data = v.named(mv, f.Data)
			err = v.file(mv.id, retold.FileChange{Path: filepath.Join(to, e.Name()), After: f})
			if err != nil {
				return err
			}
		default:
			if err := v.copyFile(mv, from, filepath.Join(to, e.Name()), info); err != nil {
				return err
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "meta.json")); errors.Is(err, fs.ErrNotExist) {
		if err := v.describe(mv, filepath.Join(dir, "store.db"), filepath.Join(to, "meta.json")); err != nil {
			return err
		}
	}
	return v.ownID(mv, filepath.Join(dir, "store.db"), filepath.Join(to, "store.db"))
}

func (v *mover) copyFile(mv *moving, from, to string, info fs.FileInfo) error {
	return v.file(mv.id, retold.FileChange{Path: to, From: from, After: &retold.File{Mode: info.Mode().Perm(), ModTime: info.ModTime()}})
}

// ownID changes the ids in a copy's record of itself, which is hex of JSON
// (formats E.2).
func (v *mover) ownID(mv *moving, original, twin string) error {
	if _, err := os.Stat(original); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	before, err := v.self(original)
	if err != nil || before == nil {
		return err
	}
	value := before.Cells[1].Value.Bytes
	plain, err := hex.DecodeString(string(value))
	now := []byte(hex.EncodeToString(mv.m.JSON(plain)))
	if err != nil { // some builds keep the JSON as it is
		now = mv.m.JSON(value)
	}
	after := &retold.Row{Rowid: before.Rowid, Cells: []retold.Cell{before.Cells[0], {Column: "value", Value: retold.Value{Class: retold.ClassText, Bytes: now}}}}
	return v.give(retold.Step{Session: mv.id, Row: &retold.RowChange{
		Database: twin, Table: "meta", Key: []retold.Cell{before.Cells[0]}, Before: before, After: after,
	}})
}

// self is a store's record of itself; nil when it has none.
func (v *mover) self(store string) (*retold.Row, error) {
	db, err := livedb.Open(v.ctx, store)
	if err != nil {
		return nil, err
	}
	var before *retold.Row
	err = db.Read(v.ctx, func(conn *sqlite.Conn) error {
		before = nil
		return sqlitex.Execute(conn, "SELECT rowid, key, value FROM meta WHERE key = '0' AND typeof(value) = 'text'", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			before = &retold.Row{Rowid: s.ColumnInt64(0), Cells: []retold.Cell{
				{Column: "key", Value: retold.TextValue(s.ColumnText(1))}, {Column: "value", Value: retold.TextValue(s.ColumnText(2))},
			}}
			return nil
		}})
	})
	return before, errors.Join(err, db.Close())
}
