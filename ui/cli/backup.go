package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/library"
)

type backupOptions struct {
	out        string
	agents     []string
	sessions   []string
	workspaces []string
	recipients []string
	passphrase bool
	shared     bool
	force      bool
}

const backupLong = `Put everything into one file: Cursor's databases as they are at this moment, even
while Cursor writes to them, workspaces, images, the stores, transcripts and plans
below ~/.cursor, and retold's own library, brought up to date first.

What Cursor logs in with, secrets of extensions and encryption keys are left out;
the manifest in the file names what. The file has mode 0600 and is compressed.

With -o FOLDER/ (or a folder that is there) backups share what they have in
common: the second stores only what changed. Removing one does no harm to others.

--session and --workspace make a backup of these conversations alone, with their
sub-agents: databases with their rows and nobody else's, and a library of them.

--encrypt-to takes a recipient of age (age1…) or a file of them, and may be
repeated; --passphrase asks for one, or takes it from RETOLD_PASSPHRASE. The age
tool can decrypt the file too.

Interrupted, it leaves nothing under the name; in a folder the next backup goes on
with what is stored already.`

func (a *app) backupCommand() *cobra.Command {
	var o backupOptions
	cmd := &cobra.Command{
		Use: "backup", Short: "put the whole history into one file", Long: backupLong, Args: noArgs,
		Example: "  retold backup\n  retold backup -o /mnt/disk/retold/\n  retold backup -o mine.retold --encrypt-to age1…",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.backup(cmd, o) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "the `FILE` to write, or a folder for many backups (default retold-DATE.retold)")
	f.StringArrayVar(&o.agents, "agent", nil, "only the files of this `AGENT`, beside retold's library; repeatable")
	f.StringArrayVar(&o.sessions, "session", nil, "only this `SESSION`; repeatable")
	f.StringArrayVar(&o.workspaces, "workspace", nil, "only what is about this `WORKSPACE`; repeatable")
	f.StringArrayVar(&o.recipients, "encrypt-to", nil, "encrypt to an age `RECIPIENT`, or those in a file; repeatable")
	f.BoolVar(&o.passphrase, "passphrase", false, "encrypt with a passphrase")
	f.BoolVar(&o.shared, "shared", false, "let others read the file as the umask allows")
	f.BoolVarP(&o.force, "force", "f", false, "replace a file of that name")
	return cmd
}

func (a *app) backup(cmd *cobra.Command, o backupOptions) error {
	ctx := cmd.Context()
	if a.flags.backup != "" {
		return usage(cmd, "--backup names a backup to read from, not one to write")
	}
	if o.out == "-" {
		return usage(cmd, "a backup is written to a file, which gets its name when it is whole: name one, and send that on")
	}
	to, err := a.recipients(cmd, o)
	if err != nil {
		return err
	}
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	for _, agent := range o.agents {
		if !containsFold(l.Agents(), agent) {
			return usage(cmd, fmt.Sprintf("there is no agent %q; there are %s", agent, strings.Join(l.Agents(), ", ")))
		}
	}
	path := cmp.Or(o.out, "retold-"+now().Format("2006-01-02T15-04-05")+backup.Ext)
	bo := library.BackupOptions{
		Path: path, Folder: library.IsBackupFolder(path), Agents: o.agents, Sessions: o.sessions, Workspaces: o.workspaces, Recipients: to,
		Shared: o.shared, Replace: o.force, Producer: "retold " + readBuild().Version,
	}
	if a.errTTY && !a.json {
		bo.Progress = a.packing
	}
	r, err := l.Backup(ctx, bo)
	if err != nil {
		return err
	}
	a.problems += len(r.Manifest.Skipped)
	if a.json {
		return a.printJSON(r)
	}
	a.tellBackup(r)
	return nil
}

func containsFold(list []string, s string) bool {
	for _, x := range list {
		if strings.EqualFold(x, s) {
			return true
		}
	}
	return false
}

func (a *app) tellBackup(r *library.BackupResult) {
	m := r.Manifest
	a.line("%s", oneLine(r.BackupPath))
	a.line("%s with %s, %s of files in %s, %s written in %s", counted(m.Stats.SessionCount, "session"), counted(m.Stats.MessageCount, "message"),
		size(m.Stats.FileSize), counted(len(m.Files), "file"), size(r.Written), span(r.Elapsed))
	rows := 0
	for _, x := range m.Excluded {
		rows += x.Rows
	}
	if rows > 0 {
		a.line("%s", a.style.dim(counted(rows, "record")+" with credentials or keys left out, or emptied of them; the manifest names them"))
	}
	a.skippedFiles(m.Skipped)
}

// skippedFiles tells what is not in a backup.
func (a *app) skippedFiles(list []backup.Skipped) {
	const most = 10
	for i, s := range list {
		if i == most {
			a.note("… and %d more", len(list)-most)
			return
		}
		a.note("not backed up: %s: %s", s.Path, s.Reason)
	}
}

// packing shows how far a backup, or its verification, is.
func (v *voice) packing(p library.BackupProgress) {
	if p.Elapsed < patience {
		return
	}
	if p.OfSessions > 0 {
		v.progress(fmt.Sprintf("%s %s %s of %s sessions", p.Stage, bar(p.Sessions, p.OfSessions, 20), number(int64(p.Sessions)), number(int64(p.OfSessions))))
		return
	}
	if p.Total == 0 && p.Stage == "waiting" {
		v.progress("waiting for another retold to bring the library up to date")
		return
	}
	parts := []string{fmt.Sprintf("%s %s %s of %s", p.Stage, bar(int(p.Bytes>>10), int(p.Total>>10), 20), size(p.Bytes), size(p.Total))}
	if s := p.Elapsed.Seconds(); s > 0 {
		parts = append(parts, size(int64(float64(p.Bytes)/s))+"/s")
	}
	if p.Left > 0 {
		parts = append(parts, span(p.Left)+" left")
	}
	v.progress(strings.Join(parts, " · "))
}

// recipients are those who shall be able to read the backup.
func (a *app) recipients(cmd *cobra.Command, o backupOptions) (to []age.Recipient, err error) {
	if o.passphrase {
		if len(o.recipients) > 0 {
			return nil, usage(cmd, "--passphrase and --encrypt-to exclude each other")
		}
		text, err := a.passphrase(true)
		if err != nil {
			return nil, err
		}
		r, err := age.NewScryptRecipient(text)
		if err != nil {
			return nil, err
		}
		return []age.Recipient{r}, nil
	}
	for _, given := range o.recipients {
		text := given
		if !strings.HasPrefix(given, "age1") {
			b, err := os.ReadFile(given)
			if err != nil {
				return nil, usage(cmd, fmt.Sprintf("%q is neither a recipient of age nor a file of them", given))
			}
			text = string(b)
		}
		list, err := age.ParseRecipients(strings.NewReader(text))
		if err != nil {
			return nil, usage(cmd, fmt.Sprintf("read the recipient %s: %v", given, err))
		}
		to = append(to, list...)
	}
	return to, nil
}

// identities are the keys given to read an encrypted backup; nil for none.
func (a *app) identities() func() ([]age.Identity, error) {
	if len(a.flags.identity) == 0 && !a.asks() && a.env.Var("RETOLD_PASSPHRASE") == "" {
		return nil
	}
	return sync.OnceValues(func() ([]age.Identity, error) { // a person is asked once, however often the file is opened
		var ids []age.Identity
		for _, path := range a.flags.identity {
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, badKey(fmt.Errorf("read the identity: %w", err))
			}
			list, err := age.ParseIdentities(strings.NewReader(string(b)))
			if err != nil {
				return nil, badKey(fmt.Errorf("read the identity %s: %w", path, err))
			}
			ids = append(ids, list...)
		}
		if len(ids) > 0 {
			return ids, nil
		}
		text, err := a.passphrase(false)
		if err != nil {
			return nil, err
		}
		id, err := age.NewScryptIdentity(text)
		if err != nil {
			return nil, badKey(err)
		}
		return []age.Identity{id}, nil
	})
}

// badKey is the error of a key or passphrase that cannot be used.
func badKey(err error) error {
	return &retold.Error{Code: retold.CodeUsage, Err: err, Hint: "see `retold backup --help`"}
}

// passphrase comes from the environment, else from a person; twice for a new one.
func (a *app) passphrase(fresh bool) (string, error) {
	if text := a.env.Var("RETOLD_PASSPHRASE"); text != "" {
		return text, nil
	}
	if !a.asks() {
		return "", &retold.Error{Code: retold.CodeUsage, Err: errors.New("there is nobody to ask for a passphrase"), Hint: "set RETOLD_PASSPHRASE, or use --encrypt-to and --identity"}
	}
	text, err := a.secret("Passphrase: ")
	if err != nil || !fresh {
		return text, err
	}
	again, err := a.secret("Once more: ")
	if err == nil && again != text {
		err = badKey(errors.New("the passphrases differ"))
	}
	if err == nil && text == "" {
		err = badKey(errors.New("the passphrase is empty"))
	}
	return text, err
}

// backupsIn names the backups of a folder, or the file itself.
func backupsIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); e.Type().IsRegular() && (ext == backup.Ext || ext == ".zip" || strings.HasSuffix(e.Name(), backup.Ext+".age")) {
			list = append(list, filepath.Join(path, e.Name()))
		}
	}
	return list, nil
}
