package cursor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"modernc.org/sqlite/vfs"
	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// held is what a backup holds of a User folder. Its databases are read where
// they lie.
type held struct {
	ctx   context.Context
	files fs.FS
	vfs   *vfs.FS
	name  string // of vfs, for SQLite

	global     *sqlite.Conn // nil when there is none
	tables     tables
	workspaces []heldWorkspace
	images     map[string][]string // names of images by workspace
	states     map[string][]string // names of file states by request
}

// A heldWorkspace is what the lists of one workspace said.
type heldWorkspace struct {
	id        string
	composers []byte                 // composer.composerData
	chats     []byte                 // the tabs of the chat panel
	rows      map[string]*retold.Row // of its table composerHeaders, by conversation
}

// rooted takes off the slash that SQLite puts before every path.
type rooted struct{ fs.FS }

func (r rooted) Open(name string) (fs.File, error) { return r.FS.Open(strings.TrimPrefix(name, "/")) }

func openHeld(ctx context.Context, files fs.FS, names []string) (h *held, err error) {
	h = &held{ctx: ctx, files: files, images: map[string][]string{}, states: map[string][]string{}}
	if h.name, h.vfs, err = vfs.New(rooted{files}); err != nil {
		return nil, fmt.Errorf("show the backup to SQLite: %w", err)
	}
	for _, name := range []string{"globalStorage/state.vscdb", "globalStorage/state.vscdb.backup"} {
		if h.global == nil && slices.Contains(names, name) {
			if h.global, err = h.connect(name); err != nil {
				return nil, errors.Join(err, h.close())
			}
		}
	}
	if h.global != nil {
		if h.tables, err = findTables(h.global); err != nil {
			return nil, errors.Join(err, h.close())
		}
	}
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, checkpointFolder+"/"); ok {
			if request, _, deeper := strings.Cut(rest, "/"); deeper {
				h.states[request] = append(h.states[request], name)
			}
			continue
		}
		parts := strings.Split(name, "/")
		switch {
		case len(parts) < 3 || parts[0] != "workspaceStorage":
		case len(parts) == 3 && parts[2] == "state.vscdb":
			if err := h.workspace(parts[1], name); err != nil {
				return nil, errors.Join(err, h.close())
			}
		case parts[2] == "images":
			h.images[parts[1]] = append(h.images[parts[1]], strings.Join(parts[3:], "/"))
		}
	}
	return h, nil
}

func (h *held) connect(name string) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn("file:"+(&url.URL{Path: "/" + name}).EscapedPath()+"?mode=ro&immutable=1&vfs="+h.name, sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return nil, fmt.Errorf("open %s in the backup: %w", name, err)
	}
	conn.SetInterrupt(h.ctx.Done())
	return conn, nil
}

// workspace reads the lists of one workspace.
func (h *held) workspace(id, name string) (err error) {
	conn, err := h.connect(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	t, err := findTables(conn)
	if err != nil || !t.items && !t.heads {
		return err
	}
	w := heldWorkspace{id: id}
	if t.heads {
		if w.rows, err = headRows(conn, "1", nil); err != nil {
			return fmt.Errorf("%s in the backup: %w", name, err)
		}
	}
	if !t.items {
		h.workspaces = append(h.workspaces, w)
		return nil
	}
	items, err := get(conn, "ItemTable", keyComposers, keyChatData)
	if err != nil {
		return fmt.Errorf("%s in the backup: %w", name, err)
	}
	w.composers, w.chats = items[keyComposers].value, items[keyChatData].value
	h.workspaces = append(h.workspaces, w)
	return nil
}

func (h *held) close() error {
	var err error
	if h.global != nil {
		err = h.global.Close()
	}
	return errors.Join(err, h.vfs.Close())
}

// row is one row of the global database; nil when it is not there.
func (h *held) row(table, column, key string) (*retold.Row, error) {
	rows, err := storedRows(h.global, table, column+" = ?", key)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return &rows[0], nil
}

// item is a value of the global ItemTable; nil when it is not there.
func (h *held) item(key string) (jscan.Value, error) {
	if h.global == nil || !h.tables.items {
		return nil, nil
	}
	items, err := get(h.global, "ItemTable", key)
	if err != nil {
		return nil, err
	}
	v, err := jscan.Parse(items[key].value)
	if err != nil {
		return nil, nil //nolint:nilerr // what is no JSON lists nothing
	}
	return v, nil
}

// has reports whether a record of the global database is there.
func (h *held) has(key string) (bool, error) {
	return exists(h.global, "SELECT 1 FROM cursorDiskKV WHERE key = ? AND value IS NOT NULL", key)
}

// tab finds a tab of the chat panel.
func (w *heldWorkspace) tab(id string) jscan.Value { return tabIn(w.chats, id) }

func tabIn(doc []byte, id string) jscan.Value {
	chats, err := jscan.Parse(doc)
	if err != nil {
		return nil
	}
	for _, tab := range tabsOf(chats) {
		if tab.First("tabId", "id").Text() == id {
			return tab
		}
	}
	return nil
}
