//go:build unix && !linux

package change

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// processes asks ps, which is part of every macOS and BSD. Its lines do not tell
// where an argument ends: what follows a file name with blanks in it is found by
// the bundle's name.
func processes(ctx context.Context) ([]process, error) {
	out, err := exec.CommandContext(ctx, "/bin/ps", "-axww", "-o", "pid=,command=").Output()
	if err != nil {
		return nil, fmt.Errorf("ps: %w", err)
	}
	var list []process
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		number, command, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		pid, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		list = append(list, parsePS(pid, strings.TrimSpace(command)))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("ps: %w", err)
	}
	if len(list) == 0 {
		return nil, errNoProcesses
	}
	return list, nil
}

// opened is not told here.
func opened([]string) (pid int, file string) { return 0, "" }
