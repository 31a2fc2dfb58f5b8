package paths

import (
	"math"
	"syscall"
	"unsafe"
)

var diskFree = syscall.NewLazyDLL("kernel32.dll").NewProc("GetDiskFreeSpaceExW")

// Free is how many bytes a user may still write to the file system that a folder
// lies on.
func Free(dir string) (int64, error) {
	p, err := syscall.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	if ok, _, err := diskFree.Call(uintptr(unsafe.Pointer(p)), uintptr(unsafe.Pointer(&free)), 0, 0); ok == 0 { //nolint:gosec // how the system is called
		return 0, err
	}
	return int64(min(free, math.MaxInt64)), nil
}
