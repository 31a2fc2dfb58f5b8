package main

import (
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // Cursor's ids of workspaces
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/retold-history/retold/demo/vscdb"
	"github.com/retold-history/retold/git"
)

// A truth is what a made-up conversation did for a commit.
type truth struct {
	session string
	telling bool                    // it wrote enough to tell
	lines   map[string]map[int]bool // that it wrote, by path
}

// A history is the conversations that are made up.
type history struct {
	random *rand.Rand
	root   string
	ids    []string // of the commits, the oldest first
	truth  map[string]*truth

	db                 *vscdb.DB
	workspace          string
	number             int
	sessions, messages int
}

type obj = map[string]any

// make writes Cursor's database for the newest n commits: half of them came of a
// conversation, a quarter has one beside it that wrote other lines, the rest none.
func (h *history) make(ctx context.Context, repo *git.Repo, n, long int, user string) (err error) {
	uri := "file://" + h.root
	sum := md5.Sum([]byte(uri)) //nolint:gosec // as above
	h.workspace = hex.EncodeToString(sum[:])
	dir := filepath.Join(user, "workspaceStorage", h.workspace)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "workspace.json"), text(obj{"folder": uri}), 0o600); err != nil {
		return err
	}
	if h.db, err = vscdb.Create(ctx, filepath.Join(user, "globalStorage", "state.vscdb"), vscdb.Headers); err != nil {
		return err
	}
	var last, before time.Time
	for c, err := range repo.Commits(ctx, git.Ask{Limit: n}) {
		if err != nil {
			return err
		}
		h.ids = append(h.ids, c.ID)
		last = c.Committer.Time
		if err := h.commit(c, before); err != nil {
			return err
		}
		before = c.Committer.Time.UTC()
	}
	if err := h.talk(ctx, last, long); err != nil {
		return err
	}
	return h.db.Close()
}

// commit makes up what led to a commit, if anything, after the one before.
func (h *history) commit(c *git.Commit, before time.Time) error {
	kind := h.random.IntN(4)
	if c.Merge() || len(c.Files) == 0 || kind == 3 {
		return nil
	}
	s := h.begin(c, before)
	t := &truth{session: s.id, lines: map[string]map[int]bool{}}
	telling := 0
	for i := range c.Files {
		f := &c.Files[i]
		if f.Binary || f.Elided || f.Submodule {
			continue
		}
		lines := map[int]bool{}
		for _, hunk := range f.Hunks[:min(len(f.Hunks), 40)] {
			added, removed := hunk.Added, hunk.Removed
			if kind == 2 {
				added, removed = h.other(added), h.other(removed)
			}
			if len(added)+len(removed) == 0 || len(added) > 2000 {
				continue
			}
			s.edit(filepath.Join(h.root, f.Path), removed, added)
			for k, line := range added {
				lines[hunk.NewStart+k] = true
				if len(strings.TrimSpace(line)) > 24 && !derived(f.Path) {
					telling++
				}
			}
		}
		if len(lines) > 0 {
			t.lines[f.Path] = lines
		}
	}
	if len(s.bubbles) == 1 {
		return nil
	}
	t.telling = telling >= 3
	if kind < 2 {
		h.truth[c.ID] = t
	}
	return s.end(h)
}

// derived reports whether programs write a file like that: nobody can tell who
// ran them.
func derived(path string) bool {
	base := filepath.Base(path)
	return strings.HasPrefix(path, "vendor/") || strings.HasSuffix(base, ".sum") || strings.HasSuffix(base, ".lock") || strings.Contains(base, "generated") ||
		strings.HasSuffix(base, "-lock.json") || strings.HasSuffix(base, ".pb.go") || strings.Contains(path, "testdata/")
}

// other are lines like the ones given that say something else.
func (h *history) other(lines []string) []string {
	out := make([]string, 0, len(lines))
	for range lines {
		out = append(out, fmt.Sprintf("\tsomethingElse%d(value%d, %d)", h.random.IntN(1e6), h.random.IntN(1e6), h.random.IntN(1e6)))
	}
	return out
}

// A session is one being made up.
type session struct {
	id      string
	at      time.Time
	pace    time.Duration // between messages
	bubbles []obj
}

// begin starts a session some minutes before a commit, and after the one before.
func (h *history) begin(c *git.Commit, before time.Time) *session {
	h.number++
	s := &session{id: fmt.Sprintf("%08x-0000-4000-8000-%012x", h.random.Uint32(), h.number)}
	s.at = c.Committer.Time.UTC().Add(-time.Duration(2+h.random.IntN(40)) * time.Minute)
	if s.at.Before(before) {
		s.at = before.Add(time.Second)
	}
	s.pace = max(c.Committer.Time.UTC().Sub(s.at)/5000, time.Millisecond)
	subject, _, _ := strings.Cut(c.Message, "\n")
	s.say(1, "Please do this: "+cmp.Or(subject, "something")+".", nil)
	return s
}

func (s *session) say(kind int, words string, tool obj) {
	b := obj{"_v": 3, "bubbleId": fmt.Sprintf("%s-%05d", s.id[:8], len(s.bubbles)), "type": kind, "text": words, "createdAt": s.at.Format("2006-01-02T15:04:05.000Z")}
	if tool != nil {
		b["toolFormerData"], b["capabilityType"] = tool, 15
	}
	s.bubbles = append(s.bubbles, b)
	s.at = s.at.Add(s.pace)
}

func (s *session) edit(path string, removed, added []string) {
	before, after := joined(removed), joined(added)
	s.say(2, "", obj{
		"tool": 38, "name": "search_replace", "toolCallId": fmt.Sprintf("toolu_%s_%d", s.id[:8], len(s.bubbles)), "status": "completed",
		"rawArgs": string(text(obj{"file_path": path, "old_string": before, "new_string": after})),
		"params":  string(text(obj{"relativeWorkspacePath": path})), "result": "{}", "additionalData": obj{},
	})
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// end writes the session's rows.
func (s *session) end(h *history) error {
	heads := make([]obj, 0, len(s.bubbles))
	for _, b := range s.bubbles {
		heads = append(heads, obj{"bubbleId": b["bubbleId"], "type": b["type"]})
		if err := h.db.KV("bubbleId:"+s.id+":"+b["bubbleId"].(string), text(b)); err != nil {
			return err
		}
	}
	created, err := time.Parse(time.RFC3339, s.bubbles[0]["createdAt"].(string))
	if err != nil {
		return err
	}
	uri := obj{"$mid": 1, "external": "file://" + h.root, "path": h.root, "fsPath": h.root, "scheme": "file"}
	head := obj{
		"composerId": s.id, "name": "", "createdAt": created.UnixMilli(), "lastUpdatedAt": s.at.UnixMilli(), "unifiedMode": "agent",
		"workspaceIdentifier": obj{"id": h.workspace, "uri": uri},
	}
	if err := h.db.Head(vscdb.Head{ComposerID: s.id, WorkspaceID: h.workspace, CreatedAt: created.UnixMilli(), LastUpdatedAt: s.at.UnixMilli(), JSON: text(head)}); err != nil {
		return err
	}
	head["_v"], head["fullConversationHeadersOnly"], head["status"] = 18, heads, "completed"
	h.sessions++
	h.messages += len(s.bubbles)
	return h.db.KV("composerData:"+s.id, text(head))
}

// talk makes one long session that goes on until the last commit, and edits a
// file of the repository now and then.
func (h *history) talk(ctx context.Context, last time.Time, messages int) error {
	h.number++
	s := &session{id: fmt.Sprintf("ffffffff-0000-4000-8000-%012x", h.number), at: last.UTC().Add(-time.Duration(messages) * time.Second), pace: time.Second}
	for i := range messages {
		switch {
		case i%20 == 0:
			s.say(1, fmt.Sprintf("Now the next step, number %d.", i), nil)
		case i%4 == 1:
			s.edit(filepath.Join(h.root, fmt.Sprintf("long/file%d.go", i%50)), h.other(make([]string, 6)), h.other(make([]string, 12)))
		default:
			s.say(2, "I looked at it and this is what I found; the rest follows from that, as said before.", nil)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return s.end(h)
}

func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers
	}
	return b
}
