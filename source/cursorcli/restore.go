package cursorcli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/relocate"
)

var _ retold.Restorer = (*Source)(nil)

// PlanRestore brings the files of sessions back: their folders below chats and
// acp-sessions and their transcripts, as the backup has them. What was moved to
// another folder since is put back where it lives now. The plans come along that
// these files name and that are gone, and those that want.Plans names.
// A file is newer in the place when it was written after the one in the backup; a
// store also when its log was.
func (s *Source) PlanRestore(ctx context.Context, want retold.Restore) iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		r := &restorer{mover: mover{ctx: ctx, yield: yield, made: map[string]bool{}}, want: want, moved: map[string]string{}, maps: map[string]relocate.Map{}, plans: map[string]bool{}}
		for _, id := range want.Sessions {
			if err := r.session(id); err != nil {
				if !errors.Is(err, errStopped) {
					yield(retold.Step{}, err)
				}
				return
			}
		}
	}
}

// A restorer plans one restore.
type restorer struct {
	mover
	want  retold.Restore
	moved map[string]string       // files and folders of sessions in the backup → where they live now
	maps  map[string]relocate.Map // by session
	plans map[string]bool         // that come along already
}

// belongs reports whether a file is one of a session's own: it is called after it,
// or lies in a folder that is.
func belongs(name, id string) bool {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		switch {
		case part == id:
			return true
		case i == len(parts)-1 && slices.Contains([]string{".jsonl", ".txt", ".json"}, strings.TrimPrefix(part, id)) && strings.HasPrefix(part, id):
			return slices.Contains(parts, "agent-transcripts")
		}
	}
	return false
}

func (r *restorer) session(id string) error {
	var own []string
	for _, name := range r.want.Names {
		if id != "" && belongs(name, id) {
			own = append(own, name)
		}
	}
	if len(own) > 0 {
		if err := r.give(retold.Step{Session: id}); err != nil {
			return err
		}
	}
	var err error
	for _, name := range own {
		if err = r.bring(id, name); err != nil {
			break
		}
	}
	if err == nil {
		err = r.plansOf(id, own)
	}
	if err == nil || retold.CodeOf(err) != "" || errors.Is(err, errStopped) {
		return err
	}
	return fmt.Errorf("plan to restore %s: %w", id, err)
}

// bring plans one file.
func (r *restorer) bring(id, name string) error {
	here, err := r.whereabouts(id, name)
	if err != nil {
		return err
	}
	at := filepath.Join(r.want.Place, filepath.FromSlash(here))
	info, err := fs.Stat(r.want.Files, name)
	if err != nil {
		return err
	}
	now, logs, err := r.here(at)
	if err != nil {
		return err
	}
	latest := time.Time{}
	if now != nil {
		latest = now.ModTime
	}
	for _, l := range logs {
		if l.file.ModTime.After(latest) && len(l.file.Data) > 0 {
			latest = l.file.ModTime
		}
	}
	// Times in a backup have milliseconds.
	written := info.ModTime().Truncate(time.Millisecond)
	switch latest = latest.Truncate(time.Millisecond); {
	case now != nil && isDatabase(name) && latest.Equal(written):
		return nil // a copy of a database has other bytes
	case now != nil && latest.After(written) && !r.want.Overwrite:
		return r.newer(id, at, latest, now, name)
	}
	data, err := fs.ReadFile(r.want.Files, name)
	if err != nil {
		return err
	}
	data = r.fitting(id, name, data)
	after := &retold.File{Mode: 0o644, ModTime: info.ModTime(), Data: data}
	if now == nil {
		if err := r.folders(id, path.Dir(here)); err != nil {
			return err
		}
		return r.file(id, retold.FileChange{Path: at, After: after})
	}
	if string(now.Data) == string(data) {
		return nil
	}
	for _, l := range logs { // they would be played into what comes
		if err := r.file(id, retold.FileChange{Path: l.path, Before: l.file}); err != nil {
			return err
		}
	}
	after.Mode = now.Mode
	return r.file(id, retold.FileChange{Path: at, Before: now, After: after})
}

// newer is the refusal of a file that has gone on, if it differs.
func (r *restorer) newer(id, at string, latest time.Time, now *retold.File, name string) error {
	data, err := fs.ReadFile(r.want.Files, name)
	if err != nil || string(r.fitting(id, name, data)) == string(now.Data) {
		return err
	}
	return &retold.Error{
		Code: retold.CodeRestoreFailed, Op: "restore", Path: at,
		Err:  fmt.Errorf("session %s is newer here than in the backup: it was changed %s", id, latest.UTC().Format(time.RFC3339)),
		Hint: "add --overwrite to put what the backup holds in its place",
	}
}

// A side is a file beside a database.
type side struct {
	path string
	file *retold.File
}

// here is a file as it is, with the logs of a database.
func (r *restorer) here(at string) (now *retold.File, logs []side, err error) {
	if now, err = readFile(at); err != nil || !isDatabase(at) {
		return now, nil, err
	}
	for _, suffix := range []string{"-journal", "-wal", "-shm"} {
		f, err := readFile(at + suffix)
		if err != nil {
			return nil, nil, err
		}
		if f != nil {
			logs = append(logs, side{at + suffix, f})
		}
	}
	return now, logs, nil
}

// folders makes the folders on the way to a file.
func (r *restorer) folders(id, dir string) error {
	if dir == "." {
		return nil
	}
	if err := r.folders(id, path.Dir(dir)); err != nil {
		return err
	}
	at := filepath.Join(r.want.Place, filepath.FromSlash(dir))
	if _, err := os.Stat(at); err == nil {
		return nil
	}
	return r.folder(id, at)
}
