package mcp

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/retold-history/retold/backup"
)

// mayBackUp returns the path of a new backup, and whether it is a folder for
// several; or why it is none that one may be written to.
func (s *Server) mayBackUp(ctx context.Context, given string) (path string, folder bool, err error) {
	refuse := refusing("back up to", given)
	path = strings.TrimRightFunc(given, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	info, err := os.Lstat(path)
	there := err == nil
	folder = path != given || there && info.IsDir()
	if err := s.plainPath(path, refuse); err != nil {
		return "", false, err
	}
	if err := s.nobodys(ctx, path, refuse); err != nil {
		return "", false, err
	}
	switch {
	case !folder && filepath.Ext(path) != backup.Ext:
		err = refuse("name it "+path+backup.Ext+", or a folder with a / at its end", "the name does not end as a backup's does")
	case !folder || !there:
		err = newName(path, refuse)
	default:
		if err = realFolder(path, refuse); err == nil {
			err = forBackups(path, refuse)
		}
	}
	return path, folder, err
}

// forBackups returns why a folder that is there is none for backups: what shares
// their chunks takes no place among files of another kind.
func forBackups(dir string, refuse refusal) error {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return refuse("choose another folder", "it is no folder")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return refuse("choose another folder", "list it: %w", err)
	}
	if len(entries) == 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return filepath.Ext(e.Name()) == backup.Ext }) {
		return nil
	}
	return refuse("name a new folder, or a file in this one that ends in "+backup.Ext, "there are files in it, and no backups")
}
