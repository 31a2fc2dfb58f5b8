package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/store/sqlite"
)

// libraryFile is the name of retold's own library in a backup.
const libraryFile = "retold/library.db"

// BackupOptions say what to back up, and where to.
type BackupOptions struct {
	// Path is the file to write, or with Folder the folder in which backups share
	// what they have in common.
	Path   string
	Folder bool

	Agents     []string        // only the files of these agents, beside the library; empty: of all
	Sessions   []string        // only these sessions, as Find takes them, with their sub-agents
	Workspaces []string        // only sessions about these workspaces: a path, or words of one
	Recipients []age.Recipient // who can read the file; empty: it is not encrypted
	Shared     bool            // with the permissions of any new file instead of 0600
	Replace    bool            // a file of that name is replaced
	Producer   string          // program and version, for the manifest
	Progress   func(BackupProgress)
}

// BackupProgress is how far a backup or its verification has come.
type BackupProgress struct {
	Stage      string // "waiting" (for another retold), "copying", "packing", "checking"
	Bytes      int64  // of Total, unpacked
	Total      int64  // 0 while nobody can tell
	Elapsed    time.Duration
	Left       time.Duration // 0 while nobody can tell
	Sessions   int           // checked
	OfSessions int
}

// A BackupResult says what was backed up.
type BackupResult struct {
	BackupPath string           `json:"backupPath"`
	Written    int64            `json:"bytesWritten"` // on disk, that were not there before
	Seconds    float64          `json:"seconds"`
	Manifest   *backup.Manifest `json:"manifest"`
	Elapsed    time.Duration    `json:"-"`
}

// Backup brings the library up to date and packs it, and every file that the
// sources name (see [retold.Archiver]), into a backup. Databases that their
// programs write to meanwhile are taken as one transaction left them. A file that
// cannot be read is in Manifest.Skipped and the rest is backed up. Besides the
// usual errors it returns retold.ErrBackupFailed, retold.ErrLibraryBusy while another
// process goes on bringing the library up to date, an error of CodeUsage when
// the file is there already, and one of CodeChanged after an interrupted change. Interrupted it leaves nothing under the name.
func (l *Library) Backup(ctx context.Context, o BackupOptions) (r *BackupResult, err error) {
	defer l.call(&ctx, &err)()
	start := l.now()
	if open, err := l.desk().Interrupted(); err != nil {
		return nil, err
	} else if len(open) > 0 {
		return nil, InterruptedError(open[0])
	}
	if err := l.upToDate(ctx, o); err != nil {
		return nil, err
	}
	chosen, err := l.only(ctx, o)
	if err != nil {
		return nil, err
	}
	b := &backing{l: l, o: o, only: chosen, start: start, manifest: &backup.Manifest{CreatedAt: start.UTC().Truncate(time.Millisecond), Producer: o.Producer, Platform: runtime.GOOS}}
	if err := b.plan(ctx); err != nil {
		return nil, err
	}
	if err := b.begin(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.w.Abort()) }()
	if err := b.library(ctx); err != nil {
		return nil, err
	}
	if err := b.journal(ctx); err != nil {
		return nil, err
	}
	if chosen != nil {
		err = b.chosenPieces(ctx)
	} else {
		err = b.allPieces(ctx)
	}
	if err != nil {
		return nil, err
	}
	r = &BackupResult{Manifest: b.manifest}
	if r.BackupPath, err = b.w.Finish(ctx, b.manifest); err != nil {
		return nil, err
	}
	r.Written, r.Elapsed = b.w.Written(), l.now().Sub(start)
	r.Seconds = r.Elapsed.Seconds()
	return r, nil
}

func (b *backing) allPieces(ctx context.Context) error {
	for _, p := range b.pieces {
		if err := b.piece(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// A backing is one backup under way.
type backing struct {
	l        *Library
	o        BackupOptions
	start    time.Time
	manifest *backup.Manifest
	only     []string       // ids of the sessions that were chosen; nil for everything
	places   []located      // those of the manifest
	pieces   []retold.Piece // with the names they get in the backup
	total    int64          // bytes to read
	largest  int64          // bytes of the largest database
	done     int64          // bytes of the pieces that are in it
	w        *backup.Writer
	temp     string // folder for snapshots
}

// plan asks the sources for their files.
func (b *backing) plan(ctx context.Context) error {
	used := map[string]int{}
	for _, p := range b.l.located() {
		archiver, ok := p.source.(retold.Archiver)
		if !p.Used || !ok || len(b.o.Agents) > 0 && !slices.Contains(b.o.Agents, p.Agent) {
			continue
		}
		name := p.Agent + "/" + p.Kind
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, used[name])
		}
		b.manifest.Places = append(b.manifest.Places, backup.Place{Name: name, Agent: p.Agent, Kind: p.Kind, Path: p.Path})
		b.places = append(b.places, p)
		for piece, err := range archiver.Pieces(ctx, p.Place) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				b.skip(p.Path, err)
				continue
			}
			piece.Name = name + "/" + piece.Name
			b.pieces = append(b.pieces, piece)
			b.total += piece.Size
			if piece.Kind == retold.PieceDatabase {
				b.largest = max(b.largest, piece.Size)
			}
		}
	}
	size, err := b.l.shelf.size()
	b.total += size
	b.largest = max(b.largest, size)
	return err
}

// skip notes what is left out, and why.
func (b *backing) skip(path string, err error) {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		path, err = at.Path, at.Err
	}
	if e, ok := errors.AsType[*retold.Error](err); ok && e.Err != nil {
		err = e.Err
	}
	b.manifest.Skipped = append(b.manifest.Skipped, backup.Skipped{Path: path, Reason: err.Error()})
}

// leastRoom is what the smallest backup takes while it is made.
const leastRoom = 4 << 20

// begin makes sure that there is room, and opens the backup.
func (b *backing) begin(ctx context.Context) error {
	dir := b.o.Path
	if !b.o.Folder {
		dir = filepath.Dir(b.o.Path)
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	// A copy of one database at a time, and what a history packs to at worst. How
	// much single sessions take is known when they are in it: only the least is asked
	// for.
	need := b.largest + b.total/2
	if b.only != nil {
		b.total, need = 0, leastRoom
	}
	if err := backup.NeedSpace(dir, need); err != nil {
		return err
	}
	o := backup.Options{Recipients: b.o.Recipients, Shared: b.o.Shared, Replace: b.o.Replace, Progress: func(raw int64) { b.tell("packing", raw) }}
	var err error
	if b.only != nil {
		b.manifest.Only = b.only
	}
	if b.o.Folder {
		b.w, err = backup.OpenRepository(ctx, dir, b.start, o)
	} else {
		b.w, err = backup.Create(b.o.Path, o)
	}
	if err != nil {
		return err
	}
	b.temp = b.w.Folder()
	return nil
}

func (b *backing) tell(stage string, bytes int64) {
	if b.o.Progress == nil {
		return
	}
	p := BackupProgress{Stage: stage, Bytes: bytes, Total: max(b.total, bytes), Elapsed: b.l.now().Sub(b.start)}
	if bytes > b.total/50 {
		p.Left = time.Duration(float64(p.Elapsed) * float64(p.Total-bytes) / float64(bytes))
	}
	b.o.Progress(p)
}

// library takes a snapshot of retold's own file. What sessions the backup holds
// is what that snapshot says.
func (b *backing) library(ctx context.Context) error {
	path := filepath.Join(b.temp, "library.db")
	shot, err := &backup.Shot{}, error(nil)
	if b.only != nil {
		err = b.chosenLibrary(ctx, path)
	} else {
		shot, err = backup.SnapshotOwn(ctx, b.l.shelf.file(), path, nil)
	}
	if err != nil {
		return fmt.Errorf("copy the library: %w", err)
	}
	if err := b.add(ctx, libraryFile, retold.PieceDatabase, path, path); err != nil {
		return err
	}
	b.noted(libraryFile, shot)
	if err := b.inventory(ctx, path); err != nil {
		return err
	}
	return removeDatabase(path)
}

// removeDatabase removes a private copy and what SQLite put beside it.
func removeDatabase(path string) error {
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Remove(path)
}

// inventory lists the sessions that a library holds.
func (b *backing) inventory(ctx context.Context, path string) (err error) {
	store, err := sqlite.Open(ctx, path, sqlite.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	list, _, err := store.List(ctx, retold.Filter{}, -1, 0)
	if err != nil {
		return err
	}
	for _, k := range list {
		if k.Pending {
			if k.MessageCount, err = b.unread(ctx, store, k); err != nil {
				return err
			}
		}
		s := backup.Session{ID: k.ID, Agent: k.Agent, Title: k.Title, Messages: max(k.MessageCount, 0)}
		if k.WorkspacePath != "" {
			s.Workspace = &k.WorkspacePath
		}
		b.manifest.Sessions = append(b.manifest.Sessions, s)
		b.manifest.Stats.MessageCount += s.Messages
	}
	b.manifest.Stats.SessionCount = len(list)
	return nil
}

// piece puts one file into the backup, or says why not.
func (b *backing) piece(ctx context.Context, p retold.Piece) error {
	var err error
	if p.Kind == retold.PieceDatabase {
		err = b.database(ctx, p)
	} else {
		err = b.add(ctx, p.Name, p.Kind, p.Path, p.Path)
	}
	b.done += p.Size
	if err == nil || ctx.Err() != nil || fatal(err) {
		return errors.Join(ctx.Err(), err)
	}
	b.skip(p.Path, err)
	return nil
}

// fatal is an error of the backup itself, not of one file that it should hold.
func fatal(err error) bool {
	_, writing := errors.AsType[*target](err)
	return writing || errors.Is(err, retold.ErrBackupFailed) || backup.DiskFull(err)
}

// A target is an error of where the backup is written to.
type target struct{ error }

func (t *target) Unwrap() error { return t.error }

func (b *backing) database(ctx context.Context, p retold.Piece) error {
	path := filepath.Join(b.temp, "snapshot.db")
	shot, err := backup.Snapshot(ctx, p.Path, path, p.Except, func(done, _ int64) { b.tell("copying", b.done+done/2) })
	if err != nil {
		return err
	}
	if err := b.add(ctx, p.Name, p.Kind, p.Path, path); err != nil {
		return err
	}
	b.noted(p.Name, shot)
	if err := os.Remove(path); err != nil {
		return &target{err}
	}
	return nil
}

// noted puts into the manifest what a snapshot left out.
func (b *backing) noted(name string, shot *backup.Shot) {
	for _, x := range shot.Excluded {
		x.Path = name
		b.manifest.Excluded = append(b.manifest.Excluded, x)
	}
	for _, note := range shot.Notes {
		b.manifest.Skipped = append(b.manifest.Skipped, backup.Skipped{Path: name, Reason: note})
	}
}

// add puts the file at path into the backup; of is where it came from.
func (b *backing) add(ctx context.Context, name string, kind retold.PieceKind, of, path string) error {
	at, err := written(of, kind)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = b.w.Add(ctx, backup.File{Path: name, Kind: kind, ModTime: at.UTC().Truncate(time.Millisecond)}, f)
	return errors.Join(err, f.Close())
}

// written is when a file was written to last, or the log of a database.
func written(path string, kind retold.PieceKind) (time.Time, error) {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}, err
	}
	at := info.ModTime()
	if log, err := os.Stat(path + "-wal"); err == nil && kind == retold.PieceDatabase && log.Size() > 0 && log.ModTime().After(at) {
		at = log.ModTime()
	}
	return at, nil
}

// IsBackupFolder reports whether a path names a folder in which backups share
// their chunks, and not a file.
func IsBackupFolder(path string) bool {
	if strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator)) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
