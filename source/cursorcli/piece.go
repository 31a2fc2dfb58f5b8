package cursorcli

import (
	"context"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

var _ retold.Archiver = (*Source)(nil)

// Folders and files of a home that hold history, or what conversations refer to
// (formats A.2). Settings, rules and worktrees are not among them.
var (
	archived     = []string{kindACP, "ai-tracking", kindChats, "plans"}
	archivedFile = []string{"prompt_history.json", ndAgents, ndCheckpoints, "run_events.ndjson", "runs.ndjson"}
	// Of a folder below projects.
	archivedProject = []string{"agent-notes", "agent-tools", "agent-transcripts", "assets", "canvases", "sdk-agent-store", "swarm-agents", "terminals"}
	archivedMarker  = []string{".workspace-trusted", "repo.json"}
)

// neverArchived may hold credentials (formats A.2).
var neverArchived = []string{"auth.json", "cli-config.json", "mcp.json"}

// Pieces yields the stores, transcripts, plans and side files of a place.
func (s *Source) Pieces(ctx context.Context, place retold.Place) iter.Seq2[retold.Piece, error] {
	return func(yield func(retold.Piece, error) bool) {
		p := pieces{ctx: ctx, root: place.Path, yield: yield}
		switch place.Kind {
		case kindProjects:
			p.projects("")
		case kindHome:
			for _, name := range archived {
				p.folder(name)
			}
			for _, name := range archivedFile {
				p.file(name)
			}
			p.projects(kindProjects)
		default:
			p.folder("")
		}
	}
}

// Holds reports what Pieces may yield under a name.
func (s *Source) Holds(place, name string) (retold.PieceKind, bool) {
	if !isHistory(name) {
		return "", false
	}
	first, rest, below := strings.Cut(name, "/")
	switch place {
	case kindChats, kindACP:
		return pieceKind(name), true
	case kindProjects:
		return pieceKind(name), inProject(name)
	case kindHome:
		return pieceKind(name), below && slices.Contains(archived, first) || slices.Contains(archivedFile, name) ||
			first == kindProjects && inProject(rest)
	}
	return "", false
}

// inProject reports whether a name below projects is one of a history.
func inProject(name string) bool {
	_, rest, _ := strings.Cut(name, "/")
	folder, _, below := strings.Cut(rest, "/")
	return below && slices.Contains(archivedProject, folder) || slices.Contains(archivedMarker, rest)
}

// isHistory reports whether a file below an archived folder is taken. The files
// beside a database are part of it.
func isHistory(name string) bool {
	if slices.Contains(neverArchived, path.Base(name)) {
		return false
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if main, ok := strings.CutSuffix(name, suffix); ok && isDatabase(main) {
			return false
		}
	}
	return true
}

func pieceKind(name string) retold.PieceKind {
	if isDatabase(name) {
		return retold.PieceDatabase
	}
	return retold.PieceFile
}

// pieces yields until somebody has enough.
type pieces struct {
	ctx   context.Context
	root  string
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

// projects gives the folders of every project, one after the other.
func (p *pieces) projects(name string) {
	entries, err := os.ReadDir(p.at(name))
	if err != nil && !os.IsNotExist(err) {
		p.give(retold.Piece{}, err)
	}
	for _, e := range entries {
		project := path.Join(name, e.Name())
		if info, err := os.Stat(p.at(project)); err != nil || !info.IsDir() {
			continue
		}
		for _, folder := range archivedProject {
			p.folder(path.Join(project, folder))
		}
		for _, file := range archivedMarker {
			p.file(path.Join(project, file))
		}
	}
}

func (p *pieces) at(name string) string { return filepath.Join(p.root, filepath.FromSlash(name)) }

func (p *pieces) file(name string) {
	info, err := os.Lstat(p.at(name))
	if err == nil && info.Mode().IsRegular() {
		p.piece(name, p.at(name), info.Size())
	} else if err != nil && !os.IsNotExist(err) {
		p.give(retold.Piece{}, err)
	}
}

func (p *pieces) folder(name string) {
	for f, err := range paths.Walk(p.ctx, p.at(name)) {
		if err != nil {
			p.give(retold.Piece{}, err)
		} else {
			p.piece(path.Join(name, f.Rel), f.Path, f.Size)
		}
		if p.ended {
			return
		}
	}
}

// piece gives one file.
func (p *pieces) piece(name, at string, size int64) {
	if !isHistory(name) {
		return
	}
	if pieceKind(name) == retold.PieceDatabase {
		p.give(retold.Piece{
			Name: name, Path: at, Kind: retold.PieceDatabase, Size: paths.Sized(at),
			Except: []retold.RowRange{{Table: "meta", Column: "key", Member: "ncryptionKey"}},
		}, nil)
		return
	}
	p.give(retold.Piece{Name: name, Path: at, Kind: retold.PieceFile, Size: size}, nil)
}

// isDatabase tells by the name: a database that is in use must not be opened and
// closed besides, which would drop the locks of its readers in this process.
func isDatabase(path string) bool { return filepath.Ext(path) == ".db" }
