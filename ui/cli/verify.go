package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/library"
)

const verifyLong = `Read a backup to its last byte and say whether it is what was written: every hash,
every database by SQLite's integrity_check, every session of its inventory from
the library in it. No file of it is unpacked to the disk. When anything is wrong it lists
what, and exits 7.

--quick leaves out what SQLite and the library have to say.`

func (a *app) verifyCommand() *cobra.Command {
	var quick bool
	cmd := &cobra.Command{
		Use: "verify FILE", Short: "make sure that a backup is whole", Long: verifyLong, Args: oneFile,
		Example: "  retold verify mine.retold\n  retold verify mine.retold --quick --json",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.verify(cmd, args[0], quick) },
	}
	cmd.Flags().BoolVar(&quick, "quick", false, "only hashes and lists")
	return cmd
}

func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(cmd, cmd.Name()+" wants one backup")
	}
	return nil
}

func (a *app) verify(cmd *cobra.Command, path string, quick bool) error {
	o := library.VerifyOptions{Quick: quick, Identities: a.identities()}
	if a.errTTY && !a.json {
		o.Progress = a.packing
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(20) // a large backup takes its time: memory is dearer
	}
	v, err := library.VerifyBackup(cmd.Context(), path, o)
	if err != nil {
		return err
	}
	if a.json {
		if err := a.printJSON(v); err != nil {
			return err
		}
	} else {
		for _, f := range v.Faults {
			a.line("%s: %s", oneLine(f.Path), oneLine(f.What))
		}
	}
	if len(v.Faults) > 0 {
		return &retold.Error{
			Code: retold.CodeInvalidBackup, Op: "verify", Path: path, Err: fmt.Errorf("%s found", counted(len(v.Faults), "fault")),
			Hint: "what is not named is whole: `retold restore " + path + " --skip-damaged` restores it",
		}
	}
	if !a.json {
		a.line("whole: %s, %s, %s, %s checked in %s", counted(v.Files, "file"), counted(v.Databases, "database"), counted(v.Sessions, "session"),
			size(v.Bytes), span(time.Duration(v.Seconds*float64(time.Second))))
		a.skippedFiles(v.Manifest.Skipped)
	}
	return nil
}

const backupsLong = `List the backups in a folder (default: the current one), the oldest first. Those
that cursor-history made are among them. Only their manifests are read.

In a pipe every line holds, separated by tabs: file, made (ISO, UTC), sessions,
messages, bytes of the files in it, producer, and what is wrong with it, if anything.`

func (a *app) backupsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backups [FOLDER]", Short: "list backups", Long: backupsLong,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage(cmd, "backups wants one folder")
			}
			return nil
		},
		Example: "  retold backups /mnt/disk/retold\n  retold backups --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return a.backups(cmd, dir)
		},
	}
}

// A listedBackup is a line of the list.
type listedBackup struct {
	Path      string        `json:"path"`
	CreatedAt *time.Time    `json:"createdAt"` // null when it could not be read
	Producer  string        `json:"producer"`
	Stats     *backup.Stats `json:"stats"`
	Bytes     int64         `json:"bytes"` // of the file
	Encrypted bool          `json:"encrypted"`
	Note      string        `json:"note,omitempty"` // why it could not be read
}

func (a *app) backups(cmd *cobra.Command, dir string) error {
	paths, err := backupsIn(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = &retold.Error{Code: retold.CodeDatabaseNotFound, Op: "look for backups in", Path: dir, Hint: "make one with retold backup -o FOLDER/", Err: errors.New("no such folder")}
		}
		return err
	}
	list := make([]listedBackup, 0, len(paths))
	for _, path := range paths {
		b, err := a.listed(cmd.Context(), path)
		if err != nil {
			return err
		}
		if b.Note != "" && !b.Encrypted {
			a.problems++
		}
		list = append(list, b)
	}
	if a.json {
		return a.printJSON(retold.Page[listedBackup]{Data: list, Pagination: retold.Pagination{Total: len(list), Limit: len(list)}})
	}
	t := table{columns: []column{
		{title: "FILE", paint: a.style.green},
		{title: "MADE", paint: a.style.cyan},
		{title: "SESSIONS", right: true, paint: a.style.bold},
		{title: "MESSAGES", right: true},
		{title: "SIZE", right: true},
		{title: "PRODUCER", paint: a.style.dim},
		{title: "NOTE"},
	}}
	for _, b := range list {
		when, sessions, messages, bytes := "", "", "", ""
		if b.CreatedAt != nil {
			when, sessions, messages = a.when(*b.CreatedAt), a.figure(b.Stats.SessionCount), a.figure(b.Stats.MessageCount)
			bytes = fmt.Sprint(b.Stats.FileSize)
			if a.tty {
				bytes = size(b.Stats.FileSize)
			}
		}
		t.add(oneLine(b.Path), when, sessions, messages, bytes, oneLine(b.Producer), oneLine(b.Note))
	}
	a.print(&t)
	if len(list) == 0 {
		a.note("no backups in %s", dir)
	}
	return nil
}

// figure is a number for a person, or plain digits for a pipe.
func (v *voice) figure(n int) string {
	if v.tty {
		return number(int64(n))
	}
	return strconv.Itoa(n)
}

// listed reads what a list says of a backup; an error is that of an ended context.
func (a *app) listed(ctx context.Context, path string) (b listedBackup, err error) {
	b.Path = path
	if info, err := os.Stat(path); err == nil {
		b.Bytes = info.Size()
	}
	archive, err := backup.Open(ctx, path, backup.OpenOptions{})
	if err != nil {
		e, ok := errors.AsType[*retold.Error](err)
		b.Encrypted = ok && e.Code == retold.CodeUsage
		b.Note = strings.TrimPrefix(err.Error(), "read backup "+path+": ")
		return b, ctx.Err()
	}
	m := archive.Manifest
	b.CreatedAt, b.Producer, b.Stats = &m.CreatedAt, m.Producer, &m.Stats
	return b, archive.Close()
}

// secret asks for something that does not appear on the terminal.
func (a *app) secret(question string) (string, error) {
	a.catchUp()
	a.tell(question)
	in, ok := a.in.(*os.File)
	if !ok {
		return "", errors.New("there is nobody to ask")
	}
	text, err := term.ReadPassword(int(in.Fd()))
	a.tell("\n")
	return string(text), err
}
