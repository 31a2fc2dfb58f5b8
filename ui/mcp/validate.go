package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func validateTool() *tool {
	return &tool{
		name: "validate_backup", title: "Make sure that a backup is whole",
		description: "Read a backup to its last byte and say whether it is what was written: hashes, databases, every session in it. Unpacks nothing; a large one takes a while.\n" +
			"Example: {\"path\": \"/mnt/disk/mine.retold\"}.",
		params:   []string{"path", "quick", "max_chars"},
		required: []string{"path"},
		describe: map[string]string{"path": "absolute path of the backup"},
		output: deedSchema(object{
			"backupPath": str("the file"), "valid": boolean("nothing is wrong with it"), "createdAt": instant("when it was made"), "producer": str("by what"),
			"files": integer("checked"), "databases": integer("checked"), "chunks": integer("checked"), "bytes": integer("unpacked"), "sessions": integer("read"), "seconds": object{"type": "number"},
			"faults": list(record(object{"path": str("in the backup"), "what": str("wrong")}), "what is wrong; the rest is whole"), "faultCount": integer("all of them"),
			"skipped": list(object{"type": "object"}, "what was not in it from the beginning"),
		}),
		kind: onDisk,
		run:  (*call).validate,
	}
}

// A validation is the answer of validate_backup.
type validation struct {
	BackupPath string           `json:"backupPath"`
	Valid      bool             `json:"valid"`
	CreatedAt  time.Time        `json:"createdAt"`
	Producer   string           `json:"producer"`
	Files      int              `json:"files"`
	Databases  int              `json:"databases"`
	Chunks     int              `json:"chunks"`
	Bytes      int64            `json:"bytes"`
	Sessions   int              `json:"sessions"`
	Seconds    float64          `json:"seconds"`
	Faults     []backup.Fault   `json:"faults"`
	FaultCount int              `json:"faultCount"`
	Skipped    []backup.Skipped `json:"skipped"`
}

func (c *call) validate(ctx context.Context) (*answer, error) {
	if err := c.readableFile(c.path, "validate"); err != nil {
		return nil, err
	}
	v, err := library.VerifyBackup(ctx, c.path, library.VerifyOptions{Quick: c.quick, Progress: backing(ctx)})
	if err != nil {
		return nil, err
	}
	x := &validation{
		BackupPath: quote.Line(v.BackupPath), Valid: len(v.Faults) == 0, CreatedAt: v.Manifest.CreatedAt, Producer: quote.Line(v.Manifest.Producer),
		Files: v.Files, Databases: v.Databases, Chunks: v.Chunks, Bytes: v.Bytes, Sessions: v.Sessions, Seconds: v.Seconds,
		Faults: []backup.Fault{}, FaultCount: len(v.Faults), Skipped: safeSkipped(v.Manifest.Skipped),
	}
	for _, f := range v.Faults {
		path, _ := quote.Cut(quote.Line(f.Path), 300)
		what, _ := quote.Cut(quote.Line(f.What), 300)
		x.Faults = append(x.Faults, backup.Fault{Path: path, What: what})
	}
	return c.tellValidation(x)
}

func (c *call) tellValidation(x *validation) (*answer, error) {
	for most := mostSteps; ; most /= 2 {
		some, foot := *x, footing{Notice: notice}
		some.Faults, some.Skipped = atMost(x.Faults, most), atMost(x.Skipped, most)
		if most < len(x.Faults) {
			foot.Shortened = fmt.Sprintf("%d of %d faults are named", most, len(x.Faults))
		}
		body, err := json.Marshal(some)
		if err != nil {
			return nil, err
		}
		p := &page{}
		p.say(notice)
		some.tell(p, c.quick)
		foot.tell(p)
		a, err := foot.answer(p, inlined(body))
		if err != nil || most <= 1 || a.fits(c.max) {
			return a, err
		}
	}
}

func (x *validation) tell(p *page, quick bool) {
	how := "every byte, database and session was read"
	if quick {
		how = "every byte was read, neither databases nor sessions"
	}
	sizes := fmt.Sprintf("%s, %s, %s, %s bytes; %s", counted(x.Files, "file"), counted(x.Databases, "database"), counted(x.Sessions, "session"), quote.Number(int(x.Bytes)), how)
	if x.Valid {
		p.say("Whole: %s.", sizes)
	} else {
		p.say("Damaged: %s found (%s). What is not named is whole.", counted(x.FaultCount, "fault"), sizes)
		var lines []string
		for _, f := range x.Faults {
			lines = append(lines, f.Path+": "+f.What)
		}
		p.lines(lines)
	}
	p.skipped(x.Skipped)
}
