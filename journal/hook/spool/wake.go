package spool

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Wake starts a process that empties the queue and outlives this one, unless one
// is at it already: that one looks again before it ends.
func Wake(spool string) error {
	if busy(filepath.Join(spool, LockFile)) {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the path of this program: %w", err)
	}
	cmd := exec.Command(self, "journal", "drain", "--detached")
	cmd.Dir = spool // a working tree can be removed while it is at work
	cmd.Env = append(Environment(os.Environ()), "RETOLD_HOME="+filepath.Dir(spool))
	cmd.SysProcAttr = detached()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start emptying the queue: %w", err)
	}
	return cmd.Process.Release()
}

// kept are the variables of git that say whose configuration holds, not which
// repository is meant.
var kept = []string{"GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM=", "GIT_CONFIG_NOSYSTEM=", "GIT_CEILING_DIRECTORIES=", "GIT_EXEC_PATH="}

// Environment is an environment without what git sets for a hook.
func Environment(all []string) (out []string) {
	for _, v := range all {
		keep := !strings.HasPrefix(strings.ToUpper(v), "GIT_")
		for _, k := range kept {
			keep = keep || strings.HasPrefix(v, k)
		}
		if keep {
			out = append(out, v)
		}
	}
	return out
}
