package mcp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
	"github.com/retold-history/retold/internal/atomicfile"
)

// endings are how the files of a format end.
var endings = map[export.Format][]string{
	export.Markdown: {".md", ".markdown"}, export.JSON: {".json"}, export.JSONL: {".jsonl", ".ndjson"},
	export.HTML: {".html", ".htm"}, export.CSV: {".csv"}, export.Text: {".txt"},
}

// obeyed are names of files that agents read as instructions. History must not
// become one of them.
var obeyed = []string{"claude", "agents", "agent", "gemini", "skill", "codex", "warp", "copilot-instructions", "memory", "rules", "system", "prompt"}

// mayWrite returns why a path is none that an export may be written to: the
// answer to every question that can be asked before there is anything to write.
// What is checked here is checked again by the writing itself, which makes only
// new files.
func (s *Server) mayWrite(path string, format export.Format) error {
	refuse := func(hint, why string, args ...any) error {
		return &retold.Error{Code: retold.CodeUsage, Op: "export to", Path: path, Err: fmt.Errorf(why, args...), Hint: hint}
	}
	if s.o.NoFiles {
		return refuse("leave path out to get the text inline", "this server writes no files")
	}
	if !filepath.IsAbs(path) {
		hint := "give an absolute path"
		if s.o.Dir != "" {
			hint += ", for example " + filepath.Join(s.o.Dir, path)
		}
		return refuse(hint, "the path is relative")
	}
	if path != filepath.Clean(path) || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return refuse("for example "+filepath.Clean(path), "the path is not written plainly")
	}
	name := filepath.Base(path)
	ending := strings.ToLower(filepath.Ext(name))
	if !slices.Contains(endings[format], ending) {
		return refuse("name it "+strings.TrimSuffix(name, filepath.Ext(name))+endings[format][0], "the name does not end as a file of %s does", format)
	}
	if slices.Contains(obeyed, strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name)))) {
		return refuse("choose another name", "agents read files of this name as instructions, and history is none")
	}
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(part, ".") {
			return refuse("choose a folder whose name does not begin with a dot", "%s is hidden: settings lie there, not documents", part)
		}
	}
	for _, place := range s.lib.Places() {
		if rel, err := filepath.Rel(place.Path, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return refuse("choose a folder of your own", "the folder belongs to %s", place.Agent)
		}
	}
	return newName(path, refuse)
}

// newName returns why path cannot be made a new file.
func newName(path string, refuse func(hint, why string, args ...any) error) error {
	folder := filepath.Dir(path)
	real, err := filepath.EvalSymlinks(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refuse("make the folder first, or choose another", "the folder %s is not there", folder)
	case err != nil:
		return refuse("choose another folder", "look at the folder: %w", err)
	case filepath.Clean(real) != filepath.Clean(folder):
		return refuse("give the real path: "+filepath.Join(real, filepath.Base(path)), "a symbolic link is on the way")
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return refuse("choose another folder", "%s is no folder", folder)
	}
	if _, err := os.Lstat(path); err == nil {
		return refuse("choose a name that is not taken", "there is a file already, and nothing is overwritten")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return refuse("choose another path", "look at it: %w", err)
	}
	return nil
}

// writeNew makes a file that only its owner can read.
func writeNew(path string, data []byte) error {
	err := atomicfile.Create(path, data, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return &retold.Error{Code: retold.CodeUsage, Op: "export to", Path: path, Hint: "choose a name that is not taken", Err: errors.New("there is a file already, and nothing is overwritten")}
	}
	return err
}
