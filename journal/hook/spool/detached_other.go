//go:build !unix && !windows

package spool

import "syscall"

// detached is nothing special here.
func detached() *syscall.SysProcAttr { return nil }
