package main

import (
	"fmt"
	"os"
	"strings"
)

// residentSet is the memory that a process has resident, in bytes, and the part
// of it that is pages of files; known on Linux only.
func residentSet(pid int) (all, file int64, ok bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, false
	}
	for line := range strings.Lines(string(data)) {
		var kb int64
		if n, err := fmt.Sscanf(line, "VmRSS: %d kB", &kb); n == 1 && err == nil {
			all, ok = kb<<10, true
		}
		if n, err := fmt.Sscanf(line, "RssFile: %d kB", &kb); n == 1 && err == nil {
			file = kb << 10
		}
	}
	return all, file, ok
}
