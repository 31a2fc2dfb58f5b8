package cursor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// Places returns the User folders of every Cursor on this machine (formats A.1):
// the system's own, sibling builds, portable ones, and from WSL the Windows
// side. Folders given in Options replace all of them.
func (s *Source) Places(context.Context) ([]retold.Place, error) {
	if len(s.user) > 0 {
		var places []retold.Place
		for _, dir := range s.user {
			p, err := givenPlace(s.env.Expand(dir))
			if err != nil {
				return nil, err
			}
			places = append(places, p)
		}
		return places, nil
	}
	var places []retold.Place
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
		place := retold.Place{Agent: agent, Path: c.dir, Kind: "user"}
		place.Used, place.Reason = examine(c.dir)
		if place.Used {
			place.Reason = c.why
		} else if !c.report {
			continue
		}
		places = append(places, place)
	}
	return places, nil
}

type candidate struct {
	dir, why string
	report   bool // worth telling about even when nothing is there
}

func candidates(env paths.Env) []candidate {
	root := env.ConfigRoot()
	list := []candidate{{filepath.Join(root, "Cursor", "User"), "Cursor's folder on this system", true}}
	list = append(list, siblings(root, "sibling build of Cursor")...)
	if dir := env.Var("VSCODE_PORTABLE"); dir != "" {
		list = append(list, candidate{filepath.Join(dir, "user-data", "User"), "VSCODE_PORTABLE", true})
	}
	for _, home := range env.WindowsHomes() {
		roaming := filepath.Join(home, "AppData", "Roaming")
		list = append(list, candidate{filepath.Join(roaming, "Cursor", "User"), "Cursor on the Windows side", true})
		list = append(list, siblings(roaming, "sibling build on the Windows side")...)
	}
	return list
}

// siblings are the builds installed beside the stable one: folders whose name
// starts with Cursor.
func siblings(root, why string) []candidate {
	entries, err := os.ReadDir(root)
	if err != nil { // no such folder: nothing beside it
		return nil
	}
	var list []candidate
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "Cursor") && e.Name() != "Cursor" {
			list = append(list, candidate{filepath.Join(root, e.Name(), "User"), why, false})
		}
	}
	return list
}

// givenPlace understands a folder named by a person: User itself, the folder
// above it, one inside it, a --user-data-dir, or an installation with a data
// folder (portable).
func givenPlace(dir string) (retold.Place, error) {
	if err := paths.CheckGiven(dir, "name Cursor's User folder with --cursor-user; retold doctor shows where else it looks"); err != nil {
		return retold.Place{}, err
	}
	tries := []string{dir, filepath.Join(dir, "User"), filepath.Join(dir, "Cursor", "User"), filepath.Join(dir, "data", "user-data", "User")}
	if base := filepath.Base(dir); base == "workspaceStorage" || base == "globalStorage" || base == "profiles" {
		tries = []string{filepath.Dir(dir)}
	}
	for _, d := range tries {
		if ok, _ := examine(d); ok {
			return retold.Place{Agent: agent, Path: d, Kind: "user", Used: true, Reason: "given by hand"}, nil
		}
	}
	_, why := examine(dir)
	return retold.Place{Agent: agent, Path: dir, Kind: "user", Reason: "given by hand, but " + why}, nil
}

// examine tells whether a folder is a User folder with history in it.
func examine(dir string) (bool, string) {
	if _, err := os.Stat(dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, "no such folder"
		}
		return false, fmt.Sprintf("cannot be read: %v", err)
	}
	for _, suffix := range []string{"", ".backup"} {
		if _, err := os.Lstat(globalDB(dir) + suffix); err == nil { // a link that leads nowhere is worth telling about too
			return true, ""
		}
	}
	found, err := filepath.Glob(filepath.Join(escapeGlob(dir), "workspaceStorage", "*", "state.vscdb"))
	if err == nil && len(found) > 0 {
		return true, ""
	}
	return false, "holds neither globalStorage/state.vscdb nor a workspaceStorage with databases"
}

func escapeGlob(p string) string {
	if filepath.Separator == '\\' {
		return p
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

func globalDB(user string) string {
	return filepath.Join(user, "globalStorage", "state.vscdb")
}

// profileDBs are the databases of profiles, which can hold lists of their own
// (formats A.1).
func profileDBs(user string) []string {
	profiles, err := filepath.Glob(filepath.Join(escapeGlob(user), "profiles", "*", "globalStorage", "state.vscdb"))
	if err != nil { // the pattern is escaped
		return nil
	}
	sort.Strings(profiles)
	return profiles
}
