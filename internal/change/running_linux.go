package change

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// processes reads /proc. What other users run is listed as far as it can be read.
func processes(ctx context.Context) ([]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var list []process
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		p := process{pid: pid}
		line, err := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if err != nil { // ended in the meantime
			continue
		}
		if args := strings.TrimRight(string(line), "\x00"); args != "" {
			p.args = strings.Split(args, "\x00")
		}
		if exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe")); err == nil {
			p.name = filepath.Base(strings.TrimSuffix(exe, " (deleted)"))
		} else if comm, err := os.ReadFile(filepath.Join("/proc", e.Name(), "comm")); err == nil {
			p.name = strings.TrimSpace(string(comm))
		}
		p.env = environ(e.Name())
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, errNoProcesses
	}
	return list, ctx.Err()
}

// environ reads the environment that a process was started with, when it is first
// asked for; nothing of what other users run.
func environ(pid string) func(string) string {
	read := sync.OnceValue(func() map[string]string {
		text, err := os.ReadFile(filepath.Join("/proc", pid, "environ"))
		if err != nil { // another user's, or ended in the meantime
			return nil
		}
		vars := map[string]string{}
		for line := range strings.SplitSeq(string(text), "\x00") {
			if name, value, ok := strings.Cut(line, "="); ok {
				vars[name] = value
			}
		}
		return vars
	})
	return func(name string) string { return read()[name] }
}

// opened finds another process that has one of the files open for writing, or a
// side file of one. Other users' processes cannot be looked into.
func opened(files []string) (pid int, file string) {
	wanted := map[string]string{}
	for _, f := range files {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			name := f + suffix
			if real, err := filepath.EvalSymlinks(name); err == nil {
				wanted[real] = f
			}
		}
	}
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil { // the pattern is constant and well formed
		return 0, ""
	}
	own := strconv.Itoa(os.Getpid())
	for _, link := range links {
		target, err := os.Readlink(link)
		if err != nil {
			continue
		}
		owner := strings.Split(link, "/")[2]
		info := wanted[target]
		if info == "" || owner == own {
			continue
		}
		if !forWriting(strings.Replace(link, "/fd/", "/fdinfo/", 1)) {
			continue
		}
		if n, err := strconv.Atoi(owner); err == nil {
			return n, info
		}
	}
	return 0, ""
}

// forWriting reads the flags of an open file, which are those of open(2) in octal.
func forWriting(fdinfo string) bool {
	text, err := os.ReadFile(fdinfo)
	if err != nil {
		return false
	}
	_, rest, ok := strings.Cut(string(text), "flags:")
	if !ok {
		return false
	}
	line, _, _ := strings.Cut(rest, "\n")
	flags, err := strconv.ParseUint(strings.TrimSpace(line), 8, 64)
	return err == nil && flags&3 != 0
}
