package mcp

import (
	"context"
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
	"github.com/retold-history/retold/ui/mcp/quote"
)

// endings are how the files of a format end.
var endings = map[export.Format][]string{
	export.Markdown: {".md", ".markdown"}, export.JSON: {".json"}, export.JSONL: {".jsonl", ".ndjson"},
	export.HTML: {".html", ".htm"}, export.CSV: {".csv"}, export.Text: {".txt"},
}

// obeyed are names of files that agents read as instructions, and settings names
// of files by which programs are set up; both without their ending. History must
// not become one of them.
const (
	obeyed = " agent agent.local agents agents.local agents.override claude claude.local codex conventions copilot-instructions crush cursorrules " +
		"gemini goose instructions llms memory prompt qwen replit rules skill soul system warp "
	settings = " composer deno hooks jsconfig keybindings launch lerna manifest mcp nx opencode package package-lock plugin project rush tasks tsconfig turbo vercel "
)

// obeyedName returns why no export may have a name; "" when it may.
func obeyedName(name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name)))
	for _, ending := range []string{".instructions", ".prompt", ".chatmode", ".agent", ".rules", ".skill"} {
		if strings.HasSuffix(name, ending) {
			return "agents read files of this name as instructions, and history is none"
		}
	}
	switch {
	case strings.Contains(obeyed, " "+name+" "):
		return "agents read files of this name as instructions, and history is none"
	case strings.Contains(settings, " "+name+" "), strings.HasPrefix(name, "tsconfig."), strings.HasSuffix(name, "config"), strings.HasSuffix(name, "settings"), strings.HasSuffix(name, ".mcp"):
		return "programs read files of this name as their settings, and history is none"
	}
	return ""
}

// A refusal is the error that says why a path will not do, and what would.
type refusal func(hint, why string, args ...any) error

func refusing(op, path string) refusal {
	return func(hint, why string, args ...any) error {
		return &retold.Error{Code: retold.CodeUsage, Op: op, Path: path, Err: fmt.Errorf(why, args...), Hint: hint}
	}
}

// mayWrite returns why a path is none that an export may be written to: the
// answer to every question that can be asked before there is anything to write.
// What is checked here is checked again by the writing itself, which makes only
// new files.
func (s *Server) mayWrite(ctx context.Context, path string, format export.Format) error {
	refuse := refusing("export to", path)
	if s.o.NoFiles || s.o.ReadOnly {
		return refuse("leave path out to get the text inline", "this server writes no files")
	}
	if err := s.plainPath(path, refuse); err != nil {
		return err
	}
	name := filepath.Base(path)
	ending := strings.ToLower(filepath.Ext(name))
	if !slices.Contains(endings[format], ending) {
		return refuse("name it "+strings.TrimSuffix(name, filepath.Ext(name))+endings[format][0], "the name does not end as a file of %s does", format)
	}
	if why := obeyedName(name); why != "" {
		return refuse("choose another name", "%s", why)
	}
	if err := s.nobodys(ctx, path, refuse); err != nil {
		return err
	}
	return newName(path, refuse)
}

// plainPath refuses a path that is not absolute, or that a reader could take for
// another one.
func (s *Server) plainPath(path string, refuse refusal) error {
	if !filepath.IsAbs(path) {
		hint := "give an absolute path"
		if s.o.Dir != "" {
			hint += ", for example " + filepath.Join(s.o.Dir, path)
		}
		return refuse(hint, "the path is relative")
	}
	if path != filepath.Clean(path) || quote.Line(path) != path {
		return refuse("for example "+filepath.Clean(path), "the path is not written plainly")
	}
	return nil
}

// nobodys refuses a path in hidden folders and in those that belong to a program.
func (s *Server) nobodys(ctx context.Context, path string, refuse refusal) error {
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(part, ".") {
			return refuse("choose a folder whose name does not begin with a dot", "%s is hidden: settings lie there, not documents", part)
		}
	}
	return s.unowned(ctx, path, refuse)
}

// unowned refuses a path in folders that belong to a program.
func (s *Server) unowned(ctx context.Context, path string, refuse refusal) error {
	places, err := s.owned(ctx)
	if err != nil {
		return err
	}
	for _, place := range places {
		if rel, err := filepath.Rel(place.Path, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return refuse("choose a folder of your own", "the folder belongs to %s", place.Agent)
		}
	}
	return nil
}

// owned are the folders in which only one program writes.
func (s *Server) owned(ctx context.Context) ([]retold.Place, error) {
	places := slices.Clone(s.lib.Places())
	for _, p := range places {
		if filepath.Base(p.Path) == "User" { // the program keeps more beside it
			places = append(places, retold.Place{Agent: p.Agent, Path: filepath.Dir(p.Path)})
		}
	}
	info, err := s.lib.Info(ctx)
	if err != nil {
		return nil, err
	}
	home := filepath.Dir(info.Path)
	if filepath.Base(home) == "apart" {
		home = filepath.Dir(home)
	}
	return append(places, retold.Place{Agent: "retold", Path: home}), nil
}

// newName returns why path cannot be made a new file.
func newName(path string, refuse refusal) error {
	if err := realFolder(path, refuse); err != nil {
		return err
	}
	if _, err := os.Lstat(path); err == nil {
		return refuse("choose a name that is not taken", "there is a file already, and nothing is overwritten")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return refuse("choose another path", "look at it: %w", err)
	}
	return nil
}

// realFolder returns why nothing can be made beside path.
func realFolder(path string, refuse refusal) error {
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
