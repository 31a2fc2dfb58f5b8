package change

import (
	"io/fs"
	"os"
	"syscall"
	"unsafe"
)

// flush does nothing: a folder cannot be flushed here.
func flush(string) error { return nil }

// room is the free space of the volume that a folder lies on.
func room(dir string) (free int64, known bool) {
	p, err := syscall.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var n uint64
	ok, _, _ := syscall.NewLazyDLL("kernel32.dll").NewProc("GetDiskFreeSpaceExW").Call(
		uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(&n)), 0, 0) //nolint:gosec // the only way to ask
	return int64(n), ok != 0
}

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
