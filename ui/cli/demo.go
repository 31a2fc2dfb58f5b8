package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/demo"
)

const demoLong = `Make a made-up but realistic history in a temporary folder, to try every command
without Cursor. The global flag --demo does the same on the way: any command with
it reads the made-up history.

  retold --demo list
  retold --demo show 1`

func (a *app) demoCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "demo", Short: "a made-up history to try every command on", Long: demoLong, Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", "", "make it in this new `FOLDER`")
	return cmd
}

func (a *app) demo(ctx context.Context, dir string) error {
	var home demo.Home
	var err error
	if dir == "" {
		home, err = a.demoHome(ctx)
	} else {
		home, err = makeDemo(ctx, dir)
	}
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]string{"cursorUser": home.CursorUser, "cursorHome": home.CursorHome})
	}
	export := "export "
	if runtime.GOOS == "windows" {
		export = "set "
	}
	a.line("%sRETOLD_CURSOR_USER=%s", export, quoted(home.CursorUser))
	a.line("%sRETOLD_CURSOR_HOME=%s", export, quoted(home.CursorHome))
	if dir == "" {
		a.note("\nA made-up history is ready. Put --demo before any command to read it:")
		for _, args := range []string{"list", "show 1", "search deadlock", "stats", "list --has error", "export 1 --format html -o session.html", "doctor"} {
			a.note("  retold --demo %s", args)
		}
		a.note("or set the two variables above in a shell.")
		return nil
	}
	a.note("\nA made-up history is ready. Set the two variables above in a shell, then:")
	for _, args := range []string{"list", "show 1", "search deadlock", "doctor"} {
		a.note("  retold %s", args)
	}
	return nil
}

// demoDir is the folder of the demo home that --demo uses. Its name holds the
// version, so that another version's history is never taken for this one's.
func demoDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("retold-demo-%d-%s", os.Getuid(), demoVersion()))
}

// demoHome returns the demo home that --demo uses, made if it is not there yet.
func (a *app) demoHome(ctx context.Context) (demo.Home, error) {
	dir := demoDir()
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return demo.Home{}, fmt.Errorf("look for the demo history: %w", err)
	case !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700:
		// The folder is shared with other users; only our own has this mode and
		// can be read.
		return demo.Home{}, fmt.Errorf("%s is in the way of the demo history and not a private folder", dir)
	case demo.Check(dir) == nil:
		return demoAt(dir), nil
	default: // somebody, or a cleaner of temporary files, has been at it
		if err := discard(dir); err != nil {
			return demo.Home{}, fmt.Errorf("remove the damaged demo history: %w", err)
		}
	}
	a.progress("making a demo history …")
	defer a.progress("")
	home, err := makeDemo(ctx, dir)
	if err != nil && demo.Check(dir) == nil {
		return demoAt(dir), nil // another process was quicker
	}
	if err == nil {
		err = discardOld(dir, now())
	}
	return home, err
}

// discard removes a demo home that other processes may be looking at: it loses
// its name first, so that nobody meets half of it.
func discard(dir string) error {
	grave, err := os.MkdirTemp(filepath.Dir(dir), ".retold-demo-*")
	if err != nil {
		return err
	}
	err = os.Rename(dir, filepath.Join(grave, "old"))
	if errors.Is(err, os.ErrNotExist) {
		err = nil // another process was quicker
	}
	return errors.Join(err, os.RemoveAll(grave))
}

// demoAge is how old the demo home of another build is when it is removed.
const demoAge = 24 * time.Hour

// discardOld removes the demo homes that other builds made beside dir for the
// same person more than demoAge ago.
func discardOld(dir string, now time.Time) error {
	others, err := filepath.Glob(filepath.Join(filepath.Dir(dir), fmt.Sprintf("retold-demo-%d-*", os.Getuid())))
	if err != nil {
		return nil // a temporary folder whose name is a pattern holds nothing to find
	}
	for _, other := range others {
		info, err := os.Lstat(other)
		if err != nil || other == dir || !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			continue
		}
		marker, err := os.Lstat(filepath.Join(other, demo.Marker))
		if err != nil || !marker.Mode().IsRegular() || now.Sub(marker.ModTime()) < demoAge {
			continue
		}
		if err := discard(other); err != nil {
			return fmt.Errorf("remove an old demo history: %w", err)
		}
	}
	return nil
}

// makeDemo makes a demo home that is either whole or not there.
func makeDemo(ctx context.Context, dir string) (home demo.Home, err error) {
	if _, err := os.Lstat(dir); err == nil {
		return home, &retold.Error{
			Code: retold.CodeUsage, Op: "make", Path: dir, Err: errors.New("is there already"),
			Hint: "name a folder that is not there yet",
		}
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".retold-demo-*")
	if err != nil {
		return home, fmt.Errorf("make the demo history: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if _, err := demo.Make(ctx, temp); err != nil {
		return home, fmt.Errorf("make the demo history: %w", err)
	}
	if err := demo.Seal(temp); err != nil {
		return home, err
	}
	if err := os.Rename(temp, dir); err != nil {
		if _, there := os.Stat(demoAt(dir).CursorUser); there != nil {
			return home, fmt.Errorf("make the demo history: %w", err)
		} // else another process was quicker
	}
	return demoAt(dir), nil
}

// demoVersion names the build: its commit where it is known and clean, else the
// very binary.
func demoVersion() string {
	b := readBuild()
	name := b.Version
	if b.Commit != nil {
		name += " " + *b.Commit
	}
	if b.Commit == nil || b.Modified {
		if path, err := os.Executable(); err == nil {
			if info, err := os.Stat(path); err == nil {
				name += fmt.Sprint(" ", info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(name)))
}

// quoted quotes a path for a shell where that is needed.
func quoted(path string) string {
	if runtime.GOOS == "windows" || !strings.ContainsAny(path, " \t\"'$`\\&;()<>|*?[]#~!{}") {
		return cmp.Or(path, "''")
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// demoAt says where [demo.Make] puts the parts of a home below dir.
func demoAt(dir string) demo.Home {
	return demo.Home{CursorUser: filepath.Join(dir, "config", "Cursor", "User"), CursorHome: filepath.Join(dir, "home", ".cursor")}
}
