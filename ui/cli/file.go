package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// fileStatus says what became of a file.
type fileStatus string

const (
	fileWritten   fileStatus = "written"   // it was not there
	fileReplaced  fileStatus = "replaced"  // it was there and differed
	fileUnchanged fileStatus = "unchanged" // it was there with the same bytes
	fileKept      fileStatus = "kept"      // it was there, differed, and was not replaced
)

// writeFile writes a file that is either whole or as it was before: the content
// goes to a new file beside it, which takes its name at the end. A file that is
// there and differs is replaced only with force; otherwise the error has errKept
// in its tree.
func writeFile(path string, force bool, write func(io.Writer) error) (status fileStatus, err error) {
	named := path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link stays one: what it leads to is written
	}
	info, err := os.Lstat(path)
	there := err == nil
	switch {
	case there && !info.Mode().IsRegular():
		return direct(path, write) // /dev/stdout, a named pipe
	case !there && !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("write %w", err)
	}
	temp, err := beside(path)
	if err != nil {
		return "", unplaced(named, filepath.Dir(path), err)
	}
	defer func() {
		if temp != nil {
			err = errors.Join(err, temp.Close(), os.Remove(temp.Name()))
		}
	}()
	if err := write(temp); err != nil {
		return "", err
	}
	status = fileWritten
	if there {
		same, err := equal(temp, path)
		switch {
		case err != nil:
			return "", fmt.Errorf("compare %s: %w", path, err)
		case same:
			return fileUnchanged, nil
		case !force:
			return fileKept, kept(named)
		}
		status = fileReplaced
		if err := temp.Chmod(info.Mode().Perm()); err != nil {
			return "", fmt.Errorf("write %s: %w", path, err)
		}
	}
	if err := errors.Join(temp.Sync(), temp.Close()); err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	name := temp.Name()
	temp = nil
	if err := os.Rename(name, path); err != nil {
		return "", errors.Join(fmt.Errorf("write %w", err), os.Remove(name))
	}
	return status, nil
}

// direct writes into what is not a plain file, as a shell's > would.
func direct(path string, write func(io.Writer) error) (fileStatus, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return "", fmt.Errorf("write %w", err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return "", err
	}
	return fileReplaced, nil
}

// beside creates a new file in the folder of path, with the permissions the
// person's umask gives to new files.
func beside(path string) (*os.File, error) {
	for n := 0; ; n++ {
		name := filepath.Join(filepath.Dir(path), ".retold-"+strconv.Itoa(os.Getpid())+"-"+strconv.Itoa(n)+".tmp")
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || n > 1000 {
			return f, err
		}
	}
}

// unplaced says why no file can be made in dir, without the name of the one that
// was tried.
func unplaced(path, dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: there is no folder %s", path, dir)
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return fmt.Errorf("write %s: make a file in %s: %w", path, dir, err)
}

// equal reports whether a just written file has the same bytes as another.
func equal(written *os.File, path string) (bool, error) {
	other, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = other.Close() }() // only read from
	if _, err := written.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	a, b := bufio.NewReaderSize(written, 64<<10), bufio.NewReaderSize(other, 64<<10)
	for {
		x, errA := a.Peek(32 << 10)
		y, errB := b.Peek(32 << 10)
		switch {
		case errA != nil && errA != io.EOF:
			return false, errA
		case errB != nil && errB != io.EOF:
			return false, errB
		case !bytes.Equal(x, y):
			return false, nil
		case len(x) == 0:
			return true, nil
		}
		if _, err := a.Discard(len(x)); err != nil {
			return false, err
		}
		if _, err := b.Discard(len(y)); err != nil {
			return false, err
		}
	}
}
