package change

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold/internal/atomicfile"
)

// logs end the names of what SQLite keeps beside a database. Beside any other it
// means nothing, or ruins it.
var logs = [...]string{"-wal", "-shm", "-journal"}

// moveLogs moves what lies beside from to lie beside to.
func moveLogs(from, to string) error {
	moved := false
	for _, suffix := range logs {
		there, err := exists(from + suffix)
		if err != nil {
			return err
		}
		if !there {
			continue
		}
		if taken, err := exists(to + suffix); err != nil {
			return err
		} else if taken {
			return changed(to+suffix, "the log of another database is in the way")
		}
		if err := os.Rename(from+suffix, to+suffix); err != nil {
			return err
		}
		moved = true
	}
	if !moved {
		return nil
	}
	return errors.Join(atomicfile.Flush(filepath.Dir(to)), atomicfile.Flush(filepath.Dir(from)))
}

// takeLogs moves the logs of a restored database ahead of it, into a folder that may
// have been removed because nothing lay in it.
func (f *fileStep) takeLogs(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return moveLogs(from, to)
}

// rename gives a file or folder another name; a restored database takes its logs
// along.
func (f *fileStep) rename() error {
	if f.Restored {
		if err := f.takeLogs(f.From, f.Path); err != nil {
			return err
		}
	}
	if err := os.Rename(f.From, f.Path); err != nil {
		return err
	}
	return errors.Join(atomicfile.Flush(filepath.Dir(f.Path)), atomicfile.Flush(filepath.Dir(f.From)))
}

// healRename brings logs back to a database that a crash kept from following them.
// A log that lay there without a database is moved by a step of its own.
func (f *fileStep) healRename(among []step) error {
	from, err := exists(f.From)
	if err != nil || !from {
		return err
	}
	to, err := exists(f.Path)
	if err != nil || to {
		return err
	}
	own := map[string]bool{}
	for i := range among {
		if other := among[i].File; other != nil && other.Op == opRename {
			own[other.Path], own[other.From] = true, true
		}
	}
	for _, suffix := range logs {
		if own[f.Path+suffix] {
			return nil
		}
	}
	return moveLogs(f.Path, f.From)
}

// stays reports whether nobody moves the log of that name away, with the database
// that it lies beside.
func stays(log string, among []step) (bool, error) {
	for i := range among {
		f := among[i].File
		if f == nil || f.Op != opRename || !f.Restored {
			continue
		}
		if suffix, beside := strings.CutPrefix(log, f.From); beside && isLog(suffix) {
			there, err := exists(f.From)
			return !there, err
		}
	}
	return true, nil
}

// isLog reports whether a step is about a file that SQLite keeps beside a database.
func (f *fileStep) isLog() bool {
	for _, side := range []*file{f.Before, f.After} {
		if side != nil && side.Dir {
			return false
		}
	}
	for _, suffix := range logs {
		if strings.HasSuffix(f.Path, suffix) {
			return true
		}
	}
	return false
}

// checkLogs makes sure that no database is replaced beside a log that was written
// since the plan was made.
func (f *fileStep) checkLogs(among []step) error {
	if f.Op != opReplace {
		return nil
	}
	log, err := hotLog(f.Path)
	if err != nil || log == "" {
		return err
	}
	if is, err := isDatabase(f.Path); err != nil || !is {
		return err
	}
	for i := range among {
		if other := among[i].File; other != nil && other.Op == opRemove && other.Path == log {
			return nil
		}
	}
	return changed(f.Path, "it was changed since: %s holds more of it", log)
}

// isDatabase tells an SQLite database by how it begins.
func isDatabase(path string) (is bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return string(head[:n]) == magic, errors.Join(err, f.Close())
}

// hotLog is the log beside a database that holds more than the database; "" when none
// does.
func hotLog(path string) (string, error) {
	for _, suffix := range []string{"-wal", "-journal"} {
		info, err := os.Lstat(path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", err
		case info.Size() > 0:
			return path + suffix, nil
		}
	}
	return "", nil
}

func isLog(suffix string) bool {
	for _, s := range logs {
		if s == suffix {
			return true
		}
	}
	return false
}

// standing is the folder that is there, or will be made by then, on the way to one
// that goes when it is empty.
func standing(dir string, made map[string]bool) (string, error) {
	for !made[dir] && dir != filepath.Dir(dir) {
		there, err := exists(dir)
		if err != nil {
			return "", fmt.Errorf("look at %s: %w", dir, err)
		}
		if there {
			break
		}
		dir = filepath.Dir(dir)
	}
	return dir, nil
}

// hotStamp says how the log beside a database looks that holds more than the
// database; "" when none does.
func hotStamp(path string) (string, error) {
	log, err := hotLog(path)
	if err != nil || log == "" {
		return "", err
	}
	return stamp(log)
}

// made notes how a file looks that the change made, and the log beside it.
func (e *entry) made(path string) error {
	v, err := sumFile(path)
	if err != nil {
		return err
	}
	if e.Made == nil {
		e.Made, e.Logs = map[string][]byte{}, map[string]string{}
	}
	e.Made[path] = v.Sum
	log, err := hotStamp(path)
	if log != "" {
		e.Logs[path] = log
	}
	return err
}

// usedSince reports whether a file that the change made is no longer as it was when
// the change was done. What somebody wrote into a database may be in its log alone.
func (f *fileStep) usedSince(now *file) (bool, error) {
	if now == nil || string(now.Data.Sum) != string(f.Made) {
		return now != nil, nil
	}
	log, err := hotStamp(f.Path)
	return log != "" && log != f.Log, err
}
