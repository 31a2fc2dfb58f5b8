package change

import (
	"io/fs"
	"os"
)

// device is unknown: a rename over volumes fails by itself.
func device(fs.FileInfo) (id uint64, known bool) { return 0, false }

// writable reports whether a file has its read-only attribute set.
func writable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() && info.Mode().Perm()&0o200 == 0 {
		return fs.ErrPermission
	}
	return nil
}
