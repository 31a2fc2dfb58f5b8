package cursorcli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

var _ retold.Importer = (*Source)(nil)

// PlanImport writes conversations as chats of the command line agent, which
// lists and resumes them (formats E.8): for each a folder below the one that is
// named after the hash of the working directory, in it store.db with the state,
// its turns and the messages for the model, and meta.json with the folder.
// Transcripts are left to the agent; it asks for none.
func (s *Source) PlanImport(ctx context.Context, m retold.Import) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		v := &mover{ctx: ctx, move: retold.Move{Place: m.Place, To: m.To}, to: paths.ParseAddress(m.To), yield: yield, made: map[string]bool{}}
		err := v.settle()
		for _, a := range m.Sessions {
			if err != nil {
				break
			}
			if err = v.arrive(a); err != nil && retold.CodeOf(err) == "" && !errors.Is(err, errStopped) {
				err = fmt.Errorf("plan to import %s: %w", a.Session.ID, err)
			}
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(retold.Step{}, err)
		}
	}
}

// settle finds the folder as the agent will call it: what links lead to, because
// that is what a program learns of its working directory.
func (v *mover) settle() error {
	if !v.to.IsLocal() {
		return &retold.Error{
			Code: retold.CodeUsage, Err: fmt.Errorf("%s is not on this machine", v.move.To),
			Hint: "import it there: the command line agent of a machine keeps its own chats",
		}
	}
	if v.to.IsWindows() { // seen from WSL: there is nothing to follow
		return nil
	}
	dir := v.to.FSPath()
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is a file")
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return &retold.Error{Code: retold.CodeWorkspaceNotFound, Op: "import", Path: v.to.FSPath(), Err: err, Hint: "make the folder first, or name another one with --workspace"}
	}
	v.to = paths.ParseAddress(dir)
	return nil
}

// chatsRoot is the folder of chats of a place.
func chatsRoot(place string) (string, error) {
	switch kind := kindOf(place); kind {
	case kindChats:
		return place, nil
	case kindACP, kindProjects:
		return "", &retold.Error{Code: retold.CodeUsage, Op: "import into", Path: place, Err: fmt.Errorf("a folder %s holds no chats", kind), Hint: "name ~/.cursor with --cursor-home"}
	}
	return filepath.Join(place, kindChats), nil
}

// arrive plans one conversation.
func (v *mover) arrive(a retold.Arrival) error {
	root, err := chatsRoot(v.move.Place)
	if err != nil {
		return err
	}
	if err := v.vacant(root, a.ID); err != nil {
		return err
	}
	group := filepath.Join(root, paths.MD5(v.to.FSPath()))
	dir := filepath.Join(group, a.ID)
	w := &chat{id: a.ID, to: v.to, whole: a.Session, keep: a.Session.Agent == agent && a.Session.ID == a.ID}
	if err := w.write(); err != nil {
		return err
	}
	store, err := w.store()
	if err != nil {
		return err
	}
	meta, err := w.sidecar()
	if err != nil {
		return err
	}
	if err := v.give(retold.Step{Session: a.ID}); err != nil {
		return err
	}
	for _, d := range []string{root, group, dir} {
		if err := v.folder(a.ID, d); err != nil {
			return err
		}
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{"store.db", store}, {"meta.json", meta}} {
		path := filepath.Join(dir, f.name)
		before, err := readFile(path)
		if err != nil {
			return err
		}
		after := &retold.File{Mode: 0o644, Data: f.data}
		if before != nil {
			after.Mode = before.Mode
		}
		if err := v.file(a.ID, retold.FileChange{Path: path, Before: before, After: after}); err != nil {
			return err
		}
	}
	return nil
}

// vacant wants no store under an id; a chat that was opened and left without a
// word has only its meta.json.
func (v *mover) vacant(chats, id string) error {
	found, err := entries(chats, id)
	if err != nil {
		return err
	}
	for _, dir := range append(found, filepath.Join(filepath.Dir(chats), kindACP, id)) {
		for _, name := range []string{"store.db", "store.db-wal", "store.db-journal"} {
			_, err := os.Lstat(filepath.Join(dir, name))
			if err == nil {
				return &retold.Error{
					Code: retold.CodeUsage, Op: "import into", Path: dir, Err: fmt.Errorf("there is a conversation %s", id),
					Hint: "`retold migrate session " + id + " --to FOLDER` moves it, with --copy it is copied; --again imports it once more",
				}
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// sidecar is meta.json: what the agent lists a chat by (formats E.2).
func (w *chat) sidecar() ([]byte, error) {
	created, updated := w.times()
	return encodeJSON(struct {
		SchemaVersion   int    `json:"schemaVersion"`
		CreatedAtMs     int64  `json:"createdAtMs"`
		HasConversation bool   `json:"hasConversation"`
		UpdatedAtMs     int64  `json:"updatedAtMs"`
		Cwd             string `json:"cwd"`
		Title           string `json:"title"`
	}{1, created, true, updated, w.to.FSPath(), w.title()})
}

// title is never empty: the agent would show the name of chats without one.
func (w *chat) title() string {
	return cmp.Or(w.whole.Title, w.whole.FirstMessagePreview, w.whole.WorkspaceName, "Imported conversation")
}
