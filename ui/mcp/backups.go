package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/backup"
	"github.com/retold-history/retold/ui/mcp/quote"
)

func backupsTool() *tool {
	return &tool{
		name: "list_backups", title: "List backups",
		description: "List the backups in a folder, newest first; or with the path of one backup the conversations in it, whose ids restore_backup takes.\n" +
			"Examples: {\"path\": \"/mnt/disk/retold\"}; {\"path\": \"/mnt/disk/mine.retold\"}.",
		params:   []string{"path", "limit", "offset", "max_chars"},
		required: []string{"path"},
		describe: map[string]string{"path": "absolute path of a folder, or of one backup"},
		output: deedSchema(object{
			"data":       list(object{"type": "object"}, "backups (path, createdAt, producer, stats, bytes, encrypted, note: why it could not be read), or sessions (id, agent, title, workspace, messages)"),
			"pagination": pageSchema,
		}),
		kind: onDisk,
		run:  (*call).backupList,
	}
}

// A listedBackup is what a list says of a backup.
type listedBackup struct {
	Path      string        `json:"path"`
	CreatedAt *time.Time    `json:"createdAt"` // null when it could not be read
	Producer  string        `json:"producer"`
	Stats     *backup.Stats `json:"stats"`
	Bytes     int64         `json:"bytes"` // of the file
	Encrypted bool          `json:"encrypted"`
	Note      string        `json:"note,omitempty"` // why it could not be read
}

func (c *call) backupList(ctx context.Context) (*answer, error) {
	info, err := c.readable(c.path, "look for backups in")
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return c.backedUp(ctx)
	}
	all, err := backupsIn(c.path)
	if err != nil {
		return nil, err
	}
	limit, offset := c.page(120), min(or(c.offset, 0), len(all))
	some := all[offset:min(offset+limit, len(all))]
	var rows []row
	for _, path := range some {
		b, err := listedOf(ctx, path)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{body, c.tellBackup(b)})
	}
	at := retold.Pagination{Total: len(all), Limit: limit, Offset: offset, HasMore: offset+len(some) < len(all)}
	return c.rows("backup", rows, at, footing{}, nil, "list_backups")
}

func (c *call) tellBackup(b *listedBackup) *page {
	p := &page{}
	switch {
	case b.Encrypted:
		p.say("encrypted · %s bytes", quote.Number(int(b.Bytes)))
	case b.CreatedAt == nil:
		p.say("not readable · %s bytes", quote.Number(int(b.Bytes)))
	default:
		p.say("made %s · %s, %s · %s bytes", quote.When(*b.CreatedAt, c.at), counted(b.Stats.SessionCount, "session"), counted(b.Stats.MessageCount, "message"), quote.Number(int(b.Bytes)))
	}
	p.quote(strings.TrimSpace(b.Path + "\n" + b.Note))
	return p
}

// readable looks at a file or folder that is to be read. Devices and pipes, on
// which reading waits, are none.
func (s *Server) readable(path, op string) (fs.FileInfo, error) {
	refuse := refusing(op, path)
	if err := s.plainPath(path, refuse); err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &retold.Error{Code: retold.CodeDatabaseNotFound, Op: op, Path: path, Err: errors.New("there is nothing of that name"), Hint: "list_backups with a folder says what there is"}
	case err != nil:
		return nil, refuse("choose another path", "look at it: %w", err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, refuse("name a file", "it is neither a file nor a folder")
	}
	return info, nil
}

// readableFile is readable for a backup.
func (s *Server) readableFile(path, op string) error {
	info, err := s.readable(path, op)
	if err == nil && info.IsDir() {
		err = refusing(op, path)("list_backups names the backups in it", "it is a folder")
	}
	return err
}

// backupsIn names the backups of a folder, the one written last first.
func backupsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, refusing("look for backups in", dir)("choose another folder", "list it: %w", err)
	}
	type found struct {
		path string
		at   time.Time
	}
	var list []found
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if !e.Type().IsRegular() || ext != backup.Ext && ext != ".zip" && !strings.HasSuffix(e.Name(), backup.Ext+".age") {
			continue
		}
		if info, err := e.Info(); err == nil { // else it went away in the meantime
			list = append(list, found{filepath.Join(dir, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(list, func(a, b found) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(b.path, a.path)) })
	out := make([]string, len(list))
	for i, f := range list {
		out[i] = f.path
	}
	return out, nil
}

// listedOf reads what a list says of a backup; an error is that of an ended context.
func listedOf(ctx context.Context, path string) (*listedBackup, error) {
	b := &listedBackup{Path: quote.Line(path)}
	if info, err := os.Stat(path); err == nil {
		b.Bytes = info.Size()
	}
	archive, err := backup.Open(ctx, path, backup.OpenOptions{})
	if err != nil {
		b.Encrypted = retold.CodeOf(err) == retold.CodeUsage
		b.Note, _ = quote.Cut(quote.Line(strings.TrimPrefix(err.Error(), "read backup "+path+": ")), 300)
		return b, ctx.Err()
	}
	m := archive.Manifest
	b.CreatedAt, b.Producer, b.Stats = &m.CreatedAt, quote.Line(m.Producer), &m.Stats
	return b, archive.Close()
}

// backedUp is a page of the conversations in a backup.
func (c *call) backedUp(ctx context.Context) (*answer, error) {
	archive, err := backup.Open(ctx, c.path, backup.OpenOptions{})
	if err != nil {
		return nil, err
	}
	all := archive.Manifest.Sessions
	if err := archive.Close(); err != nil {
		return nil, err
	}
	limit, offset := c.page(120), min(or(c.offset, 0), len(all))
	some := all[offset:min(offset+limit, len(all))]
	var rows []row
	for _, s := range some {
		safe := safeSession(retold.Session{ID: s.ID, Agent: ident(s.Agent), Title: s.Title, WorkspacePath: or(s.Workspace, "")})
		s.ID, s.Agent, s.Title = safe.ID, safe.Agent, safe.Title
		if s.Workspace != nil {
			s.Workspace = &safe.WorkspacePath
		}
		body, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		p := &page{}
		p.say("session %s · %s · %s", ident(s.ID), s.Agent, counted(s.Messages, "message"))
		p.quote(strings.TrimSpace(quote.Title(safe.Title) + "\n" + safe.WorkspacePath))
		rows = append(rows, row{body, p})
	}
	at := retold.Pagination{Total: len(all), Limit: limit, Offset: offset, HasMore: offset+len(some) < len(all)}
	return c.rows("session", rows, at, footing{}, nil, "list_backups")
}
