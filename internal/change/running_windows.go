package change

import (
	"context"
	"errors"
	"syscall"
	"unsafe"
)

// processes takes a snapshot of what runs. Arguments are not told.
func processes(ctx context.Context) (list []process, err error) {
	snapshot, err := syscall.CreateToolhelp32Snapshot(syscall.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, syscall.CloseHandle(snapshot)) }()
	var e syscall.ProcessEntry32
	e.Size = uint32(unsafe.Sizeof(e))
	for err = syscall.Process32First(snapshot, &e); err == nil; err = syscall.Process32Next(snapshot, &e) {
		list = append(list, process{pid: int(e.ProcessID), name: syscall.UTF16ToString(e.ExeFile[:])})
	}
	if !errors.Is(err, syscall.ERROR_NO_MORE_FILES) {
		return nil, err
	}
	if len(list) == 0 {
		return nil, errNoProcesses
	}
	return list, ctx.Err()
}

// opened is not told here; a file that is open cannot be replaced or renamed, and
// a database in use cannot be locked.
func opened([]string) (pid int, file string) { return 0, "" }
