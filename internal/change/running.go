package change

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// System is the Guard that asks the operating system: which programs run, which
// files they have open, which locks of Cursor's are held.
type System struct {
	// Env is where programs keep their files by default; the zero value is this
	// process's.
	Env paths.Env
}

// A process is what a system tells about a running program.
type process struct {
	pid  int
	name string   // last part of its file's name
	args []string // as far as they are known

	env func(name string) string // its environment; nil where the system does not tell
}

// Check returns an error with CodeCursorRunning when a Cursor runs that keeps its
// files where one of these lies, or when any program has one of them open as far
// as the system tells.
func (s System) Check(ctx context.Context, files []string) error {
	if s.Env.GOOS == "" {
		env, err := paths.System()
		if err != nil {
			return err
		}
		s.Env = env
	}
	running, err := processes(ctx)
	if err != nil {
		return fmt.Errorf("look for a running Cursor: %w", err)
	}
	for _, p := range running {
		if p.pid == os.Getpid() || !p.isCursor() {
			continue
		}
		for _, root := range p.roots(s.Env) {
			if file := within(files, root); file != "" {
				return isRunning(file, fmt.Errorf("the Cursor there is running (process %d, %s)", p.pid, p.name))
			}
		}
	}
	for _, ud := range userData(files) {
		if pid := lockedBy(ud, running); pid != 0 {
			return isRunning(ud, fmt.Errorf("process %d holds the lock of the Cursor there", pid))
		}
	}
	if pid, file := opened(files); pid != 0 {
		return isRunning(file, fmt.Errorf("process %d has it open", pid))
	}
	return nil
}

func isRunning(path string, err error) error {
	return &retold.Error{
		Code: retold.CodeCursorRunning, Op: "change", Path: path, Err: err,
		Hint: "quit Cursor (all windows, and cursor-agent) and try again: it would overwrite what is written now",
	}
}

// isCursor knows the editor, its helpers, its sibling builds and the command line
// agent, which is a script that node runs.
func (p *process) isCursor() bool {
	if cursorName(p.name) {
		return true
	}
	for i, arg := range p.args[:min(len(p.args), 2)] {
		arg = strings.ReplaceAll(arg, `\`, "/")
		base := arg[strings.LastIndexByte(arg, '/')+1:]
		if i == 0 && cursorName(base) || base == "cursor-agent" || strings.Contains(arg, "/cursor-agent/") {
			return true
		}
	}
	return false
}

func cursorName(name string) bool {
	name = strings.ToLower(name)
	for _, end := range []string{".exe", ".appimage", ".app"} {
		name = strings.TrimSuffix(name, end)
	}
	if name == "cursor" || name == "cursor-agent" {
		return true
	}
	rest, ok := strings.CutPrefix(name, "cursor")
	return ok && (strings.HasPrefix(rest, " helper") || strings.Contains(rest, "nightly") || strings.Contains(rest, "preview"))
}

// roots are the folders in which a running Cursor keeps its files. Its home is what
// its environment says; where that is not known, the one of this user.
func (p *process) roots(env paths.Env) []string {
	if p.env != nil && p.env("HOME") != "" {
		env = paths.Env{GOOS: env.GOOS, Home: p.env("HOME"), Root: env.Root, Getenv: p.env}
	} else if own, err := paths.System(); err == nil {
		env = own
	}
	for i, arg := range p.args {
		dir, given := strings.CutPrefix(arg, "--user-data-dir=")
		if arg == "--user-data-dir" && i+1 < len(p.args) {
			dir, given = p.args[i+1], true
		}
		if given {
			return []string{dir, filepath.Join(env.Home, ".cursor")}
		}
	}
	roots := []string{filepath.Join(env.Home, ".cursor")}
	if dir := env.Var("CURSOR_DATA_DIR"); dir != "" {
		roots = append(roots, dir)
	}
	entries, err := os.ReadDir(env.ConfigRoot())
	if err != nil { // no such folder: nothing is kept there
		return roots
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "Cursor") {
			roots = append(roots, filepath.Join(env.ConfigRoot(), e.Name()))
		}
	}
	return roots
}

// within is the first file that lies below root, by name or by where links lead.
func within(files []string, root string) string {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		real = root
	}
	for _, file := range files {
		dir, err := filepath.EvalSymlinks(filepath.Dir(file))
		if err != nil { // yet to be made
			dir = filepath.Dir(file)
		}
		for _, r := range []string{root, real} {
			for _, f := range []string{file, filepath.Join(dir, filepath.Base(file))} {
				if rel, err := filepath.Rel(r, f); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
					return file
				}
			}
		}
	}
	return ""
}

// userData are the folders around the User folders that files lie in.
func userData(files []string) []string {
	seen := map[string]bool{}
	var list []string
	for _, file := range files {
		for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if ud := filepath.Dir(dir); filepath.Base(dir) == "User" && !seen[ud] {
				seen[ud] = true
				list = append(list, ud)
			}
		}
	}
	return list
}

// lockedBy is the process that holds one of the locks of a user data folder: the
// file code.lock with its number, and Chromium's link SingletonLock, which leads
// to "host-number". Both survive a crash, so the number has to belong to a
// program of that kind.
func lockedBy(ud string, running []process) int {
	var numbers []string
	if text, err := os.ReadFile(filepath.Join(ud, "code.lock")); err == nil {
		numbers = append(numbers, strings.TrimSpace(string(text)))
	}
	if target, err := os.Readlink(filepath.Join(ud, "SingletonLock")); err == nil {
		numbers = append(numbers, target[strings.LastIndexByte(target, '-')+1:])
	}
	for _, n := range numbers {
		pid, err := strconv.Atoi(n)
		if err != nil {
			continue
		}
		for _, p := range running {
			name := strings.ToLower(p.name)
			if p.pid == pid && (p.isCursor() || strings.Contains(name, "cursor") || strings.Contains(name, "electron")) {
				return pid
			}
		}
	}
	return 0
}

// errNoProcesses is the error of a system that tells nothing.
var errNoProcesses = errors.New("the system does not tell which programs run")
