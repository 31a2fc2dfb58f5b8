package change

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/atomicfile"
)

// stamp says how a file looks, and the log beside it that may hold more of it: two
// that are the same belong to the same bytes as long as nobody turns back clocks.
// It is "" where nothing lies.
func stamp(path string) (string, error) {
	var parts []string
	for _, name := range []string{path, path + "-wal"} {
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if name == path {
				return "", nil
			}
		case err != nil:
			return "", err
		case name == path || info.Size() > 0: // an empty log says nothing
			parts = append(parts, fmt.Sprintf("%d@%d", info.Size(), info.ModTime().UnixNano()))
		}
	}
	return strings.Join(parts, "+"), nil
}

const stampFile = "stamps"

// stampAll keeps how restored files look now that the change is done.
func stampAll(r *record, steps []step) error {
	stamps := map[string]string{}
	for i := range steps {
		f := steps[i].File
		if f == nil || !f.Restored {
			continue
		}
		s, err := stamp(f.Path)
		if err != nil {
			return fmt.Errorf("look at what was restored: %w", err)
		}
		if s != "" { // settled later, when somebody had removed it
			stamps[f.Path] = s
		}
	}
	if len(stamps) == 0 {
		return nil
	}
	text, err := json.Marshal(stamps)
	if err != nil {
		return err
	}
	return atomicfile.Replace(filepath.Join(r.dir, stampFile), text, 0o600)
}

// stamps are those that stampAll kept, by file.
func (r *record) stamps() (map[string]string, error) {
	stamps := map[string]string{}
	text, err := os.ReadFile(filepath.Join(r.dir, stampFile))
	if errors.Is(err, fs.ErrNotExist) {
		return stamps, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &stamps)
	}
	if err != nil {
		return nil, damaged(r.dir, err)
	}
	return stamps, nil
}

// Ready returns the error with which Apply refuses to take back restored files that
// somebody has changed or removed since; see Plan.Overwrite.
func (d *Desk) Ready(p *Plan) error {
	if p.overwrite {
		return nil
	}
	return d.ready(p.steps)
}

func (d *Desk) ready(steps []step) error {
	var list []string
	for i := range steps {
		f := steps[i].File
		// Its own files retold brings up to date whenever somebody asks.
		if f == nil || f.Stamp == "" || strings.HasPrefix(f.place(), d.Home+string(filepath.Separator)) {
			continue
		}
		now, err := stamp(f.place())
		if err != nil {
			return err
		}
		if now != f.Stamp {
			list = append(list, f.place())
		}
	}
	if len(list) == 0 {
		return nil
	}
	const most = 10
	text := "it was changed since"
	if n := len(list) - 1; n > 0 {
		text += ", and so were " + strings.Join(list[1:min(n, most)+1], ", ")
		if n > most {
			text += fmt.Sprintf(" and %d more", n-most)
		}
	}
	return &retold.Error{
		Code: retold.CodeChanged, Op: "take back", Path: list[0], Err: errors.New(text),
		Hint: "nothing was written; with --overwrite it is taken back as it is now, and kept in the folder .retold-restore-…",
	}
}

// place is where a restored file lies that is to be taken back.
func (f *fileStep) place() string {
	if f.Op == opRename {
		return f.From
	}
	return f.Path
}

// Overwrite makes Apply take restored files back as they are now, whatever happened
// to them since. One that is gone is passed over.
func (p *Plan) Overwrite() error {
	p.overwrite = true
	var steps []step
	for _, s := range p.steps {
		f := s.File
		if f == nil || !f.Restored {
			steps = append(steps, s)
			continue
		}
		there, err := exists(f.place())
		if err != nil {
			return err
		}
		switch {
		case there:
			steps = append(steps, s)
		case f.Op == opSwap: // what was put aside comes back into the empty place
			back := *f
			back.Op, back.Aside, back.Stamp = opRename, "", ""
			steps = append(steps, step{Session: s.Session, File: &back})
		}
	}
	p.steps = steps
	return nil
}
