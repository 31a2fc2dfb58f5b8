package cursor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/livedb"
	"github.com/retold-history/retold/internal/paths"
)

// Keys of a workspace's ItemTable that name or hold conversations (formats B).
const (
	keyChatData    = "workbench.panel.aichat.view.aichat.chatdata"
	keyPrompts     = "aiService.prompts"
	keyGenerations = "aiService.generations"
	keyComposers   = "composer.composerData"
	keyHeaders     = "composer.composerHeaders"
	keyProjects    = "glass.localAgentProjects.v1"
	keyMembership  = "glass.localAgentProjectMembership.v1"
	panePrefix     = "workbench.panel.composerChatViewPane."
	panelPrefix    = "workbench.panel.aichat."
)

// A workspace is one folder of workspaceStorage.
type workspace struct {
	id       string
	dir      string
	location paths.Location

	chats       jscan.Value // B.1
	prompts     jscan.Value // B.2
	generations jscan.Value
	heads       []composer
	inline      map[string]jscan.Value // composers whose conversation lies here
	named       []string               // ids in pane keys and selections
	flaws       []flaw
}

func (w *workspace) db() string { return filepath.Join(w.dir, "state.vscdb") }

// workspaceDirs lists the folders of workspaceStorage in a fixed order.
func workspaceDirs(user string) ([]string, error) {
	root := filepath.Join(user, "workspaceStorage")
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			dirs = append(dirs, filepath.Join(root, e.Name()))
		}
	}
	sort.Strings(dirs)
	return dirs, nil
}

// locate reads workspace.json (formats A.4): a folder, a .code-workspace file
// under either of its names, or nothing for an empty window.
func locate(dir string) (paths.Location, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "workspace.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return paths.Location{}, nil
	}
	if err != nil {
		return paths.Location{}, err
	}
	v, err := jscan.Parse(raw)
	if err != nil {
		return paths.Location{}, err
	}
	return location(v.First("folder", "workspace", "configuration")), nil
}

// loadWorkspace reads a folder's own lists and generation 1 chats. What cannot
// be read becomes a problem of the workspace.
func loadWorkspace(ctx context.Context, dir string) *workspace {
	w := &workspace{id: filepath.Base(dir), dir: dir, inline: map[string]jscan.Value{}}
	var err error
	if w.location, err = locate(dir); err != nil {
		w.trouble(filepath.Join(dir, "workspace.json"), "", err)
	}
	if _, err := os.Stat(w.db()); errors.Is(err, fs.ErrNotExist) {
		return w
	}
	db, err := livedb.Open(ctx, w.db())
	if err != nil {
		w.trouble(w.db(), "", err)
		return w
	}
	var items map[string]row
	var heads []composer
	err = db.Read(ctx, func(conn *sqlite.Conn) error {
		items, heads, err = workspaceItems(conn)
		return err
	})
	if err = errors.Join(err, db.Close()); err != nil {
		w.trouble(w.db(), "", err)
		return w
	}
	w.heads = heads
	w.digest(items)
	return w
}

func (w *workspace) trouble(path, key string, err error) {
	kind := retold.ProblemUnreadable
	if key != "" {
		kind = retold.ProblemMalformed
	}
	w.flaws = append(w.flaws, newFlaw(path, key, kind, err))
}

// workspaceItems reads the records of interest, and the heads of the table that
// builds since 3.10 create here too.
func workspaceItems(conn *sqlite.Conn) (map[string]row, []composer, error) {
	t, err := findTables(conn)
	if err != nil || !t.items {
		return nil, nil, err
	}
	items, err := get(conn, "ItemTable", keyChatData, keyPrompts, keyGenerations, keyComposers)
	if err != nil {
		return nil, nil, err
	}
	for _, prefix := range []string{panePrefix, panelPrefix} {
		value := "value"
		if prefix == panelPrefix { // the key says it all, and the chat tabs are among them
			value = "NULL"
		}
		err := sqlitex.Execute(conn, "SELECT rowid, key, "+value+" FROM ItemTable WHERE key >= ? AND key < ? AND key <> ?", &sqlitex.ExecOptions{
			Args: []any{prefix, end(prefix), keyChatData},
			ResultFunc: func(s *sqlite.Stmt) error {
				r := readRow(s)
				items[r.key] = r
				return nil
			},
		})
		if err != nil {
			return nil, nil, err
		}
	}
	var heads []composer
	if t.heads {
		heads, err = tableHeads(conn, "")
	}
	return items, heads, err
}

// digest takes the lists apart.
func (w *workspace) digest(items map[string]row) {
	value := func(key string) jscan.Value {
		r, ok := items[key]
		if !ok || r.null || len(r.value) == 0 {
			return nil
		}
		v, err := jscan.Parse(r.value)
		if err != nil {
			w.trouble(w.db(), key, err)
		}
		return v
	}
	w.chats, w.prompts, w.generations = value(keyChatData), value(keyPrompts), value(keyGenerations)
	w.digestComposers(value(keyComposers))
	for key, r := range items {
		switch {
		case strings.HasPrefix(key, panePrefix):
			w.namePanes(r.value)
		case strings.HasPrefix(key, panelPrefix) && strings.HasSuffix(key, ".numberOfVisibleViews"):
			w.name(strings.TrimSuffix(strings.TrimPrefix(key, panelPrefix), ".numberOfVisibleViews"))
		}
	}
	sort.Strings(w.named)
}

// digestComposers reads composer.composerData in its three states (formats B.3).
func (w *workspace) digestComposers(lists jscan.Value) {
	composers := lists.Get("allComposers")
	if lists.Kind() == jscan.Array {
		composers = lists
	}
	for head := range composers.Items() {
		c := decodeComposer(head)
		if !isID(c.id) {
			continue
		}
		c.sum = hash64(0, head)
		if !c.conversation.Empty() || !c.byID.Empty() {
			w.inline[c.id] = head
		}
		w.heads = append(w.heads, c)
	}
	for _, key := range []string{"selectedComposerIds", "lastFocusedComposerIds"} {
		for id := range lists.Get(key).Items() {
			w.name(id.Str())
		}
	}
	w.name(lists.Get("selectedComposerId").Str())
}

// namePanes reads the keys of a pane's state: their last dotted part is a
// composer (formats B.3).
func (w *workspace) namePanes(value []byte) {
	v, err := jscan.Parse(value)
	if err != nil { // display state of the window, not history
		return
	}
	for key := range v.Members() {
		k := string(key)
		if !strings.HasSuffix(k, ".hidden") {
			w.name(k[strings.LastIndexByte(k, '.')+1:])
		}
	}
}

func (w *workspace) name(id string) {
	if isUUID(id) {
		w.named = append(w.named, id)
	}
}

// isID refuses what is no conversation: the placeholder of an empty window.
func isID(id string) bool { return id != "" && id != "empty-state-draft" }

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (s[i] == '-') || !dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(s[i])) {
			return false
		}
	}
	return true
}

// reason is an error in a sentence, without the path that stands beside it.
func reason(err error) string {
	if e, ok := errors.AsType[*retold.Error](err); ok && e.Err != nil {
		return e.Err.Error()
	}
	return err.Error()
}
