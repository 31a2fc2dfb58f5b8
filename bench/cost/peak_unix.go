//go:build unix

package cost

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the most memory the process had resident. Linux counts kilobytes,
// macOS bytes; on Linux a child starts with its parent's peak, so figures below
// about 10 MB only say "small".
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
