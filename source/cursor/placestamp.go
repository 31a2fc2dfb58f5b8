package cursor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/retold-history/retold/internal/livedb"
)

// A placeStamp is what all files of a User folder that hold or name
// conversations look like from outside. Equal stamps prove that nothing changed.
type placeStamp struct {
	global     livedb.Stamp
	others     uint64 // profiles, and the copy that stands in for the global database
	workspaces []workspaceStamp
}

// A workspaceStamp is that of one folder of workspaceStorage: its database and
// its workspace.json.
type workspaceStamp struct {
	id  string
	sum uint64
}

// lookAt takes the stamps without opening a database in SQLite. What cannot be
// looked at counts by its error, so that it is noticed when that goes away.
func lookAt(user string) (placeStamp, error) {
	var s placeStamp
	if _, err := os.Stat(user); err != nil {
		return s, err
	}
	var err error
	if s.global, err = livedb.Look(globalDB(user)); err != nil {
		s.others = hashText(s.others, err.Error())
	}
	s.others = hashFile(s.others, globalDB(user)+".backup")
	for _, profile := range profileDBs(user) {
		s.others = hashDatabase(hashText(s.others, profile), profile)
	}
	dirs, err := workspaceDirs(user)
	if err != nil {
		s.others = hashText(s.others, err.Error())
	}
	for _, dir := range dirs {
		sum := hashFile(0, filepath.Join(dir, "workspace.json"))
		s.workspaces = append(s.workspaces, workspaceStamp{filepath.Base(dir), hashDatabase(sum, filepath.Join(dir, "state.vscdb"))})
	}
	return s, nil
}

func hashDatabase(seed uint64, path string) uint64 {
	stamp, err := livedb.Look(path)
	if err != nil {
		seed = hashText(seed, err.Error())
	}
	b, _ := stamp.AppendBinary(make([]byte, 0, livedb.StampSize)) // it never fails
	return hash64(seed, b)
}

// hashFile tells a file by its size, time and inode.
func hashFile(seed uint64, path string) uint64 {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return hashNumber(seed, -1)
	}
	if err != nil {
		return hashText(seed, err.Error())
	}
	seed = hashNumber(hashNumber(seed, info.Size()), info.ModTime().UnixNano())
	return hashNumber(seed, int64(livedb.Inode(info))) //nolint:gosec // the same bits
}
