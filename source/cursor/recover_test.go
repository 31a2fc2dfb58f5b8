package cursor_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/change"
)

// lost are the reasons why one conversation is not shown, and what Lost says.
func (r *relocation) lost(id string) (kinds []string, found retold.Lost) {
	r.t.Helper()
	all, err := r.src.Lost(r.t.Context(), r.home.CursorUser)
	r.check(err)
	for _, l := range all {
		if l.Session.ID == id {
			for _, reason := range l.Reasons {
				kinds = append(kinds, reason.Kind)
			}
			found = l
		}
	}
	return kinds, found
}

func (r *relocation) recover(id, folder string) {
	r.t.Helper()
	dir, err := r.desk.DraftDir()
	r.check(err)
	p, err := change.Draft(r.t.Context(), dir, "recover", r.src.PlanRecover(r.t.Context(), retold.Recovery{Place: r.home.CursorUser, Sessions: []string{id}, Folder: folder}))
	r.check(err)
	_, err = r.desk.Apply(r.t.Context(), p, "")
	r.check(err)
	r.check(p.Close())
}

// exec runs SQL on the global database.
func (r *relocation) exec(sql ...string) {
	r.t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(r.home.CursorUser, "globalStorage", "state.vscdb"), sqlite.OpenReadWrite)
	r.check(err)
	for _, s := range sql {
		r.check(sqlitex.ExecuteTransient(conn, s, nil))
	}
	r.check(conn.Close())
}

// lostID is the conversation that is lost.
const lostID = "2f9e8f0c-8f2e-4d0f-8a54-2a7b0a9d1c06"

// A loss is a way to lose a conversation, and what is to be found then.
type loss struct {
	lose func(r *relocation, folder string)
	want []string
	to   string // name of the folder that is suggested
	why  string
}

func losses() map[string]loss {
	record := "UPDATE cursorDiskKV SET value = %s WHERE key = 'composerData:" + lostID + "'"
	return map[string]loss{
		"head": {func(r *relocation, _ string) {
			r.exec("DELETE FROM composerHeaders WHERE composerId = '" + lostID + "'")
		}, []string{"head"}, "harbor", ""},
		"no entry": {func(r *relocation, _ string) {
			r.exec("UPDATE composerHeaders SET workspaceId = '' WHERE composerId = '" + lostID + "'")
		}, []string{"workspace"}, "harbor", ""},
		"workspace": {func(r *relocation, _ string) { r.loseWorkspace(lostID) }, []string{"workspace"}, "harbor", ""},
		"order": {func(r *relocation, _ string) {
			r.exec(strings.Replace(record, "%s", "json_set(value, '$.fullConversationHeadersOnly', json('[]'))", 1))
		}, []string{"order"}, "harbor", ""},
		"status": {func(r *relocation, _ string) {
			r.exec(strings.Replace(record, "%s", "json_set(value, '$.status', 'generating')", 1))
		}, []string{"status"}, "harbor", ""},
		"renamed":         {func(r *relocation, f string) { r.check(os.Rename(f, filepath.Join(filepath.Dir(f), "port"))) }, []string{"folder"}, "", ""},
		"renamed by case": {func(r *relocation, f string) { r.check(os.Rename(f, filepath.Join(filepath.Dir(f), "HARBOR"))) }, []string{"folder"}, "HARBOR", "name"},
		"cloned": {func(r *relocation, f string) {
			r.check(os.Rename(f, filepath.Join(filepath.Dir(f), "port")))
			r.write("port/.git/config", "[remote \"origin\"]\n\turl = git@git.example:ada/harbor.git\n")
		}, []string{"folder"}, "port", "git remote"},
		"commit": {func(r *relocation, f string) {
			r.check(os.Rename(f, filepath.Join(filepath.Dir(f), "port")))
			r.write("port/.git/logs/HEAD", strings.Repeat("0", 40)+" c0ffee1234c0ffee1234c0ffee1234c0ffee1234 Ada <ada@tides.example> 1 +0000\tcommit (initial): x\n")
		}, []string{"folder"}, "port", "first commit"},
		"worktree": {func(r *relocation, f string) {
			r.check(os.Rename(f, filepath.Join(filepath.Dir(f), "port")))
			r.write("main/.git/config", "[remote \"origin\"]\n\turl = https://git.example/ada/harbor.git\n")
			r.write("main/.git/worktrees/port/commondir", "../..\n")
			r.check(os.Rename(filepath.Join(filepath.Dir(f), "main"), filepath.Join(r.dir, "main")))
			r.write("port/.git", "gitdir: "+filepath.Join(r.dir, "main/.git/worktrees/port")+"\n")
		}, []string{"folder"}, "port", "git remote"},
		"another says so": {func(r *relocation, f string) {
			d := foreign()
			d.Messages[0].Content += "\nsee git@git.example:ada/quay.git"
			r.take(d, "3f9e8f0c-8f2e-4d0f-8a54-2a7b0a9d1c07", f)
			r.check(os.Rename(f, filepath.Join(filepath.Dir(f), "port")))
			r.write("port/.git/config", "[remote \"origin\"]\n\turl = ssh://git@git.example/ada/quay\n")
		}, []string{"folder"}, "port", "another conversation"},
		"repository": {func(r *relocation, f string) {
			r.nameRepository(f)
			r.check(os.Remove(f))
		}, []string{"folder"}, "mother", "it is the repository"},
		"two of a name": {func(r *relocation, f string) {
			r.check(os.Rename(f, filepath.Join(filepath.Dir(f), "HARBOR")))
			r.folder("Harbor")
		}, []string{"folder"}, "", ""},
	}
}

// TestRecover loses a conversation in every way that is known, finds it, and
// brings it back; and takes that back again.
func TestRecover(t *testing.T) {
	const id = lostID
	for name, c := range losses() {
		t.Run(name, func(t *testing.T) {
			r := newRelocation(t)
			folder := r.folder("harbor")
			d := foreign()
			d.Messages[0].Content += "\nsee https://git.example/ada/harbor and c0ffee1234c0"
			r.take(d, id, folder)
			if kinds, _ := r.lost(id); kinds != nil {
				t.Fatalf("lost before it was: %v", kinds)
			}
			was := sayings(r.session(id))
			c.lose(r, folder)
			before := r.content()
			kinds, found := r.lost(id)
			want := ""
			if c.to != "" {
				want = filepath.Join(filepath.Dir(folder), c.to)
			}
			if !slices.Equal(kinds, c.want) || found.Folder != want || !strings.Contains(found.Because, c.why) || (c.why == "") != (found.Because == "") {
				t.Fatalf("%v, in %q because %q; want %v in %q", kinds, found.Folder, found.Because, c.want, want)
			}
			if want == "" {
				want = filepath.Join(filepath.Dir(folder), "port")
				r.check(os.MkdirAll(want, 0o755))
			}
			r.recover(id, want)
			if kinds, _ := r.lost(id); kinds != nil {
				t.Errorf("still lost: %v", kinds)
			}
			now := r.session(id)
			if now.WorkspacePath != want {
				t.Errorf("it is about %q", now.WorkspacePath)
			}
			spoken := func(all []saying) (texts []string) {
				for _, s := range all {
					texts = append(texts, string(s.Role)+" "+s.Content)
				}
				slices.Sort(texts)
				return texts
			}
			if diff := cmp.Diff(spoken(was), spoken(sayings(now))); diff != "" {
				t.Error(diff)
			}
			r.undo()
			if diff := cmp.Diff(before, r.content()); diff != "" {
				t.Errorf("undone:\n%s", diff)
			}
		})
	}
}

// nameRepository lets the record of the conversation name a repository beside its
// folder.
func (r *relocation) nameRepository(folder string) {
	r.t.Helper()
	mother := filepath.Join(filepath.Dir(folder), "mother")
	r.write("mother/.git/HEAD", "ref: refs/heads/main\n")
	r.exec("UPDATE cursorDiskKV SET value = json_set(value, '$.trackedGitRepos', json('[{\"repoPath\":\"" + mother + "\"}]')) WHERE key = 'composerData:" + lostID + "'")
}

// write makes a file below the folder of projects.
func (r *relocation) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, "projects", filepath.FromSlash(name))
	r.check(os.MkdirAll(filepath.Dir(path), 0o755))
	r.check(os.WriteFile(path, []byte(text), 0o644))
}

// loseWorkspace removes the folder of the workspace that a conversation is in.
func (r *relocation) loseWorkspace(id string) {
	r.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(r.home.CursorUser, "workspaceStorage", "*"))
	r.check(err)
	removed := 0
	for _, dir := range dirs {
		text, err := os.ReadFile(filepath.Join(dir, "workspace.json"))
		if err == nil && strings.HasSuffix(strings.TrimSpace(string(text)), "/projects/harbor\"\n}") {
			r.check(os.RemoveAll(dir))
			removed++
		}
	}
	if removed != 1 {
		r.t.Fatalf("%d workspaces of %s", removed, id)
	}
}

// TestNothingLost leaves alone what Cursor shows, and what is no conversation.
func TestNothingLost(t *testing.T) {
	src := source(t.TempDir())
	if all, err := src.Lost(t.Context(), t.TempDir()); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
}
