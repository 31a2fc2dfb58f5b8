package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
)

// A landing is the folder for the files of one place.
type landing struct {
	name        string // of the place
	agent, kind string // likewise
	dir         string
	made        []string // folders up to dir that the restore made
	keep        string   // folder in dir, which stays if anything is in it
	stage       string   // folder in that, in which files are unpacked
	aside       string   // folder in that, to which what is in the way goes
	files       []*backup.File
	blocks      []string // names in the way
	lock        *flock.Flock
}

// file is a file's name below its folder.
func (t *landing) file(f *backup.File) string { return strings.TrimPrefix(f.Path, t.name+"/") }

// names are those that a file needs: no log of another database may lie beside one.
func (t *landing) names(f *backup.File) []string {
	name := t.file(f)
	if f.Kind != retold.PieceDatabase {
		return []string{name}
	}
	return []string{name, name + "-wal", name + "-shm", name + "-journal"}
}

// strays are the logs in the way that have no database: others go with theirs.
func (t *landing) strays() (list []string) {
	var taken []string
	for _, f := range t.files {
		if names := t.names(f); slices.Contains(t.blocks, names[0]) {
			taken = append(taken, names...)
		}
	}
	for _, n := range t.blocks {
		if !slices.Contains(taken, n) {
			list = append(list, n)
		}
	}
	return list
}

// there reports whether anything lies in the folder.
func (t *landing) there() bool {
	entries, err := os.ReadDir(t.dir)
	return err == nil && len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// leave leaves a file out, and what lies where it would have gone.
func (s *restoring) leave(t *landing, f *backup.File, why error) {
	s.result.Skipped = append(s.result.Skipped, backup.Skipped{Path: f.Path, Reason: why.Error()})
	t.files = slices.DeleteFunc(t.files, func(x *backup.File) bool { return x == f })
	for _, n := range t.names(f) {
		t.blocks = slices.DeleteFunc(t.blocks, func(b string) bool { return b == n })
		at := filepath.Join(t.dir, filepath.FromSlash(n))
		s.result.Replaced = slices.DeleteFunc(s.result.Replaced, func(r string) bool { return r == at })
	}
}

// test reads every byte of the files, as unpacking would.
func (s *restoring) test(ctx context.Context) error {
	verdict, err := s.archive.Verify(ctx, backup.VerifyOptions{Quick: true, Progress: s.progress("checking")})
	if err != nil {
		return err
	}
	for _, fault := range verdict.Faults {
		for _, t := range s.targets {
			at := slices.IndexFunc(t.files, func(f *backup.File) bool { return f.Path == fault.Path })
			if at < 0 {
				continue
			}
			why := fmt.Errorf("%s: %s", fault.Path, fault.What)
			if !s.o.SkipDamaged {
				return s.damaged(why)
			}
			s.leave(t, t.files[at], errors.New(fault.What))
		}
	}
	return s.left()
}

func (s *restoring) damaged(why error) error {
	return &retold.Error{
		Code: retold.CodeInvalidBackup, Op: "restore", Path: s.archive.Path, Err: why,
		Hint: "retold verify " + s.archive.Path + " says what of it is whole; with --skip-damaged that much is restored",
	}
}

// left returns an error when every file was left out.
func (s *restoring) left() error {
	s.targets = slices.DeleteFunc(s.targets, func(t *landing) bool { return len(t.files) == 0 && t.lock == nil })
	if slices.ContainsFunc(s.targets, func(t *landing) bool { return len(t.files) > 0 }) {
		return nil
	}
	return s.damaged(errors.New("no file of it is whole"))
}

// progress tells of bytes.
func (s *restoring) progress(stage string) func(int64) {
	var done, total int64
	for _, t := range s.targets {
		for _, f := range t.files {
			total += f.Size
		}
	}
	return func(n int64) {
		done += n
		if s.o.Progress != nil {
			s.o.Progress(BackupProgress{Stage: stage, Bytes: done, Total: total, Elapsed: s.o.Now().Sub(s.start)})
		}
	}
}

// unpack writes all files beside their places.
func (s *restoring) unpack(ctx context.Context) error {
	var total int64
	for _, t := range s.targets {
		if err := t.open(s.start.UTC().Format("2006-01-02T15-04-05")); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		for _, f := range t.files {
			total += f.Size
		}
	}
	if err := backup.NeedSpace(s.targets[0].dir, total); err != nil {
		return err
	}
	progress := s.progress("unpacking")
	for _, t := range s.targets {
		if err := s.unpackInto(ctx, t, progress); err != nil {
			return err
		}
	}
	return s.left()
}

func (s *restoring) unpackInto(ctx context.Context, t *landing, progress func(int64)) (err error) {
	root, err := os.OpenRoot(t.stage)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, f := range slices.Clone(t.files) {
		err := s.archive.Unpack(ctx, f, root, t.file(f), progress)
		e, is := errors.AsType[*retold.Error](err)
		switch {
		case is && e.Code == retold.CodeInvalidBackup && s.o.SkipDamaged:
			s.leave(t, f, e.Err)
		case is && e.Code == retold.CodeInvalidBackup:
			return s.damaged(e.Err)
		case err != nil:
			return err
		}
	}
	return nil
}

// open makes the folder in which files are unpacked, one that no other restore has,
// and says by a lock that it is in use.
func (t *landing) open(stamp string) error {
	t.made = append(t.made, missing(t.dir, map[string]bool{})...)
	if err := os.MkdirAll(t.dir, 0o700); err != nil {
		return err
	}
	for n := 1; ; n++ {
		keep := filepath.Join(t.dir, restorePrefix+stamp)
		if n > 1 {
			keep = fmt.Sprintf("%s-%d", keep, n)
		}
		err := os.Mkdir(keep, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		lock := flock.New(filepath.Join(keep, unfinished), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
		mine, err := lock.TryLock()
		if errors.Is(err, fs.ErrNotExist) { // another restore found it empty, and removed it
			continue
		}
		if err != nil || !mine {
			return errors.Join(err, lock.Close(), fmt.Errorf("another restore took %s", keep))
		}
		t.keep, t.stage, t.aside, t.lock = keep, filepath.Join(keep, "new"), filepath.Join(keep, "old"), lock
		return os.Mkdir(t.stage, 0o700)
	}
}

// tidy removes what a restore that failed unpacked, and the folders that it made as
// far as they are empty: what was put aside and not brought back stays.
func (s *restoring) tidy() error {
	var err error
	for _, t := range s.targets {
		if t.keep != "" {
			err = errors.Join(err, os.RemoveAll(t.stage), removeEmpty(t.keep))
		}
	}
	for _, t := range slices.Backward(s.targets) {
		for _, dir := range slices.Backward(t.made) {
			_ = os.Remove(dir) // fails when something is in it
		}
	}
	return err
}

// sweepEmpty removes the folders of a restore in which nothing is left: everything
// that was unpacked is in its place. Those that hold what was replaced are told.
func (s *restoring) sweepEmpty() error {
	var err error
	for _, t := range s.targets {
		err = errors.Join(err, removeEmpty(t.keep))
		if _, gone := os.Stat(t.keep); gone == nil {
			s.result.Aside = append(s.result.Aside, t.keep)
		}
	}
	return err
}

// removeEmpty removes a folder, and those in it, as far as there is no file in them.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return gone(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeEmpty(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	if entries, err = os.ReadDir(dir); err != nil || len(entries) > 0 {
		return gone(err)
	}
	return gone(os.Remove(dir))
}
