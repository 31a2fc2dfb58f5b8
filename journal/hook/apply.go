package hook

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/atomicfile"
)

// Apply carries a plan out. A file that is not as it was when the plan was made is
// left as it is, which ends it: the error names the file, and what was done before
// stays done.
func (h *Hooks) Apply(ctx context.Context) error {
	for i := range h.Hooks {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &h.Hooks[i]
		if p.State != Installed && p.State != Updated && p.State != Removed || p.after != nil && p.before != nil && *p.after == *p.before {
			continue
		}
		if err := p.write(); err != nil {
			hint := "make the file and its folder writable, then run it again"
			if !errors.Is(err, fs.ErrPermission) {
				hint = "run it again; `retold journal status` shows what is installed"
			}
			return &retold.Error{Op: "write hook", Path: p.Path, Err: err, Hint: hint}
		}
	}
	return nil
}

// write gives a file what is planned, under its name at once.
func (p *Hook) write() error {
	if p.after == nil && p.before == nil { // written with another hook
		return nil
	}
	if err := same(p.target, p.before); err != nil {
		return err
	}
	dir := filepath.Dir(p.target)
	switch {
	case p.after == nil:
		if err := os.Remove(p.target); err != nil {
			return err
		}
		if p.folder {
			_ = os.Remove(dir) // it stays when something else is in it
		}
		return nil
	case p.before == nil:
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o755)
		if filepath.Base(p.target) == localFile {
			mode = 0o644
		}
		return atomicfile.Create(p.target, []byte(*p.after), mode)
	}
	info, err := os.Stat(p.target)
	if err != nil {
		return err
	}
	return atomicfile.Replace(p.target, []byte(*p.after), info.Mode().Perm())
}

// exists reports whether something has a name.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
