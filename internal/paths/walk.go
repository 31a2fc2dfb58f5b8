package paths

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// A Found is a regular file.
type Found struct {
	Path string // where it lies
	Rel  string // below the folder that was walked, with slashes
	Size int64
}

// ErrLink is in the tree of the error for a link that was not followed.
var ErrLink = errors.New("a link is not followed")

// Walk yields the regular files below a folder, in a fixed order. The folder
// itself may be a link, or missing; a link below it is an error, as anybody who
// can write there could lead it anywhere. So is what cannot be read; the loop goes
// on. After a cancelled context it yields the context's error and ends.
func Walk(ctx context.Context, dir string) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		root, err := filepath.EvalSymlinks(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Found{}, err)
			return
		}
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what went wrong was yielded
			if ctx.Err() != nil {
				yield(Found{}, ctx.Err())
				return fs.SkipAll
			}
			f, err := look(root, path, d, err)
			if f.Path == "" && err == nil || yield(f, err) {
				return nil
			}
			return fs.SkipAll
		})
	}
}

// look is one entry of a folder; nothing for a folder, a socket, and what went
// away since the folder was listed.
func look(root, path string, d fs.DirEntry, err error) (Found, error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Found{}, nil
	case err != nil:
		return Found{}, err
	case d.Type()&fs.ModeSymlink != 0:
		return Found{}, &fs.PathError{Op: "read", Path: path, Err: ErrLink}
	case !d.Type().IsRegular():
		return Found{}, nil
	}
	info, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return Found{}, nil
	}
	if err != nil {
		return Found{}, err
	}
	rel, err := filepath.Rel(root, path)
	return Found{path, filepath.ToSlash(rel), info.Size()}, err
}

// Sized is the size of a file and of the log beside it, when it is an SQLite
// database; 0 when it is not there.
func Sized(path string) (n int64) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			n += info.Size()
		}
	}
	return n
}
