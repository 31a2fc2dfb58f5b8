package library

import (
	"context"
	"errors"
	"fmt"
	"time"

	"filippo.io/age"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/store/sqlite"
)

// VerifyOptions say how to verify a backup.
type VerifyOptions struct {
	Quick      bool // only hashes and lists: neither integrity_check nor the sessions
	Identities func() ([]age.Identity, error)
	Progress   func(BackupProgress)
}

// A Verification is what verifying a backup found.
type Verification struct {
	BackupPath string `json:"backupPath"`
	backup.Verdict
	Seconds  float64          `json:"seconds"`
	Manifest *backup.Manifest `json:"-"`
}

// VerifyBackup reads a backup to its last byte: every hash, every database, every
// session of its inventory. What is wrong is in Faults; an error is that of
// backup.Open, or of ctx.
func VerifyBackup(ctx context.Context, path string, o VerifyOptions) (v *Verification, err error) {
	start := time.Now()
	a, err := backup.Open(ctx, path, backup.OpenOptions{Identities: o.Identities})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	var done int64
	var progress func(int64)
	total := a.Manifest.Stats.FileSize
	if o.Progress != nil {
		progress = func(n int64) {
			done += n
			p := BackupProgress{Stage: "checking", Bytes: done, Total: total, Elapsed: time.Since(start)}
			if done > total/50 && done < total {
				p.Left = time.Duration(float64(p.Elapsed) * float64(total-done) / float64(done))
			}
			o.Progress(p)
		}
	}
	verdict, err := a.Verify(ctx, backup.VerifyOptions{Quick: o.Quick, Progress: progress})
	if err != nil {
		return nil, err
	}
	v = &Verification{BackupPath: path, Verdict: *verdict, Manifest: a.Manifest}
	if !o.Quick && !a.Foreign() {
		if err := v.sessions(ctx, a, o.Progress, start); err != nil {
			return nil, err
		}
	}
	v.Seconds = time.Since(start).Seconds()
	return v, nil
}

// sessions reads every session of the inventory from the library in the backup.
func (v *Verification) sessions(ctx context.Context, a *backup.Archive, progress func(BackupProgress), start time.Time) (err error) {
	if _, err := a.Lookup(libraryFile); err != nil {
		v.fault(libraryFile, "it is not in the backup")
		return nil
	}
	store, err := openInside(ctx, a, sqlite.Options{})
	if err != nil {
		v.fault(libraryFile, err.Error())
		return ctx.Err()
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for i, s := range a.Manifest.Sessions {
		if what := readWhole(ctx, store, s); what != "" {
			v.fault(libraryFile, fmt.Sprintf("session %s: %s", s.ID, what))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		v.Sessions++
		if progress != nil && i%16 == 0 {
			progress(BackupProgress{Stage: "reading", Sessions: i, OfSessions: len(a.Manifest.Sessions), Elapsed: time.Since(start)})
		}
	}
	return nil
}

func (v *Verification) fault(path, what string) {
	v.Faults = append(v.Faults, backup.Fault{Path: path, What: what})
}

// readWhole says what keeps a session from being read; "" when nothing does.
func readWhole(ctx context.Context, store retold.Store, s backup.Session) string {
	n := 0
	for _, err := range store.Messages(ctx, retold.KeyOf(s.Agent, s.ID), 0) {
		if err != nil {
			return err.Error()
		}
		n++
	}
	if n != s.Messages {
		return fmt.Sprintf("%d messages, the manifest says %d", n, s.Messages)
	}
	return ""
}

// openInside opens the library that a backup holds, where it lies.
func openInside(ctx context.Context, a *backup.Archive, o sqlite.Options) (*sqlite.Store, error) {
	vfs, err := a.VFS()
	if err != nil {
		return nil, err
	}
	return sqlite.OpenInside(ctx, vfs, "/"+libraryFile, o)
}
