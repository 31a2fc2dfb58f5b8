package journal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
	"github.com/retold-history/retold/journal"
)

// shelf is a History in memory that counts what is read of it.
type shelf struct {
	kept     []journal.Kept
	messages map[retold.Key][]retold.Message
	reads    atomic.Int64 // sessions read from their beginning
	again    atomic.Int64 // single messages looked up
}

func (h *shelf) Sessions(_ context.Context, _, to time.Time) (list []journal.Kept, err error) {
	for _, k := range h.kept {
		if to.IsZero() || !k.CreatedAt.After(to) {
			list = append(list, k)
		}
	}
	return list, nil
}

func (h *shelf) Messages(_ context.Context, key retold.Key, from int) iter.Seq2[retold.Message, error] {
	if from == 0 {
		h.reads.Add(1)
	} else {
		h.again.Add(1)
	}
	return func(yield func(retold.Message, error) bool) {
		all, ok := h.messages[key]
		if !ok {
			yield(retold.Message{}, retold.ErrSessionNotFound)
			return
		}
		for _, m := range all[min(from, len(all)):] {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// session begins a session that worked in a folder.
func (h *shelf) session(id, workspace string, at time.Time) *teller {
	key := retold.KeyOf("cursor", id)
	if h.messages == nil {
		h.messages = map[retold.Key][]retold.Message{}
	}
	h.kept = append(h.kept, journal.Kept{Key: key, Revision: 1, Session: retold.Session{ID: id, Agent: "cursor", WorkspacePath: workspace, CreatedAt: at, UpdatedAt: at}})
	return &teller{h: h, at: at, kept: &h.kept[len(h.kept)-1], key: key}
}

// teller adds messages to a session.
type teller struct {
	h    *shelf
	kept *journal.Kept
	key  retold.Key
	at   time.Time
}

func (s *teller) add(m retold.Message) string {
	s.at = s.at.Add(5 * time.Second)
	m.Index = len(s.h.messages[s.key])
	m.ID = fmt.Sprintf("%s-%d", s.key.ID, m.Index)
	m.Timestamp, m.TimestampSource = s.at, retold.TimeStored
	s.h.messages[s.key] = append(s.h.messages[s.key], m)
	return m.ID
}

func (s *teller) prompt(text string) string {
	return s.add(retold.Message{Role: retold.RoleUser, Content: text})
}

func (s *teller) answer(text string) string {
	return s.add(retold.Message{Role: retold.RoleAssistant, Content: text})
}

// edit adds a call whose diff is known.
func (s *teller) edit(path, diff string) string {
	return s.add(retold.Message{Role: retold.RoleTool, Tool: &retold.ToolCall{Name: "search_replace", Kind: retold.ToolEdit, Status: retold.StatusCompleted, Files: []string{path}, Diff: diff}})
}

func (s *teller) shell(command, output string) string {
	params, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		panic(err) // a map of strings always marshals
	}
	result, err := json.Marshal(map[string]string{"output": output})
	if err != nil {
		panic(err)
	}
	return s.add(retold.Message{Role: retold.RoleTool, Tool: &retold.ToolCall{Name: "run_terminal_cmd", Kind: retold.ToolShell, Status: retold.StatusCompleted, Params: params, Result: result}})
}

// stream is a history of commits for git fast-import.
type stream struct {
	b     strings.Builder
	marks int
}

// commit adds a commit of whole files.
func (s *stream) commit(at time.Time, message string, files map[string]string) {
	s.marks++
	who := fmt.Sprintf("Ada <ada@example.org> %d +0000", at.Unix())
	fmt.Fprintf(&s.b, "commit refs/heads/main\nmark :%d\nauthor %s\ncommitter %s\ndata %d\n%s\n", s.marks, who, who, len(message), message)
	if s.marks > 1 {
		fmt.Fprintf(&s.b, "from :%d\n", s.marks-1)
	}
	for path, text := range files {
		fmt.Fprintf(&s.b, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
	}
}

// build makes the repository and returns it with its commits, oldest first.
func (s *stream) build(tb testing.TB) (*git.Repo, []string) {
	tb.Helper()
	dir := tb.TempDir()
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.email", "ada@example.org"}, {"fast-import", "--quiet"}, {"reset", "-q", "--hard"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(s.b.String())
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			tb.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	repo, err := git.Open(tb.Context(), dir)
	if err != nil {
		tb.Fatal(err)
	}
	ids, err := repo.List(tb.Context(), "main")
	if err != nil {
		tb.Fatal(err)
	}
	return repo, ids
}
