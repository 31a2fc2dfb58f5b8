package cursorcli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// Kinds of places.
const (
	kindHome     = "home" // ~/.cursor
	kindChats    = "chats"
	kindACP      = "acp-sessions"
	kindProjects = "projects"
)

// folders are what a home holds of interest.
var folders = []string{kindChats, kindACP, kindProjects}

// Places returns the ~/.cursor folders of this machine: the user's own, the one
// that CURSOR_DATA_DIR names, from WSL those of the Windows side, and
// ~/.config/cursor/chats where it exists (formats A.2). Folders given in Options
// replace all of them.
func (s *Source) Places(context.Context) ([]retold.Place, error) {
	var places []retold.Place
	for _, dir := range s.home {
		p, err := givenPlace(s.env.Expand(dir))
		if err != nil {
			return nil, err
		}
		places = append(places, p)
	}
	if len(s.home) > 0 {
		return places, nil
	}
	seen := map[string]bool{}
	for _, c := range candidates(s.env) {
		real, err := filepath.EvalSymlinks(c.dir)
		if err != nil {
			real = c.dir
		}
		if seen[real] {
			continue
		}
		seen[real] = true
		place := retold.Place{Agent: agent, Path: c.dir, Kind: c.kind}
		if place.Used, place.Reason = examine(c.dir, c.kind); place.Used {
			place.Reason = c.why
		} else if !c.report {
			continue
		}
		places = append(places, place)
	}
	return places, nil
}

type candidate struct {
	dir, kind, why string
	report         bool // worth telling about even when nothing is there
}

func candidates(env paths.Env) []candidate {
	list := []candidate{{filepath.Join(env.Home, ".cursor"), kindHome, "Cursor's folder in your home", true}}
	if dir := env.Var("CURSOR_DATA_DIR"); dir != "" {
		dir = env.Expand(dir)
		list = append(list, candidate{dir, kindOf(dir), "CURSOR_DATA_DIR", true})
	}
	list = append(list, candidate{filepath.Join(env.Home, ".config", "cursor", "chats"), kindChats, "chats of an unusual build", false})
	for _, home := range env.WindowsHomes() {
		list = append(list, candidate{filepath.Join(home, ".cursor"), kindHome, "Cursor's folder on the Windows side", true})
	}
	return list
}

// givenPlace understands a folder named by a person: ~/.cursor itself, one of its
// three folders, a home above it, or a folder that holds stores or transcripts.
func givenPlace(dir string) (retold.Place, error) {
	if err := paths.CheckGiven(dir, "name Cursor's .cursor folder with --cursor-home; retold doctor shows where else it looks"); err != nil {
		return retold.Place{}, err
	}
	place := retold.Place{Agent: agent, Path: dir, Kind: kindHome, Used: true, Reason: "given by hand"}
	if place.Kind = kindOf(dir); place.Kind != kindHome {
		return place, nil
	}
	if ok, _ := examine(dir, kindHome); ok {
		return place, nil
	}
	if inside := filepath.Join(dir, ".cursor"); filepath.Base(dir) != ".cursor" {
		if ok, _ := examine(inside, kindHome); ok {
			place.Path = inside
			return place, nil
		}
	}
	_, why := examine(dir, kindHome)
	place.Used, place.Reason = false, "given by hand, but "+why
	return place, nil
}

// kindOf tells by a folder's name which of the kinds it is.
func kindOf(dir string) string {
	if name := filepath.Base(filepath.Clean(dir)); slices.Contains(folders, name) {
		return name
	}
	return kindHome
}

// examine tells whether a folder is what its kind says, with history in it.
func examine(dir, kind string) (bool, string) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, "no such folder"
	case err != nil:
		return false, "cannot be read: " + err.Error()
	case !info.IsDir():
		return false, "not a folder"
	case kind != kindHome:
		return true, ""
	}
	for _, name := range folders {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			return true, ""
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ndAgents)); err == nil {
		return true, ""
	}
	return false, "holds neither chats nor acp-sessions nor projects"
}
