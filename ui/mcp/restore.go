package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/migrate"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func restoreTool() *tool {
	return &tool{
		name: "restore_backup", title: "Bring conversations back from a backup",
		description: "With sessions: bring these back among those that Cursor has now (refused while it runs; undo_change takes it back). With into_library: only take sessions that retold's library does not hold into it. With home: unpack all of it below a new folder as if that were a home. First a dry run: the plan and a fingerprint; then again with confirm and that fingerprint.\n" +
			"Examples: {\"path\": \"/mnt/disk/mine.retold\", \"sessions\": [\"4b41ef44-2b8e-4e59-a2cd-fc9521878c9f\"]}; {\"path\": \"/mnt/disk/mine.retold\", \"into_library\": true}.",
		params:   []string{"path", "sessions", "into_library", "home", "overwrite", "confirm", "fingerprint", "max_chars"},
		required: []string{"path"},
		describe: map[string]string{"path": "absolute path of the backup", "sessions": "ids, as list_backups has them for the backup"},
		output: deedSchema(object{
			"written": boolean("it was done; false in a dry run"), "fingerprint": str("for confirm"),
			"plan":   elsewhere("with sessions as migrate_session has it; else like result"),
			"result": object{"type": []string{"object", "null"}, "description": "with sessions as migrate_session has it; with into_library sessionsRestored, messages, known, forgotten, ids; with home filesRestored, sessionsRestored, bytes, places, skipped; null in a dry run"},
		}),
		writes: true, kind: changing,
		run: (*call).restore,
	}
}

// A restored is the answer of restore_backup but for single sessions.
type restored[T any] struct {
	Written     bool   `json:"written"`
	Fingerprint string `json:"fingerprint"`
	Plan        *T     `json:"plan"`
	Result      *T     `json:"result"`
}

func (c *call) restore(ctx context.Context) (*answer, error) {
	if err := c.readableFile(c.path, "restore"); err != nil {
		return nil, err
	}
	switch {
	case c.home != "" && (c.intoLibrary || len(c.picked) > 0 || c.overwrite), c.intoLibrary && c.overwrite:
		return nil, usage("home takes all of a backup into a new folder; overwrite belongs to sessions", "home, into_library and overwrite exclude each other, and home excludes sessions")
	case c.home != "":
		return c.restoreHome(ctx)
	case c.intoLibrary:
		return c.restoreLibrary(ctx)
	case len(c.picked) > 0:
		return c.propose(ctx, "restore_backup", c.planRestore)
	}
	return nil, usage("name sessions, into_library or home; to replace a whole history a person runs retold restore in a shell",
		"a whole history is not put into its place from here: retold's own library, from which this server answers, is part of it")
}

// planRestore plans to bring single sessions back.
func (c *call) planRestore(ctx context.Context) (*migrate.Change, error) {
	ch, err := c.lib.PlanRestore(ctx, library.RestoreSessionsOptions{From: library.BackupSource{Path: c.path}, Sessions: c.picked, Overwrite: c.overwrite})
	return ch, inBackup(err)
}

// inBackup has an error about a session that a backup does not hold say where the
// ids are.
func inBackup(err error) error {
	if e, ok := errors.AsType[*retold.Error](err); ok && e.Code == retold.CodeSessionNotFound {
		other := *e
		other.Hint = "call list_backups with the path of this backup for the ids in it"
		return &other
	}
	return err
}

// restoreLibrary takes sessions into retold's own library.
func (c *call) restoreLibrary(ctx context.Context) (*answer, error) {
	from := library.BackupSource{Path: c.path}
	x := &restored[library.MergeResult]{}
	var err error
	if x.Plan, err = c.lib.MergeBackup(ctx, from, c.picked, true); err != nil {
		return nil, inBackup(err)
	}
	if x.Fingerprint, err = fingerprintOf(c.path, x.Plan.IDs, x.Plan.Messages); err != nil {
		return nil, err
	}
	if ok, err := c.agreed(x.Fingerprint); err != nil {
		return nil, err
	} else if ok {
		if x.Result, err = c.lib.MergeBackup(ctx, from, c.picked, false); err != nil {
			return nil, inBackup(err)
		}
		x.Written = true
	}
	return tellRestored(c, x, func(p *page, r *library.MergeResult, most int) *library.MergeResult {
		would := "would be taken into retold's library"
		if x.Written {
			would = "taken into retold's library"
		}
		p.say("%s with %s and %d without messages %s; %s there already, %d left out that somebody wished to be forgotten.",
			counted(r.SessionsRestored-r.Empty, "session"), counted(r.Messages, "message"), r.Empty, would, counted(r.Known, "session"), r.Forgotten)
		some := *r
		some.IDs = []string{}
		for _, id := range atMost(r.IDs, most) {
			some.IDs = append(some.IDs, ident(id))
		}
		return &some
	})
}

// restoreHome unpacks a whole backup below a new folder.
func (c *call) restoreHome(ctx context.Context) (*answer, error) {
	if err := c.mayBeHome(ctx, c.home); err != nil {
		return nil, err
	}
	held, err := manifestOf(ctx, c.path)
	if err != nil {
		return nil, err
	}
	o := library.RestoreOptions{Home: c.home, DryRun: true, Now: c.now}
	x := &restored[library.RestoreResult]{}
	if x.Plan, err = library.Restore(ctx, c.path, o); err != nil {
		return nil, err
	}
	if x.Fingerprint, err = fingerprintOf(c.path, c.home, held); err != nil {
		return nil, err
	}
	if ok, err := c.agreed(x.Fingerprint); err != nil {
		return nil, err
	} else if ok {
		o.DryRun, o.Progress = false, backing(ctx)
		if x.Result, err = library.Restore(ctx, c.path, o); err != nil {
			return nil, err
		}
		x.Written = true
	}
	return tellRestored(c, x, func(p *page, r *library.RestoreResult, most int) *library.RestoreResult {
		p.say("%s with %s, %s bytes, %s below", counted(r.FilesRestored, "file"), counted(r.SessionsRestored, "session"), quote.Number(int(r.Bytes)), map[bool]string{true: "unpacked", false: "would be unpacked"}[x.Written])
		p.quote(quote.Line(c.home))
		some := *r
		some.UndoIDs = nil // recorded in the new home, where this server does not look
		some.Places, some.Skipped = []library.RestoredPlace{}, atMost(safeSkipped(r.Skipped), most)
		for _, place := range atMost(r.Places, most) {
			some.Places = append(some.Places, library.RestoredPlace{Name: quote.Line(place.Name), Path: quote.Line(place.Path), Files: place.Files})
		}
		p.skipped(some.Skipped)
		return &some
	})
}

// manifestOf is what a backup says of itself, the hash of every file included.
func manifestOf(ctx context.Context, path string) (*backup.Manifest, error) {
	archive, err := backup.Open(ctx, path, backup.OpenOptions{})
	if err != nil {
		return nil, err
	}
	return archive.Manifest, archive.Close()
}

// mayBeHome returns why a folder is none into which a whole backup is unpacked.
func (s *Server) mayBeHome(ctx context.Context, dir string) error {
	refuse := refusing("restore into", dir)
	if err := s.plainPath(dir, refuse); err != nil {
		return err
	}
	if err := s.nobodys(ctx, dir, refuse); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return newName(dir, refuse)
	}
	if err != nil || !info.IsDir() {
		return refuse("name a folder that is new or empty", "it is no folder")
	}
	if err := realFolder(filepath.Join(dir, "x"), refuse); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		return refuse("name a folder that is new or empty", "there are files in it")
	}
	return nil
}

// tellRestored is the answer, with as much of its lists as fits. tell says one of
// the two forms for a reader and returns it with lists of at most so many items.
func tellRestored[T any](c *call, x *restored[T], tell func(p *page, r *T, most int) *T) (*answer, error) {
	for most := mostSteps; ; most /= 2 {
		some, foot := *x, footing{Notice: notice}
		p := &page{}
		p.say(notice)
		if !x.Written {
			p.say("Dry run, nothing was written.")
			some.Plan = tell(p, x.Plan, most)
			p.say("%s", goAhead("restore_backup", x.Fingerprint))
		} else {
			some.Plan = tell(&page{}, x.Plan, most)
			some.Result = tell(p, x.Result, most)
		}
		body, err := json.Marshal(some)
		if err != nil {
			return nil, fmt.Errorf("write the answer: %w", err)
		}
		foot.tell(p)
		a, err := foot.answer(p, inlined(body))
		if err != nil || most <= 1 || a.fits(c.max) {
			return a, err
		}
	}
}
