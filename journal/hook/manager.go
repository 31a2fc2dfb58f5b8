package hook

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/journal/hook/spool"
)

// A Manager is a program that writes a repository's hooks itself, from a file that
// all who work on it share.
type Manager string

// The managers that are known.
const (
	Husky     Manager = "husky"
	Lefthook  Manager = "lefthook"
	PreCommit Manager = "pre-commit"
)

// signs are the files by which a manager is known, below the top of the working
// tree.
var signs = []struct {
	manager Manager
	files   []string
}{
	{Husky, []string{".husky"}},
	{Lefthook, []string{"lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", "lefthook.toml", ".lefthook.toml", "lefthook.json", ".lefthook.json", ".config/lefthook.yml"}},
	{PreCommit, []string{".pre-commit-config.yaml", ".pre-commit-config.yml"}},
}

// managerOf is the manager of a repository's hooks; "" when there is none.
func managerOf(r *git.Repo) Manager {
	for _, s := range signs {
		for _, name := range s.files {
			if _, err := os.Stat(filepath.Join(r.Root, filepath.FromSlash(name))); err == nil {
				return s.manager
			}
		}
	}
	return ""
}

// byHand is where a person adds what for an event, when a manager writes the hooks.
func (m Manager) byHand(root, kind string) (file, line string) {
	switch m {
	case Husky:
		return filepath.Join(root, ".husky", kind), portable(kind)
	case Lefthook:
		return filepath.Join(root, "lefthook.yml"), lefthookLine(kind)
	}
	return filepath.Join(root, ".pre-commit-config.yaml"),
		"  - {repo: local, hooks: [{id: retold-" + kind + ", name: retold, entry: retold journal enqueue --event " + kind +
			" HEAD, language: system, stages: [" + kind + "], always_run: true, pass_filenames: false}]}\n"
}

// then is what has to be done besides.
func (m Manager) then(kind string) string {
	switch m {
	case Lefthook:
		return "then run: lefthook install"
	case PreCommit:
		return "then run: pre-commit install --hook-type " + kind
	}
	return ""
}

// localFile is lefthook's file for one person's additions, which is not shared.
const localFile = "lefthook-local.yml"

func lefthookLine(kind string) string {
	arg := ""
	if given[kind] != "" {
		arg = "--given {1} "
	}
	return kind + `: {commands: {retold: {run: "retold ` + enqueue(kind, arg) + `"}}}` + "\n"
}

// lefthookLines are all that is added to lefthook's file, and why it cannot be.
func lefthookLines(text string) (lines, refused string) {
	begun := false
	for line := range strings.Lines(text) {
		key, _, isKey := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		for _, kind := range spool.Kinds {
			if isKey && strings.Trim(key, `"'`) == kind {
				return "", "it has a part " + kind + " already"
			}
		}
		if strings.HasPrefix(line, "{") || strings.HasPrefix(line, "...") || strings.HasPrefix(line, "---") && begun {
			return "", "it is not written line by line"
		}
		begun = begun || consequent(line)
	}
	for _, kind := range spool.Kinds {
		lines += lefthookLine(kind)
	}
	return lines, ""
}
