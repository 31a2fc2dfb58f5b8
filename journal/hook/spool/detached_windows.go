package spool

import "syscall"

// detached is a process without a console, out of reach of the Ctrl-C of the one
// that committed.
func detached() *syscall.SysProcAttr {
	const detachedProcess, newProcessGroup = 0x8, 0x200
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: detachedProcess | newProcessGroup}
}
