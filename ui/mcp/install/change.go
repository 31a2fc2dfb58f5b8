package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/atomicfile"
	"github.com/retold-history/retold/internal/paths"
)

// Status says what a change comes to.
type Status string

// The changes there are. Unchanged and Absent change no byte.
const (
	Installed Status = "installed" // the server was not there
	Updated   Status = "updated"   // it was, but was started otherwise
	Unchanged Status = "unchanged" // it is there as wanted
	Removed   Status = "removed"
	Absent    Status = "absent" // there is nothing to remove
)

// A Change is what would become of one client's configuration.
type Change struct {
	Client Client
	Path   string // as the client names it
	Status Status

	target  string // the file itself when Path is a link
	before  []byte
	after   []byte
	mode    fs.FileMode
	existed bool
}

// biggest is the largest configuration that is read. Claude Code keeps megabytes
// of state in the same file.
const biggest = 64 << 20

// Plan works out what giving the server to a client changes, or, with remove,
// taking it away. It writes nothing. A configuration that cannot be understood is
// a *retold.Error with CodeConfig and ErrBroken in its tree.
func Plan(c Client, env paths.Env, project string, s Server, remove bool) (*Change, error) {
	path, err := c.File(env, project)
	if err != nil {
		return nil, err
	}
	ch := &Change{Client: c, Path: path, target: path, mode: 0o600}
	if project != "" {
		ch.mode = 0o644 // it is meant for everybody who works on the project
	}
	if err := ch.read(project); err != nil {
		return nil, err
	}
	entry := []string{c.container, Name}
	if remove {
		err = ch.remove(entry)
	} else {
		err = ch.put(entry, s)
	}
	if err != nil {
		return nil, broken(path, err)
	}
	if ch.existed && !bytes.Equal(ch.before, ch.after) && ch.mode&0o200 == 0 && runtime.GOOS != "windows" {
		return nil, &retold.Error{
			Code: CodeConfig, Op: "change", Path: path, Err: errors.New("it is write-protected"),
			Hint: "nothing was changed; allow writing to it, or put in by hand what `retold mcp install --print` shows",
		}
	}
	return ch, nil
}

func broken(path string, err error) error {
	return &retold.Error{
		Code: CodeConfig, Op: "change", Path: path, Err: fmt.Errorf("%w: %w", ErrBroken, err),
		Hint: "nothing was changed; mend the file, or put in by hand what `retold mcp install --print` shows",
	}
}

// read finds the file behind links and reads it.
func (ch *Change) read(project string) error {
	_, err := os.Lstat(ch.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return ch.inside(project, filepath.Dir(ch.Path))
	}
	if err == nil {
		if ch.target, err = filepath.EvalSymlinks(ch.Path); err != nil {
			return misled(ch.Path, err)
		}
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", ch.Path, err)
	}
	if err := ch.inside(project, ch.target); err != nil {
		return err
	}
	info, err := os.Stat(ch.target)
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", ch.Path, err)
	case !info.Mode().IsRegular():
		return broken(ch.Path, errors.New("no plain file"))
	case info.Size() > biggest:
		return broken(ch.Path, fmt.Errorf("%d bytes are too many", info.Size()))
	}
	ch.mode, ch.existed = info.Mode().Perm(), true
	if ch.before, err = os.ReadFile(ch.target); err != nil {
		return fmt.Errorf("read %s: %w", ch.Path, err)
	}
	return nil
}

// misled says what to do about a link that leads nowhere, or in a circle.
func misled(path string, err error) error {
	if info, lerr := os.Lstat(path); lerr != nil || info.Mode()&fs.ModeSymlink == 0 {
		return fmt.Errorf("read %s: %w", path, err)
	}
	e := &retold.Error{
		Code: CodeConfig, Op: "change", Path: path, Err: fmt.Errorf("%w: its links lead in a circle: %w", ErrBroken, err),
		Hint: "nothing was changed; remove the link and try again",
	}
	if errors.Is(err, fs.ErrNotExist) {
		e.Err, e.Hint = fmt.Errorf("%w: it is a link that leads to nothing: %w", ErrBroken, err), "nothing was changed; make the file that it leads to, or remove the link, and try again"
	}
	return e
}

// inside refuses a file or folder that a link leads out of the project: the
// links of a repository are its author's, and not the person's own.
func (ch *Change) inside(project, path string) error {
	if project == "" {
		return nil
	}
	root, err := filepath.EvalSymlinks(project)
	if err != nil {
		return &retold.Error{Code: retold.CodeUsage, Op: "find the project", Path: project, Err: err, Hint: "give --project a folder that is there"}
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return nil // a folder that is still to be made
		}
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if below, err := filepath.Rel(root, real); err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return broken(ch.Path, fmt.Errorf("it leads out of the project, to %s", real))
	}
	return nil
}

func (ch *Change) put(entry []string, s Server) (err error) {
	fields := s.fields(ch.Client.typed)
	if ch.Client.toml {
		if ch.after, err = setTOML(ch.before, entry, fields, remote); err == nil {
			err = sameTOML(ch.before, ch.after, entry)
		}
	} else if ch.after, err = setJSON(ch.before, ch.Client.comments, entry, fields, remote); err == nil {
		touched := [][]string{}
		for _, f := range flatten(entry, fields) {
			touched = append(touched, f.path)
		}
		for _, key := range remote {
			touched = append(touched, append(slices.Clip(entry), key))
		}
		err = sameJSON(ch.before, ch.after, ch.Client.comments, touched)
	}
	if err != nil {
		return err
	}
	switch there, err := ch.has(ch.before, entry); {
	case err != nil:
		return err
	case bytes.Equal(ch.before, ch.after):
		ch.Status = Unchanged
	case there:
		ch.Status = Updated
	default:
		ch.Status = Installed
	}
	return nil
}

func (ch *Change) remove(entry []string) (err error) {
	there, err := ch.has(ch.before, entry)
	if err != nil {
		return err
	}
	ch.after, ch.Status = ch.before, Absent
	if !there {
		return nil
	}
	ch.Status = Removed
	if ch.Client.toml {
		ch.after = cutTOML(ch.before, entry)
		err = sameTOML(ch.before, ch.after, entry)
	} else if ch.after, err = removeJSON(ch.before, ch.Client.comments, entry); err == nil {
		err = sameJSON(ch.before, ch.after, ch.Client.comments, [][]string{entry})
	}
	if err != nil {
		return err
	}
	if left, err := ch.has(ch.after, entry); err != nil || left {
		return errors.Join(errShape, err)
	}
	return nil
}

// has reports whether a configuration has the entry.
func (ch *Change) has(src []byte, entry []string) (bool, error) {
	if ch.Client.toml {
		values, err := decodeTOML(src)
		return at(values, entry) != nil, err
	}
	root, err := readJSON(src, ch.Client.comments)
	if err != nil || root == nil {
		return false, err
	}
	_, value, _, err := descend(root, entry)
	return value != nil, err
}

// Diff is the change as a unified diff; "" when there is none.
func (ch *Change) Diff() string {
	return udiff.Unified(ch.Path, ch.Path, string(ch.before), string(ch.after))
}

// Apply writes the change, unless the file has changed since it was planned, and
// returns the path of the copy of what it was before, "" when there was no file.
func (ch *Change) Apply() (backup string, err error) {
	if bytes.Equal(ch.before, ch.after) && ch.existed || ch.Status == Absent {
		return "", nil
	}
	now, err := os.ReadFile(ch.target)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !ch.existed:
		if err := os.MkdirAll(filepath.Dir(ch.target), 0o755); err != nil {
			return "", fmt.Errorf("make a folder for %s: %w", ch.Path, err)
		}
		return "", atomicfile.Create(ch.target, ch.after, ch.mode)
	case err != nil:
		return "", fmt.Errorf("read %s: %w", ch.Path, err)
	case !ch.existed || !bytes.Equal(now, ch.before):
		return "", &retold.Error{
			Code: CodeConfig, Op: "change", Path: ch.Path, Err: errors.New("another program has just written to it"), Hint: "try again",
		}
	}
	if backup, err = ch.keep(); err != nil {
		return "", err
	}
	return backup, atomicfile.Replace(ch.target, ch.after, ch.mode)
}

// keep puts what the file was before beside it, under the first free name.
func (ch *Change) keep() (string, error) {
	for n := 1; ; n++ {
		path := fmt.Sprintf("%s.before-retold-%d", ch.Path, n)
		err := atomicfile.Create(path, ch.before, 0o600)
		if errors.Is(err, fs.ErrExist) && n < 10_000 {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("keep a copy of %s: %w", ch.Path, err)
		}
		return path, nil
	}
}
