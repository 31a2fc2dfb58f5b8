//go:build unix

package sqlite_test

import (
	"os"
	"os/exec"
	"syscall"
)

// asNobody takes the right to write everywhere from a command.
func asNobody(cmd *exec.Cmd) {
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}
