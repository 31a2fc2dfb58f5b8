package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
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

// cpuTime is the processor time that a process has used, in steps of 10 ms; known
// on Linux only.
func cpuTime(pid int) (time.Duration, bool) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(data), ") ") // the name may hold anything
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, false
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, false
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, err == nil
}
