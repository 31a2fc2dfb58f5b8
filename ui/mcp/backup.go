package mcp

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/library"
)

func backupTool() *tool {
	return &tool{
		name: "create_backup", title: "Back up the history",
		description: "Put the whole history, or some conversations of it, into one new file (….retold), or into a folder in which backups share what they have in common. Cursor may run; credentials are left out. First a dry run: what would be in it and a fingerprint; then again with confirm and that fingerprint. Nothing is ever overwritten.\n" +
			"Examples: {\"path\": \"/mnt/disk/2026-11-21.retold\"}; {\"path\": \"/mnt/disk/retold/\"}.",
		params:   []string{"path", "sessions", "workspace", "agent", "confirm", "fingerprint", "max_chars"},
		required: []string{"path"},
		describe: map[string]string{
			"path": "absolute path of the new file, or of a folder for backups: new, empty, or with backups in it", "sessions": "only these sessions, with their sub-agents", "agent": "only the files of this agent",
		},
		output: deedSchema(object{
			"written": boolean("it was made; false in a dry run"), "fingerprint": str("for confirm"),
			"plan": record(object{
				"path": str("file or folder"), "folder": boolean("it is a folder"), "sessions": integer("as known now"), "messages": maybeInt("null while not all are counted"), "only": list(object{"type": "string"}, "ids, when some were chosen"),
				"places": list(object{"type": "object"}, "where files are taken from"), "libraryBytes": integer("of retold's library"),
			}, "only"),
			"result": object{"type": []string{"object", "null"}, "description": "backupPath, bytesWritten, seconds, manifest (version, createdAt, producer, stats, fileCount, skipped); null in a dry run"},
		}),
		writes: true, kind: making,
		run: (*call).backup,
	}
}

// A backedUp is the answer of create_backup.
type backedUp struct {
	Written     bool          `json:"written"`
	Fingerprint string        `json:"fingerprint"`
	Plan        backupPlan    `json:"plan"`
	Result      *backupResult `json:"result"`
}

type backupPlan struct {
	Path         string         `json:"path"`
	Folder       bool           `json:"folder"`
	Sessions     int            `json:"sessions"`
	Messages     *int           `json:"messages"` // nil while nobody has counted them all
	Only         []string       `json:"only,omitempty"`
	Places       []retold.Place `json:"places"`
	LibraryBytes int64          `json:"libraryBytes"`
}

// A backupResult is a library.BackupResult without the lists of its manifest,
// which no answer could hold.
type backupResult struct {
	BackupPath string        `json:"backupPath"`
	Written    int64         `json:"bytesWritten"`
	Seconds    float64       `json:"seconds"`
	Manifest   shortManifest `json:"manifest"`
}

type shortManifest struct {
	Version   string           `json:"version"`
	CreatedAt time.Time        `json:"createdAt"`
	Producer  string           `json:"producer"`
	Stats     backup.Stats     `json:"stats"`
	FileCount int              `json:"fileCount"`
	Skipped   []backup.Skipped `json:"skipped"`
}

func (c *call) backup(ctx context.Context) (*answer, error) {
	path, folder, err := c.mayBackUp(ctx, c.path)
	if err != nil {
		return nil, err
	}
	o := library.BackupOptions{Path: path, Folder: folder, Sessions: c.picked, Producer: "retold " + c.o.Version, Progress: backing(ctx)}
	for _, agent := range c.agents {
		o.Agents = append(o.Agents, strings.ToLower(agent))
		if known := c.lib.Agents(); !slices.Contains(known, strings.ToLower(agent)) {
			return nil, usage("choose from "+strings.Join(known, ", "), "agent %q is not known", agent)
		}
	}
	if o.Workspaces, err = c.here(ctx, c.workspaces); err != nil {
		return nil, err
	}
	x := &backedUp{}
	if x.Plan, err = c.planBackup(ctx, o); err != nil {
		return nil, err
	}
	if x.Fingerprint, err = fingerprintOf(path, folder, o.Agents, x.Plan.Only, x.Plan.Places); err != nil {
		return nil, err
	}
	if ok, err := c.agreed(x.Fingerprint); err != nil {
		return nil, err
	} else if ok {
		r, err := c.lib.Backup(ctx, o)
		if err != nil {
			return nil, err
		}
		x.Written, x.Result = true, shortBackup(r)
	}
	return c.tellBackedUp(x)
}
