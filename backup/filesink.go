package backup

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/atomicfile"
)

// Create begins a backup in one file, which must not be there yet unless
// Options.Replace is set.
func Create(path string, o Options) (*Writer, error) {
	switch info, err := os.Lstat(path); {
	case err != nil:
	case o.Replace && info.Mode()&fs.ModeSymlink != 0: // a link stays one: what it leads to is replaced
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, failed(fmt.Errorf("follow the link: %w", err))
		}
	case !o.Replace:
		return nil, &retold.Error{Code: retold.CodeUsage, Op: "write backup", Path: path, Hint: "choose another name, or add --force to replace it", Err: fs.ErrExist}
	}
	d, err := newDesk(filepath.Dir(path))
	if err != nil {
		return nil, failed(err)
	}
	c, err := d.container(o.Shared, o.Recipients)
	if err != nil {
		return nil, failed(errors.Join(err, d.clear()))
	}
	return newWriter(d, &fileSink{claims: claims{have: map[Sum]bool{}}, container: c, path: path, replace: o.Replace}, o)
}

// A fileSink keeps all chunks in the one file.
type fileSink struct {
	claims
	container *container
	path      string
	replace   bool
	size      int64
}

func (s *fileSink) store(f frame, payload []byte) error { return s.container.chunk(f, payload) }

func (s *fileSink) written() int64 { return s.size }

func (s *fileSink) finish(z *zstd.Encoder, m *Manifest) (string, error) {
	manifest, err := json.Marshal(m)
	if err == nil {
		err = s.container.finish(z, manifest)
	}
	if err != nil {
		return "", errors.Join(err, s.abort())
	}
	s.size, err = s.container.place(s.path, s.replace)
	return s.path, err
}

func (s *fileSink) abort() error { return s.container.drop() }

// container begins a container under a temporary name.
func (d *desk) container(shared bool, to []age.Recipient) (*container, error) {
	perm := fs.FileMode(0o600)
	if shared {
		perm = 0o666
	}
	f, err := os.OpenFile(filepath.Join(d.dir, random()), os.O_CREATE|os.O_EXCL|os.O_RDWR, perm)
	if err != nil {
		return nil, err
	}
	c, err := newContainer(f, to)
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return c, nil
}

// random is a name that nobody else takes.
func random() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// place closes a finished container and gives it its name; size is that of the
// file.
func (c *container) place(path string, replace bool) (size int64, err error) {
	info, err := c.file.Stat()
	if err != nil {
		return 0, errors.Join(err, c.drop())
	}
	temp := c.file.Name()
	if err := c.file.Close(); err != nil {
		return 0, errors.Join(err, os.Remove(temp))
	}
	if replace {
		err = os.Rename(temp, path)
	} else {
		err = takeName(temp, path)
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("put %s in place: %w", path, err), os.Remove(temp))
	}
	return info.Size(), atomicfile.Flush(filepath.Dir(path))
}

// takeName renames temp to path if nobody has that name.
func takeName(temp, path string) error {
	err := os.Link(temp, path)
	if err == nil {
		return os.Remove(temp)
	}
	if errors.Is(err, fs.ErrExist) {
		return err
	}
	// No links here (FAT, some network file systems): the name is taken first, so
	// that a crash may leave it empty.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Close(), os.Rename(temp, path)); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

func (c *container) drop() error {
	return errors.Join(c.file.Close(), os.Remove(c.file.Name()))
}
