// Package demo makes a home folder that looks as if Cursor had been used in it
// for two and a half years: every generation of the IDE's databases, stores of
// the command line, transcripts and plans, with invented people, projects and
// conversations. It exists so that every command can be tried, and every reader
// tested, on a machine that has never seen Cursor.
//
// The conversations are data: story/*.txtar, one file each, described in
// story/README.md. Which of Cursor's many ways of storing a conversation each
// one is given is said at its head. Dates are fixed (the last day is 20
// November 2026), so that two homes have the same content.
package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Home says where the parts of a demo home are.
type Home struct {
	CursorUser string // Cursor's User folder (for --cursor-user)
	CursorHome string // ~/.cursor (for --cursor-home)
}

// Make writes a demo home below dir, which is created if need be and must not
// hold one already. The content is the same every time.
func Make(ctx context.Context, dir string) (Home, error) {
	home := Home{
		CursorUser: filepath.Join(dir, "config", "Cursor", "User"),
		CursorHome: filepath.Join(dir, "home", ".cursor"),
	}
	for _, p := range []string{home.CursorUser, home.CursorHome} {
		if _, err := os.Lstat(p); err == nil {
			return home, fmt.Errorf("make demo home: %s: %w", p, os.ErrExist)
		}
	}
	stories, err := loadStories()
	if err != nil {
		return home, fmt.Errorf("make demo home: %w", err)
	}
	m := &maker{ctx: ctx, home: home, heads: map[string][]obj{}, tabs: map[string][]obj{}, inline: map[string][]obj{}}
	err = m.make(stories)
	if err != nil {
		return home, fmt.Errorf("make demo home: %w", errors.Join(err, ctx.Err()))
	}
	return home, nil
}
