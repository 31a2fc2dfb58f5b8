package backup

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
)

// maxRatio bounds how much larger than the backup its files may be: chunks that
// are used many times make a small file unfold without end. Databases full of
// zeros stay far below.
const maxRatio = 2000

// CheckSize refuses a backup whose files are out of all proportion to it.
func (a *Archive) CheckSize() error {
	var files, packed int64
	for i := range a.Manifest.Files {
		if files += a.Manifest.Files[i].Size; files < 0 {
			break
		}
	}
	for _, v := range a.volumes {
		packed += v.size
	}
	if files < 0 || files/maxRatio > packed+1<<20 {
		return refuse(a.Path, invalid("%d bytes that would unfold to %d", packed, files))
	}
	return nil
}

// Unpack writes a file of the backup under name below root, and the folders that
// it needs. Nothing may have that name. The file has mode 0600 and is on the disk,
// whole and checked, when Unpack returns; after an error it is gone. What is wrong
// with the backup is an error with CodeInvalidBackup.
func (a *Archive) Unpack(ctx context.Context, f *File, root *os.Root, name string, progress func(int64)) (err error) {
	if err := CheckName(name); err != nil {
		return refuse(a.Path, err)
	}
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("unpack: %w", err)
		}
	}
	out, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("unpack: %w", err)
	}
	defer func() {
		err = errors.Join(err, out.Close())
		if err != nil {
			err = errors.Join(refuse(a.Path, err), root.Remove(name))
		} else if !f.ModTime.IsZero() {
			err = root.Chtimes(name, f.ModTime, f.ModTime)
		}
	}()
	whole := sha256.New()
	r := io.NewSectionReader(a.Content(f), 0, f.Size)
	buf := make([]byte, chunkSize)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		_, _ = whole.Write(buf[:n]) // a hash takes anything
		if _, err := out.Write(buf[:n]); err != nil {
			return fmt.Errorf("unpack %s: %w", f.Path, err)
		}
		if progress != nil {
			progress(int64(n))
		}
		if err == io.EOF { //nolint:errorlint // a Reader returns it as it is
			break
		}
		if err != nil {
			return fmt.Errorf("unpack %s: %w", f.Path, err)
		}
	}
	if Sum(whole.Sum(nil)) != f.SHA256 {
		return invalid("%s is not what was written (sha256)", f.Path)
	}
	return out.Sync()
}
