package library

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"filippo.io/age"
	"golang.org/x/sync/errgroup"

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
	look := &verifying{a: a, o: o, start: start, v: &Verification{BackupPath: path, Manifest: a.Manifest}}
	verdict, err := look.run(ctx)
	if err == nil && a.Foreign() && !o.Quick && len(verdict.Faults) == 0 {
		err = look.foreign(ctx, path)
	}
	if err != nil {
		return nil, err
	}
	v = look.v
	v.Verdict = *verdict
	v.Sessions = look.sessions
	v.Faults = append(v.Faults, look.faults...)
	if len(a.Manifest.Files) == 0 {
		v.Faults = append(v.Faults, backup.Fault{Path: path, What: "it holds no file"})
	}
	v.Seconds = time.Since(start).Seconds()
	return v, nil
}

// A verifying is a verification under way.
type verifying struct {
	a     *backup.Archive
	o     VerifyOptions
	start time.Time
	v     *Verification

	mu       sync.Mutex // for bytes, and to tell of progress
	bytes    int64
	sessions int            // read
	faults   []backup.Fault // of sessions
}

// run reads the sessions as soon as their library was looked at, beside the rest.
func (look *verifying) run(ctx context.Context) (*backup.Verdict, error) {
	group, ctx := errgroup.WithContext(ctx)
	var once sync.Once
	read := func() {
		if !look.o.Quick && !look.a.Foreign() {
			once.Do(func() { group.Go(func() error { return look.inventory(ctx) }) })
		}
	}
	var verdict *backup.Verdict
	group.Go(func() (err error) {
		verdict, err = look.a.Verify(ctx, backup.VerifyOptions{Quick: look.o.Quick, Progress: look.checked, Done: func(f *backup.File) {
			if f.Path == libraryFile {
				read()
			}
		}})
		if err == nil {
			read() // there may be no library
		}
		return err
	})
	return verdict, group.Wait()
}

// checked tells of n bytes more.
func (look *verifying) checked(n int64) {
	look.mu.Lock()
	defer look.mu.Unlock()
	look.bytes += n
	if look.o.Progress == nil {
		return
	}
	total := look.a.Manifest.Stats.FileSize
	p := BackupProgress{Stage: "checking", Bytes: look.bytes, Total: total, Elapsed: time.Since(look.start)}
	if look.bytes > total/50 && look.bytes < total {
		p.Left = time.Duration(float64(p.Elapsed) * float64(total-look.bytes) / float64(look.bytes))
	}
	look.o.Progress(p)
}

// readOne tells of i sessions that were read, once there is nothing else to tell of.
func (look *verifying) readOne(i int) {
	look.mu.Lock()
	defer look.mu.Unlock()
	if n := len(look.a.Manifest.Sessions); look.o.Progress != nil && i%16 == 0 && look.bytes >= look.a.Manifest.Stats.FileSize {
		look.o.Progress(BackupProgress{Stage: "reading", Sessions: i, OfSessions: n, Elapsed: time.Since(look.start)})
	}
}

// inventory reads every session of it from the library in the backup.
func (look *verifying) inventory(ctx context.Context) (err error) {
	if _, err := look.a.Lookup(libraryFile); err != nil {
		look.fault("it is not in the backup")
		return nil
	}
	store, err := openInside(ctx, look.a, sqlite.Options{})
	if err != nil {
		look.fault(err.Error())
		return ctx.Err()
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for i, s := range look.a.Manifest.Sessions {
		if what := readWhole(ctx, store, s); what != "" {
			look.fault(fmt.Sprintf("session %s: %s", s.ID, what))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		look.sessions++
		look.readOne(i)
	}
	return nil
}

// foreign reads every session that the sources find in a backup without a library.
// It has no inventory either, only a number, which counts by other rules.
func (look *verifying) foreign(ctx context.Context, path string) (err error) {
	e := &enclosed{from: BackupSource{Path: path}}
	if e.archive, err = backup.Open(ctx, path, backup.OpenOptions{}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	user, err := e.layOut(ctx)
	if err != nil {
		return err
	}
	for _, source := range editorSources(user, Options{}) {
		places, err := source.Places(ctx)
		if err != nil {
			return err
		}
		for _, place := range places {
			if !place.Used {
				continue
			}
			for h, err := range source.Headers(ctx, place) {
				if err == nil {
					err = readForeign(ctx, source, h.Ref)
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err != nil {
					look.faults = append(look.faults, backup.Fault{Path: path, What: strings.ReplaceAll(err.Error(), e.temp, "")})
					continue
				}
				look.sessions++
			}
		}
	}
	return nil
}

// readForeign reads a session, message by message where the source can.
func readForeign(ctx context.Context, source retold.Source, ref retold.Ref) error {
	if s, ok := source.(retold.Streamer); ok {
		_, err := s.Stream(ctx, ref, func(retold.Message) error { return nil })
		return err
	}
	_, err := source.Session(ctx, ref)
	return err
}

func (look *verifying) fault(what string) {
	look.faults = append(look.faults, backup.Fault{Path: libraryFile, What: what})
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
