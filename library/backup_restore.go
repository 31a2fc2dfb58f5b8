package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/internal/paths"
)

// RestoreOptions say what of a backup to put where.
type RestoreOptions struct {
	// Home is the home folder below which everything is put where programs look for
	// it; "" is this user's own.
	Home string
	Env  paths.Env // as in Options

	Overwrite bool // what is there already is put aside; else it is an error
	DryRun    bool // only say what would be done, after reading every byte
	// SkipDamaged leaves out files of which not every byte is what was written, and
	// names them in RestoreResult.Skipped; else one is an error.
	SkipDamaged bool
	Identities  func() ([]age.Identity, error)
	Progress    func(BackupProgress)
	Guard       change.Guard     // who says whether Cursor runs; nil asks the system
	Now         func() time.Time // nil: the system's clock

	hook func(point string) error // of change.Desk, for tests
}

// A RestoreResult says what was restored.
type RestoreResult struct {
	FilesRestored    int              `json:"filesRestored"`
	SessionsRestored int              `json:"sessionsRestored"` // of the backup: fewer when a database was left out
	Bytes            int64            `json:"bytes"`
	Places           []RestoredPlace  `json:"places"`
	Replaced         []string         `json:"replaced"`          // files that were there already
	Aside            []string         `json:"aside,omitempty"`   // folders that keep these, and take what an undo removes
	UndoIDs          []string         `json:"undoIds,omitempty"` // of the one change that it is
	UndoHome         string           `json:"undoHome"`          // retold's folder (RETOLD_HOME) that has the record of it
	Skipped          []backup.Skipped `json:"skipped"`           // not in the backup from the beginning, or damaged and left out
	DryRun           bool             `json:"dryRun,omitempty"`
}

// A RestoredPlace is where the files of one place went.
type RestoredPlace struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Files int    `json:"files"`
}

// Restore puts the files of a whole backup where programs look for them: first
// into folders beside their places, every byte checked, then, by renaming and all
// or nothing, in place. What was there is kept in the folders named in
// RestoreResult.Aside, with the logs of databases, which would spoil those that
// come. Errors are *retold.Error: CodeInvalidBackup, CodeCursorRunning,
// CodeRestoreFailed when something is there already, and those of change.Apply;
// nothing is changed then.
func Restore(ctx context.Context, file string, o RestoreOptions) (r *RestoreResult, err error) {
	a, err := backup.Open(ctx, file, backup.OpenOptions{Identities: o.Identities})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	s, err := newRestoring(a, o)
	if err != nil {
		return nil, err
	}
	if !o.DryRun {
		if err := s.sweep(ctx); err != nil {
			return nil, err
		}
	}
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	if o.DryRun {
		s.result.DryRun = true
		if err := s.test(ctx); err != nil {
			return nil, err
		}
		s.count()
		return s.result, nil
	}
	err = s.unpack(ctx)
	if err == nil {
		err = s.place(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.release(), s.tidy())
	}
	s.count()
	return s.result, errors.Join(s.release(), s.sweepEmpty())
}

// A restoring is one restore under way.
type restoring struct {
	archive *backup.Archive
	o       RestoreOptions
	env     paths.Env
	start   time.Time
	targets []*landing
	result  *RestoreResult
	unused  bool // nothing lies yet where it goes to
}

func newRestoring(a *backup.Archive, o RestoreOptions) (*restoring, error) {
	s := &restoring{archive: a, o: o, env: o.Env, result: &RestoreResult{
		Places: []RestoredPlace{}, Replaced: []string{}, Skipped: slices.Clone(a.Manifest.Skipped), SessionsRestored: a.Manifest.Stats.SessionCount,
	}}
	if s.env.GOOS == "" {
		env, err := paths.System()
		if err != nil && o.Home == "" {
			return nil, err
		}
		env.GOOS = runtime.GOOS
		s.env = env
	}
	if o.Home != "" { // what variables say is about another home
		home, err := filepath.Abs(s.env.Expand(o.Home))
		if err != nil {
			return nil, err
		}
		s.env = paths.Env{GOOS: s.env.GOOS, Home: home}
	}
	s.result.UndoHome = s.env.RetoldHome()
	if s.o.Now == nil {
		s.o.Now = time.Now
	}
	s.start = s.o.Now()
	if err := a.CheckSize(); err != nil {
		return nil, err
	}
	return s, s.assign()
}

// assign finds a folder for every file.
func (s *restoring) assign() error {
	places := slices.Clone(s.archive.Manifest.Places)
	places = append(places, backup.Place{Name: path.Dir(libraryFile), Kind: "retold"})
	for _, p := range places {
		dir, err := s.destination(p)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(s.targets, func(t *landing) bool { return t.dir == dir }) {
			return fmt.Errorf("two places of the backup would go to %s", dir)
		}
		s.targets = append(s.targets, &landing{name: p.Name, agent: p.Agent, kind: p.Kind, dir: dir})
	}
	for i := range s.archive.Manifest.Files {
		f := &s.archive.Manifest.Files[i]
		at := slices.IndexFunc(s.targets, func(t *landing) bool { return strings.HasPrefix(f.Path, t.name+"/") })
		if at < 0 {
			return &retold.Error{Code: retold.CodeInvalidBackup, Op: "restore", Path: s.archive.Path, Err: fmt.Errorf("%s belongs to no place", f.Path)}
		}
		t := s.targets[at]
		if kind, ok := mayHold(t, f); !ok || kind != f.Kind {
			return &retold.Error{
				Code: retold.CodeInvalidBackup, Op: "restore", Path: s.archive.Path, Err: fmt.Errorf("it holds %s, which no backup of retold does", f.Path),
				Hint: "somebody else made or changed this file: restore nothing of it",
			}
		}
		t.files = append(t.files, f)
	}
	s.targets = slices.DeleteFunc(s.targets, func(t *landing) bool { return len(t.files) == 0 })
	if len(s.targets) == 0 {
		return &retold.Error{Code: retold.CodeInvalidBackup, Op: "restore", Path: s.archive.Path, Err: errors.New("it holds no file"), Hint: "take another backup: `retold backups FOLDER` lists them"}
	}
	return nil
}

// mayHold says what a file of a backup may be, by what a backup takes.
func mayHold(t *landing, f *backup.File) (kind retold.PieceKind, ok bool) {
	if t.kind == "retold" {
		return retold.PieceDatabase, f.Path == libraryFile || f.Path == journalFile
	}
	for _, source := range sources(Options{Env: paths.Env{GOOS: runtime.GOOS}}) {
		archiver, can := source.(retold.Archiver)
		if can && source.Agent() == t.agent {
			return archiver.Holds(t.kind, t.file(f))
		}
	}
	return "", false
}

// count says what it comes to.
func (s *restoring) count() {
	s.result.FilesRestored, s.result.Bytes, s.result.Places = 0, 0, []RestoredPlace{}
	for _, t := range s.targets {
		for _, f := range t.files {
			s.result.Bytes += f.Size
		}
		s.result.FilesRestored += len(t.files)
		s.result.Places = append(s.result.Places, RestoredPlace{t.name, t.dir, len(t.files)})
	}
}

// destination is where programs look for the files of a place.
func (s *restoring) destination(p backup.Place) (string, error) {
	switch {
	case p.Kind == "retold":
		return s.env.RetoldHome(), nil
	case p.Agent == "cursor" && p.Kind == "user":
		// The name of the build: Cursor, Cursor Nightly.
		old := strings.Split(strings.ReplaceAll(p.Path, `\`, "/"), "/")
		build := "Cursor"
		if n := len(old); n > 1 && old[n-1] == "User" && strings.HasPrefix(old[n-2], "Cursor") && backup.CheckName(old[n-2]) == nil {
			build = old[n-2]
		}
		return filepath.Join(s.env.ConfigRoot(), build, "User"), nil
	case p.Agent == "cursor-cli" && p.Kind == "home":
		return filepath.Join(s.env.Home, ".cursor"), nil
	case p.Agent == "cursor-cli" && slices.Contains([]string{"chats", "acp-sessions", "projects"}, p.Kind):
		return filepath.Join(s.env.Home, ".cursor", p.Kind), nil
	}
	return "", &retold.Error{Code: retold.CodeInvalidBackup, Op: "restore", Path: s.archive.Path, Err: fmt.Errorf("it holds a place %q of %q that this retold does not know", p.Kind, p.Agent)}
}

// look finds what is in the way, and what speaks against the whole of it, before
// anything is written.
func (s *restoring) look(ctx context.Context) error {
	var all []string
	for _, t := range s.targets {
		for _, f := range t.files {
			for _, n := range t.names(f) {
				at := filepath.Join(t.dir, filepath.FromSlash(n))
				all = append(all, at)
				if _, err := os.Lstat(at); err == nil {
					t.blocks = append(t.blocks, n)
					s.result.Replaced = append(s.result.Replaced, at)
				} else if !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("restore: %w", err)
				}
			}
		}
	}
	s.unused = s.o.Home != "" && !slices.ContainsFunc(s.targets, (*landing).there)
	if s.o.DryRun {
		return nil
	}
	if n := len(s.result.Replaced); n > 0 && !s.o.Overwrite {
		return &retold.Error{
			Code: retold.CodeRestoreFailed, Op: "restore", Path: s.result.Replaced[0], Err: fmt.Errorf("it is there already, and so are %d more files of the backup", n-1),
			Hint: "add --overwrite to put them aside, or restore into another home with --to-home FOLDER",
		}
	}
	if n := len(s.result.Replaced); n > 0 && len(s.archive.Manifest.Only) > 0 {
		return &retold.Error{
			Code: retold.CodeRestoreFailed, Op: "restore", Path: s.result.Replaced[0], Err: errors.New("the backup holds single sessions, and here is a whole history"),
			Hint: "bring them back with --session ID, or take them into the library with --into-library",
		}
	}
	return s.guard().Check(ctx, all)
}

func (s *restoring) guard() change.Guard {
	if s.o.Guard != nil {
		return s.o.Guard
	}
	if s.unused { // nobody can have a file open there
		return nobody{}
	}
	return change.System{Env: s.env}
}

// place puts aside what is in the way and the files into their places: one change,
// of which a crash leaves what the next run finishes or takes back.
func (s *restoring) place(ctx context.Context) error {
	id, err := s.carry(ctx, s.desk(), "restore "+filepath.Base(s.archive.Path), s.steps())
	if err != nil {
		return err
	}
	s.result.UndoIDs = []string{id}
	return nil
}

func (s *restoring) desk() *change.Desk {
	return &change.Desk{Home: s.env.RetoldHome(), Guard: s.guard(), Now: s.o.Now, Hook: s.o.hook}
}

// carry takes steps as one change.
func (s *restoring) carry(ctx context.Context, desk *change.Desk, title string, steps iter.Seq2[retold.Step, error]) (id string, err error) {
	dir, err := desk.DraftDir()
	if err != nil {
		return "", err
	}
	plan, err := change.Draft(ctx, dir, title, steps)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	out, err := desk.Apply(ctx, plan, plan.Fingerprint())
	if err != nil {
		return "", err
	}
	return out.ID, nil
}

// steps put aside logs that have no database first; then they make folders and put
// the files into their places.
func (s *restoring) steps() iter.Seq2[retold.Step, error] {
	return func(yield func(retold.Step, error) bool) {
		made := map[string]bool{}
		for _, t := range s.targets {
			for _, n := range t.strays() {
				to := filepath.Join(t.aside, filepath.FromSlash(n))
				err := os.MkdirAll(filepath.Dir(to), 0o700)
				if !yield(retold.Step{File: &retold.FileChange{Path: to, From: filepath.Join(t.dir, filepath.FromSlash(n)), Rename: true}}, err) {
					return
				}
			}
			for _, f := range t.files {
				if !s.filePlaced(t, f, made, yield) {
					return
				}
			}
		}
	}
}

// filePlaced yields the steps for one file; false when nobody wants more.
func (s *restoring) filePlaced(t *landing, f *backup.File, made map[string]bool, yield func(retold.Step, error) bool) bool {
	name := filepath.FromSlash(t.file(f))
	for _, dir := range missing(filepath.Join(t.dir, filepath.Dir(name)), made) {
		if !yield(retold.Step{File: &retold.FileChange{Path: dir, After: &retold.File{Dir: true, Mode: 0o700}}}, nil) {
			return false
		}
	}
	step := &retold.FileChange{Path: filepath.Join(t.dir, name), From: filepath.Join(t.stage, name), Rename: true, Restored: true}
	if slices.Contains(t.blocks, t.file(f)) {
		step.Aside = filepath.Join(t.aside, name)
	}
	return yield(retold.Step{File: step}, nil)
}

// missing are the folders on the way to dir that are not there, the outermost
// first, and not in made, to which they are added.
func missing(dir string, made map[string]bool) (list []string) {
	for ; !made[dir] && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		made[dir] = true
		list = append(list, dir)
	}
	slices.Reverse(list)
	return list
}
