package cursorcli

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

// largestTranscript is the most bytes of a transcript whose paths are rewritten;
// a larger one goes along as it is.
const largestTranscript = 64 << 20

// transcripts moves or copies what the project of the old folder keeps of a
// session, in each of the layouts (formats D.6).
func (v *mover) transcripts(mv *moving) error {
	projects := filepath.Join(v.move.Place, "projects")
	slug := paths.Slug(mv.m.From.FSPath())
	target := filepath.Join(projects, paths.Slug(v.to.FSPath()), "agent-transcripts")
	for _, ending := range []string{"", ".jsonl", ".txt", ".json"} {
		found, err := entries(projects, filepath.Join("agent-transcripts", mv.id+ending))
		if err != nil {
			return err
		}
		for _, from := range ours(found, func(p string) bool { return strings.EqualFold(filepath.Base(filepath.Dir(filepath.Dir(p))), slug) }) {
			to := filepath.Join(target, mv.to+ending)
			if from == to {
				continue
			}
			for _, dir := range []string{filepath.Dir(target), target} {
				if err := v.folder(mv.id, dir); err != nil {
					return err
				}
			}
			if v.move.Copies != nil {
				err = v.copyTranscript(mv, from, to)
			} else if err = v.rewrite(mv, from); err == nil {
				err = v.file(mv.id, retold.FileChange{Path: to, From: from, Rename: true})
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// rewrite changes the paths in the arguments of tools, in all transcripts at or
// below a path.
func (v *mover) rewrite(mv *moving, root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > largestTranscript {
			return err
		}
		before, err := readFile(path)
		if before == nil || err != nil {
			return err
		}
		after := *before
		after.Data = nil
		for line := range bytes.Lines(before.Data) {
			after.Data = append(after.Data, mv.m.JSON(line)...)
		}
		if bytes.Equal(before.Data, after.Data) {
			return nil
		}
		return v.file(mv.id, retold.FileChange{Path: path, Before: before, After: &after})
	})
}

// copyTranscript copies a file, or a folder with what sub-agents said.
func (v *mover) copyTranscript(mv *moving, from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := to
		if rel != "." {
			base, ending := filepath.Base(rel), filepath.Ext(rel)
			id := strings.TrimSuffix(base, ending)
			target = filepath.Join(to, filepath.Dir(rel), cmp.Or(v.move.Copies[id], id)+ending)
		}
		if d.IsDir() {
			return v.folder(mv.id, target)
		}
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		return v.copyFile(mv, path, target, info)
	})
}
