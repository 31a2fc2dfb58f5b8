// Package backup packs files into one that can be kept for years, and reads it
// back: a container of hashed, compressed chunks with a manifest at its end
// (FORMAT.md says every byte of it), or a folder in which backups share their
// chunks.
//
// [Create] and [OpenRepository] write, [Open] reads either kind, and the zip files
// that cursor-history makes. An [Archive] gives each file in it as an
// [io.ReaderAt] and a database in it as an SQLite connection, without unpacking
// the rest. [Snapshot] takes a database that its owner is writing to.
//
// Nothing a stranger wrote into such a file is believed: every length is checked
// before it is used, every chunk against its hash, every name before anything is
// written under it.
package backup

import (
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/retold-history/retold"
)

// Version is the version of the manifest that is written.
const Version = "2.0.0"

// Ext ends the names of backups.
const Ext = ".retold"

// A Sum is the sha256 of something. As text it is lower-case hex.
type Sum [32]byte

// String returns 64 hex digits.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// MarshalText returns 64 hex digits.
func (s Sum) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, s[:]), nil }

// UnmarshalText reads 64 hex digits.
func (s *Sum) UnmarshalText(text []byte) error {
	if len(text) != 2*len(s) {
		return fmt.Errorf("a sha256 of %d characters", len(text))
	}
	_, err := hex.Decode(s[:], text)
	return err
}

// A Manifest says what a backup holds. Its JSON is a public contract.
type Manifest struct {
	Version   string     `json:"version"` // "2.0.0"; backups of cursor-history say "1.0.0"
	CreatedAt time.Time  `json:"createdAt"`
	Producer  string     `json:"producer"` // "retold v0.5.0"
	Platform  string     `json:"platform"` // as runtime.GOOS
	Stats     Stats      `json:"stats"`
	Places    []Place    `json:"places"`
	Files     []File     `json:"files"`
	Sessions  []Session  `json:"sessions"`
	Skipped   []Skipped  `json:"skipped"`
	Excluded  []Excluded `json:"excluded"`
	Only      []string   `json:"only,omitempty"`  // ids of the sessions that were chosen; empty: everything was backed up
	Packs     []string   `json:"packs,omitempty"` // of a backup in a repository: the packs that hold its chunks
}

// Stats are sums over a backup.
type Stats struct {
	SessionCount int   `json:"sessionCount"`
	MessageCount int   `json:"messageCount"`
	FileSize     int64 `json:"fileSize"` // bytes of all files, unpacked
}

// A Place is a folder that was backed up. The names of its files begin with Name
// and a slash.
type Place struct {
	Name  string `json:"name"`  // "cursor/user"
	Agent string `json:"agent"` // "cursor"
	Kind  string `json:"kind"`  // as retold.Place has it
	Path  string `json:"path"`  // where it lay
}

// A File is one file of a backup.
type File struct {
	Path      string           `json:"path"` // with slashes, relative, unique
	Kind      retold.PieceKind `json:"kind"`
	Size      int64            `json:"size"`
	SHA256    Sum              `json:"sha256"`
	ModTime   time.Time        `json:"modTime,omitzero"`
	ChunkSize int64            `json:"chunkSize,omitempty"` // of all chunks but the last
	Chunks    []Sum            `json:"chunks,omitempty"`
}

// A Session is an entry of the inventory.
type Session struct {
	ID        string  `json:"id"`
	Agent     string  `json:"agent"`
	Title     string  `json:"title"`
	Workspace *string `json:"workspace"`
	Messages  int     `json:"messages"`
}

// Skipped is something that a backup should hold and does not.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Excluded are records that were left out of a database on purpose.
type Excluded struct {
	Path  string   `json:"path"` // of the file in the backup
	Table string   `json:"table"`
	Keys  []string `json:"keys"` // names alone, never values; "composerData:*" for all that begin so
	// Members are set where the records were kept and only these members of their
	// JSON emptied.
	Members []string `json:"members,omitempty"`
	Rows    int      `json:"rows"`
}

// errInvalid is what makes bytes no backup, or a damaged one.
var errInvalid = errors.New("damaged")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errInvalid}, args...)...)
}

// refuse names the file that is no good.
func refuse(path string, err error) error {
	if err == nil || retold.CodeOf(err) != "" || !errors.Is(err, errInvalid) {
		return err
	}
	return &retold.Error{Code: retold.CodeInvalidBackup, Op: "read backup", Path: path, Hint: "retold verify " + path + " says what of it is whole", Err: err}
}
