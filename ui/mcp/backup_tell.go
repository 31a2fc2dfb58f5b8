package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func shortBackup(r *library.BackupResult) *backupResult {
	m := r.Manifest
	return &backupResult{BackupPath: quote.Line(r.BackupPath), Written: r.Written, Seconds: r.Seconds, Manifest: shortManifest{
		Version: m.Version, CreatedAt: m.CreatedAt, Producer: m.Producer, Stats: m.Stats, FileCount: len(m.Files), Skipped: safeSkipped(m.Skipped),
	}}
}

func safeSkipped(list []backup.Skipped) []backup.Skipped {
	out := []backup.Skipped{}
	for _, s := range list {
		path, _ := quote.Cut(quote.Line(s.Path), 300)
		reason, _ := quote.Cut(quote.Line(s.Reason), 300)
		out = append(out, backup.Skipped{Path: path, Reason: reason})
	}
	return out
}

func (c *call) tellBackedUp(x *backedUp) (*answer, error) {
	for most := mostSteps; ; most /= 2 {
		some, foot := *x, footing{Notice: notice}
		some.Plan.Only, some.Plan.Places = atMost(x.Plan.Only, most), atMost(x.Plan.Places, most)
		if x.Result != nil {
			r := *x.Result
			r.Manifest.Skipped = atMost(r.Manifest.Skipped, most)
			some.Result = &r
		}
		if most < max(len(x.Plan.Only), len(x.Plan.Places)) || x.Result != nil && most < len(x.Result.Manifest.Skipped) {
			foot.Shortened = fmt.Sprintf("lists have %d items at most", most)
		}
		body, err := json.Marshal(some)
		if err != nil {
			return nil, err
		}
		p := &page{}
		p.say(notice)
		some.tell(p)
		foot.tell(p)
		a, err := foot.answer(p, inlined(body))
		if err != nil || most <= 1 || a.fits(c.max) {
			return a, err
		}
	}
}

func (x *backedUp) tell(p *page) {
	what := "everything"
	if n := len(x.Plan.Only); n > 0 {
		what = "the chosen conversations, with their sub-agents"
	}
	if x.Result == nil {
		where, size := "the new file", counted(x.Plan.Sessions, "session")
		if x.Plan.Folder {
			where = "a new file in the folder of backups"
		}
		if x.Plan.Messages != nil {
			size += " with " + counted(*x.Plan.Messages, "message")
		}
		p.say("Dry run, nothing was written. A backup of %s, now %s, would go to %s", what, size, where)
		p.quote(x.Plan.Path)
		var places []string
		for _, place := range x.Plan.Places {
			places = append(places, place.Agent+": "+place.Path)
		}
		if len(places) > 0 {
			p.say("It takes files from these places, and retold's library, %s bytes:", quote.Number(int(x.Plan.LibraryBytes)))
			p.lines(places)
		}
		p.say("It is not encrypted; for that a person runs retold backup --encrypt-to in a shell.")
		p.say("%s", goAhead("create_backup", x.Fingerprint))
		return
	}
	m := &x.Result.Manifest
	p.say("Backed up: %s with %s, %s, %s bytes written, to", counted(m.Stats.SessionCount, "session"), counted(m.Stats.MessageCount, "message"), counted(m.FileCount, "file"), quote.Number(int(x.Result.Written)))
	p.quote(x.Result.BackupPath)
	p.skipped(m.Skipped)
}

// skipped tells what is not in a backup.
func (p *page) skipped(list []backup.Skipped) {
	if len(list) == 0 {
		return
	}
	var lines []string
	for _, s := range list {
		lines = append(lines, s.Path+": "+s.Reason)
	}
	p.say("Not backed up:")
	p.lines(lines)
}
