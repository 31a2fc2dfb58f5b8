package cursor_test

import (
	"bytes"
	gocmp "cmp"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/source/cursor"
	"github.com/retold-history/retold/source/cursorcli"
)

// take imports a session and returns what became of it.
func (r *relocation) take(d *retold.SessionDetail, id, to string) *change.Outcome {
	r.t.Helper()
	m := retold.Import{Place: r.home.CursorUser, To: to, Sessions: []retold.Arrival{{Session: d, ID: id}}}
	dir, err := r.desk.DraftDir()
	r.check(err)
	p, err := change.Draft(r.t.Context(), dir, "import", r.src.PlanImport(r.t.Context(), m))
	r.check(err)
	again, err := change.Draft(r.t.Context(), dir, "import", r.src.PlanImport(r.t.Context(), m))
	r.check(err)
	if p.Fingerprint() != again.Fingerprint() {
		r.t.Error("the same import has two plans")
	}
	out, err := r.desk.Apply(r.t.Context(), p, p.Fingerprint())
	r.check(err)
	r.check(p.Close())
	r.check(again.Close())
	return out
}

func (r *relocation) undo() {
	r.t.Helper()
	plan, err := r.desk.PlanUndo("")
	r.check(err)
	_, err = r.desk.Apply(r.t.Context(), plan, "")
	r.check(err)
	r.check(plan.Close())
}

// A saying is what has to come back of a message.
type saying struct {
	Role        retold.Role
	Content     string
	At          string // of what was dated
	Model       string
	Request     string
	Tokens      *retold.Tokens
	Attachments []retold.Attachment
	Tool        *retold.ToolCall
	Aside       bool
}

// sayings is what docs/migrate.md promises to keep of a session.
func sayings(d *retold.SessionDetail) (all []saying) {
	model, request := "", ""
	spoken := slices.ContainsFunc(d.Messages, func(m retold.Message) bool { return !m.Orphan && !m.Recovered })
	for _, m := range d.Messages {
		if m.Content == "" && m.Tool == nil && len(m.Attachments) == 0 {
			continue
		}
		s := saying{Role: m.Role, Content: m.Content, Model: m.Model, Request: m.RequestID, Tokens: m.Tokens, Aside: spoken && (m.Orphan || m.Recovered)}
		// Attachments are sorted by kind, and what names no model has its request's.
		s.Attachments = slices.SortedStableFunc(slices.Values(m.Attachments), func(a, b retold.Attachment) int { return strings.Compare(a.Kind, b.Kind) })
		if m.Role == retold.RoleUser || m.Role == retold.RoleSystem || m.RequestID != "" && m.RequestID != request {
			model, request = "", m.RequestID
		}
		if !m.Orphan && !m.Recovered {
			s.Model = gocmp.Or(m.Model, model)
			model = s.Model
		}
		if m.TimestampSource == retold.TimeStored || m.TimestampSource == retold.TimeTiming {
			s.At = m.Timestamp.Format(time.RFC3339Nano) + string(m.TimestampSource)
		}
		if m.Tool != nil {
			t := *m.Tool
			t.Params, t.Result = squeezed(t.Params), squeezed(t.Result)
			if t.CallID == "" {
				t.CallID = "made"
			}
			s.Tool = &t
		}
		all = append(all, s)
	}
	return all
}

func squeezed(doc json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if doc == nil || json.Compact(&b, doc) != nil {
		return doc
	}
	return b.Bytes()
}

var sameSession = cmp.Options{cmpopts.EquateEmpty()}

// TestImportGivesTheSameSession imports every conversation of the demo, of the
// editor and of the command line, as another one.
func TestImportGivesTheSameSession(t *testing.T) {
	r := newRelocation(t)
	to := r.folder("taken in")
	const id = "7d0c8e1a-5b1f-4c3e-9f2a-0d9a6b7c8e11"
	before := r.content()
	var all []*retold.SessionDetail
	for _, src := range []retold.Source{r.src, cursorcli.New(cursorcli.Options{Home: []string{r.home.CursorHome}})} {
		places, err := src.Places(t.Context())
		r.check(err)
		for h, err := range src.Headers(t.Context(), places[0]) {
			if err != nil || h.Empty {
				continue
			}
			d, err := src.Session(t.Context(), h.Ref)
			r.check(err)
			all = append(all, d)
		}
	}
	if len(all) < 30 {
		t.Fatalf("only %d sessions", len(all))
	}
	for _, d := range all {
		if len(sayings(d)) == 0 {
			continue
		}
		r.take(d, id, to)
		now := r.session(id)
		if diff := cmp.Diff(sayings(d), sayings(now), sameSession); diff != "" {
			t.Errorf("%s %q (%v):\n%s", d.ID, d.Title, d.Sources, diff)
		}
		if now.Title != strings.TrimSpace(d.Title) || now.WorkspacePath != to || now.Archived != d.Archived || now.Branch != d.Branch || now.Problems != 0 {
			t.Errorf("%s: %q in %q, %v, %+v", d.ID, now.Title, now.WorkspacePath, now.Archived, now.ProblemList)
		}
		if !d.CreatedAt.IsZero() && !now.CreatedAt.Equal(d.CreatedAt) {
			t.Errorf("%s: begun %v, want %v", d.ID, now.CreatedAt, d.CreatedAt)
		}
		r.undo()
	}
	if diff := cmp.Diff(before, r.content()); diff != "" {
		t.Error(diff)
	}
}

// TestImportOfAnotherAgent gives back what Cursor has no members for.
func TestImportOfAnotherAgent(t *testing.T) {
	r := newRelocation(t)
	const id = "2f9e8f0c-8f2e-4d0f-8a54-2a7b0a9d1c01"
	d := foreign()
	out := r.take(d, id, r.folder("harbor"))
	now := r.session(id)
	want := sayings(d)
	for i := range want {
		if want[i].Tool != nil && want[i].Tool.CallID == "made" {
			want[i].Tool.CallID = ""
		}
	}
	if diff := cmp.Diff(want, sayings(now), sameSession, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".CallID" }, cmp.Comparer(func(a, b string) bool {
		return a == b || a == "" || b == "" || strings.HasPrefix(a, "made") || strings.HasPrefix(b, "made")
	}))); diff != "" {
		t.Error(diff)
	}
	if now.Mode != "agent" || now.Model != "gpt-5.2" || !now.CreatedAt.Equal(d.CreatedAt) || *now.LinesAdded != 1 || *now.LinesRemoved != 2 || *now.FilesChanged != 1 {
		t.Errorf("%+v", now.Session)
	}
	if out.Rows < len(d.Messages) {
		t.Errorf("%d rows", out.Rows)
	}
}

// TestImportIsListed wants the conversation in every list of F.1.
func TestImportIsListed(t *testing.T) {
	r := newRelocation(t)
	const id = "2f9e8f0c-8f2e-4d0f-8a54-2a7b0a9d1c02"
	to := r.folder("harbor")
	r.take(foreign(), id, to)
	all := r.content()
	for key, want := range map[string]string{
		"globalStorage/state.vscdb/cursorDiskKV/composerData:" + id:                `"workspaceIdentifier":{"id":"`,
		"globalStorage/state.vscdb/composerHeaders/" + id:                          `"type":"head"`,
		"globalStorage/state.vscdb/ItemTable/composer.composerHeaders":             `"composerId":"` + id + `"`,
		"globalStorage/state.vscdb/ItemTable/glass.localAgentProjectMembership.v1": `"` + id + `":"`,
		"globalStorage/state.vscdb/ItemTable/glass.localAgentProjects.v1":          path.Base(to),
	} {
		if !strings.Contains(all[key], want) {
			t.Errorf("%s has no %s: %.300s", key, want, all[key])
		}
	}
}

// TestImportRefuses an id that is taken, and a session without a word.
func TestImportRefuses(t *testing.T) {
	r := newRelocation(t)
	taken := r.about(tidepool)[0]
	for name, a := range map[string]retold.Arrival{
		"taken": {Session: foreign(), ID: taken},
		"empty": {Session: &retold.SessionDetail{}, ID: "2f9e8f0c-8f2e-4d0f-8a54-2a7b0a9d1c03"},
	} {
		_, err := change.Draft(t.Context(), t.TempDir(), "import", r.src.PlanImport(t.Context(), retold.Import{Place: r.home.CursorUser, To: r.folder("x"), Sessions: []retold.Arrival{a}}))
		if retold.CodeOf(err) != retold.CodeUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrittenToolsFit holds the parameters and results of every written call to
// what Cursor's parser takes.
func TestWrittenToolsFit(t *testing.T) {
	d := foreign()
	tools := map[int64]bool{}
	for _, m := range d.Messages {
		if m.Tool == nil {
			continue
		}
		id, why := cursor.CheckWritten(m.Tool)
		if tools[id] = true; why != "" {
			t.Errorf("%s (%s) as tool %d: %s", m.Tool.Name, m.Tool.Status, id, why)
		}
	}
	for _, id := range []int64{9, 11, 15, 18, 35, 38, 39, 40, 41, 42, 48, 49, 57} {
		if !tools[id] {
			t.Errorf("no call became tool %d", id)
		}
	}
}

// TestLostChatComesBack removes all rows of a conversation, as a reset of Cursor
// does, and imports what was kept of it: it has its id and those of its messages.
func TestLostChatComesBack(t *testing.T) {
	r := newRelocation(t)
	back := 0
	for id, h := range r.headers() {
		if h.Empty || !slices.Contains(h.Sources, "composer") || strings.Contains(id, "task-") {
			continue
		}
		kept := r.session(id)
		to := r.folder("home")
		r.forget(id)
		if left, there := r.headers()[id]; there && !left.Empty {
			continue // of 2024: it lies in its workspace's own list
		}
		r.take(kept, id, to)
		now := r.session(id)
		if diff := cmp.Diff(sayings(kept), sayings(now), sameSession); diff != "" {
			t.Errorf("%s:\n%s", id, diff)
		}
		for i, m := range now.Messages {
			if len(kept.Messages) == len(now.Messages) && uuidLike(kept.Messages[i].ID) && m.ID != kept.Messages[i].ID {
				t.Errorf("%s: message %d is %s, was %s", id, i, m.ID, kept.Messages[i].ID)
			}
		}
		back++
	}
	if back < 10 {
		t.Errorf("only %d came back", back)
	}
}

func uuidLike(id string) bool { return len(id) >= 36 && strings.Count(id[:36], "-") == 4 }

// forget removes every row that names a conversation.
func (r *relocation) forget(id string) {
	r.t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(r.home.CursorUser, "globalStorage", "state.vscdb"), sqlite.OpenReadWrite)
	r.check(err)
	for _, sql := range []string{
		"DELETE FROM cursorDiskKV WHERE key LIKE '%" + id + "%'", "DELETE FROM composerHeaders WHERE composerId = '" + id + "'",
		"DELETE FROM ItemTable WHERE key = 'composer.composerHeaders'",
	} {
		r.check(sqlitex.ExecuteTransient(conn, sql, nil))
	}
	r.check(conn.Close())
}
