package cursor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

var _ retold.Archiver = (*Source)(nil)

// Pieces yields the files of a User folder that hold history: the databases of
// all generations, which folder each workspace is about, the images that were
// attached, and the file states of each request (formats A.1, C.8). Extensions,
// settings and the editor's local history are not among them.
func (s *Source) Pieces(ctx context.Context, place retold.Place) iter.Seq2[retold.Piece, error] {
	return func(yield func(retold.Piece, error) bool) {
		p := pieces{ctx: ctx, user: place.Path, yield: yield}
		p.all()
	}
}

// checkpointFolder holds the file states of each request, in a folder of its id.
const checkpointFolder = "globalStorage/anysphere.cursor-commits/checkpoints"

// pieces yields until somebody has enough.
type pieces struct {
	ctx   context.Context
	user  string
	yield func(retold.Piece, error) bool
	ended bool
}

func (p *pieces) give(piece retold.Piece, err error) {
	if p.ended {
		return
	}
	if err := p.ctx.Err(); err != nil {
		p.ended = true
		p.yield(retold.Piece{}, err)
		return
	}
	p.ended = !p.yield(piece, err)
}

func (p *pieces) all() {
	global := globalDB(p.user)
	if _, err := os.Stat(global); errors.Is(err, fs.ErrNotExist) {
		global += ".backup" // Cursor's own copy is all there is
	}
	p.database(global)
	p.file(filepath.Join(p.user, "globalStorage", "storage.json"))
	p.folder(checkpointFolder)
	for _, path := range profileDBs(p.user) {
		p.database(path)
	}
	dirs, err := workspaceDirs(p.user)
	if err != nil {
		p.give(retold.Piece{}, err)
	}
	for _, dir := range dirs {
		p.file(filepath.Join(dir, "workspace.json"))
		p.database(filepath.Join(dir, "state.vscdb"))
		p.folder("workspaceStorage/" + filepath.Base(dir) + "/images")
	}
}

// Holds reports what Pieces may yield under a name.
func (s *Source) Holds(place, name string) (retold.PieceKind, bool) {
	if place != "user" {
		return "", false
	}
	if rest, ok := strings.CutPrefix(name, checkpointFolder+"/"); ok {
		return retold.PieceFile, rest != ""
	}
	parts := strings.Split(name, "/")
	switch {
	case name == "globalStorage/storage.json":
		return retold.PieceFile, true
	case name == "globalStorage/state.vscdb", name == "globalStorage/state.vscdb.backup":
		return retold.PieceDatabase, true
	case len(parts) == 4 && parts[0] == "profiles" && parts[2] == "globalStorage" && parts[3] == "state.vscdb":
		return retold.PieceDatabase, true
	case len(parts) < 3 || parts[0] != "workspaceStorage":
		return "", false
	case parts[2] == "images":
		return retold.PieceFile, len(parts) > 3
	case len(parts) == 3 && parts[2] == "state.vscdb":
		return retold.PieceDatabase, true
	}
	return retold.PieceFile, len(parts) == 3 && parts[2] == "workspace.json"
}

func (p *pieces) name(path string) string {
	rel, err := filepath.Rel(p.user, path)
	if err != nil { // both begin with the User folder
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

func (p *pieces) database(path string) {
	if there, err := regular(path); err != nil || !there {
		if err != nil {
			p.give(retold.Piece{}, err)
		}
		return
	}
	p.give(retold.Piece{Name: p.name(path), Path: path, Kind: retold.PieceDatabase, Size: paths.Sized(path), Except: credentials()}, nil)
}

func (p *pieces) file(path string) {
	there, err := regular(path)
	if err != nil {
		p.give(retold.Piece{}, err)
	}
	if there {
		p.give(retold.Piece{Name: p.name(path), Path: path, Kind: retold.PieceFile, Size: paths.Sized(path)}, nil)
	}
}

// folder gives every file below a folder.
func (p *pieces) folder(name string) {
	for f, err := range paths.Walk(p.ctx, filepath.Join(p.user, filepath.FromSlash(name))) {
		if err != nil {
			p.give(retold.Piece{}, err)
		} else {
			p.give(retold.Piece{Name: name + "/" + f.Rel, Path: f.Path, Kind: retold.PieceFile, Size: f.Size}, nil)
		}
		if p.ended {
			return
		}
	}
}

// regular reports whether a file is there to be kept.
func regular(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%s: not a regular file", path)
	}
	return true, nil
}

// credentials are the records of a state database that open doors (formats D.2,
// G): what Cursor logs in with, what extensions keep as secrets, and the keys
// under which copies on the server are encrypted.
func credentials() []retold.RowRange {
	const key = "key"
	var out []retold.RowRange
	for _, prefix := range []string{"cursorAuth/", "secret://"} {
		out = append(out, retold.RowRange{Table: "ItemTable", Column: key, From: prefix, To: end(prefix)})
	}
	for _, suffix := range []string{"EncryptionKey", "encryptionKey", "accessToken", "AccessToken", "refreshToken", "RefreshToken", "apiKey", "ApiKey", "APIKey"} {
		out = append(out, retold.RowRange{Table: "ItemTable", Column: key, Suffix: suffix})
	}
	const composers = "composerData:"
	return append(
		out,
		retold.RowRange{Table: "ItemTable", Column: key, Member: "ncryptionKey"},
		retold.RowRange{Table: "cursorDiskKV", Column: key, From: composers, To: end(composers), Member: "ncryptionKey"},
		retold.RowRange{Table: "composerHeaders", Column: "composerId", Member: "ncryptionKey"},
	)
}
