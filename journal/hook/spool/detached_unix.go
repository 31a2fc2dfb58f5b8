//go:build unix

package spool

import "syscall"

// detached is a process in a session of its own: it stays when the terminal or
// the program that committed goes.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
