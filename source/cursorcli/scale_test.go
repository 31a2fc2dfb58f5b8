package cursorcli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/retold-history/retold"
)

// longSession writes a session of that many turns (four messages each) as store
// and as transcript.
func longSession(t *testing.T, home, id string, turns int) {
	t.Helper()
	put := func(num protowire.Number, parts ...[]byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), []byte(strings.Join(texts(parts), "")))
	}
	dir := filepath.Join(home, "chats", "0123456789abcdef0123456789abcdef", id)
	var lines strings.Builder
	writeDB(t, filepath.Join(dir, "store.db"), func(conn *sqlite.Conn) error {
		if err := sqlitex.ExecuteScript(conn, `CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)`, nil); err != nil {
			return err
		}
		end, err := sqlitex.ImmediateTransaction(conn)
		if err != nil {
			return err
		}
		defer end(&err)
		var failed error
		blob := func(b []byte) []byte {
			sum := sha256.Sum256(b)
			err := sqlitex.Execute(conn, "INSERT OR IGNORE INTO blobs VALUES (?, ?)", &sqlitex.ExecOptions{Args: []any{hex.EncodeToString(sum[:]), b}})
			if err != nil {
				failed = err
			}
			return sum[:]
		}
		var root []byte
		for i := range turns {
			ask, think, answer := fmt.Sprintf("Question %d?", i%500), fmt.Sprintf("Thought %d.\n\nAnd more.", i), fmt.Sprintf("Answer %d.\n\nIt holds.", i)
			command := fmt.Sprintf("make step%d", i)
			user := blob(append(put(1, []byte(ask)), put(2, fmt.Appendf(nil, "user-%d", i))...))
			steps := [][]byte{
				put(2, blob(put(3, put(1, []byte(think))))), put(2, blob(put(1, put(1, []byte(answer))))),
				put(2, blob(put(2, put(1, put(1, put(1, []byte(command)))), put(57, fmt.Appendf(nil, "call-%d", i))))),
			}
			root = append(root, put(8, blob(put(1, append([][]byte{put(1, user)}, steps...)...)))...)
			root = append(root, put(1, blob(fmt.Appendf(nil, `{"role":"user","content":"<user_query>\n%s\n</user_query>"}`, ask)))...)
			root = append(root, put(1, blob(fmt.Appendf(nil, `{"role":"assistant","content":[{"type":"reasoning","text":%q},{"type":"text","text":%q},{"type":"tool-call","toolCallId":"call-%d","toolName":"Shell","args":{"command":%q}}]}`, think, answer, i, command)))...)
			root = append(root, put(1, blob(fmt.Appendf(nil, `{"role":"tool","content":[{"type":"tool-result","toolCallId":"call-%d","toolName":"Shell","result":"ok"}]}`, i)))...)
			fmt.Fprintf(&lines, `{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\n%s\n</user_query>"}]}}`+"\n", ask)
			fmt.Fprintf(&lines, `{"role":"assistant","message":{"content":[{"type":"text","text":%q},{"type":"tool_use","name":"Shell","input":{"command":%q}}]}}`+"\n", answer+"\n\n"+think, command)
		}
		meta := fmt.Sprintf(`{"agentId":%q,"latestRootBlobId":"%x","name":"Long","createdAt":1788264000000}`, id, blob(root))
		if err = failed; err != nil {
			return err
		}
		err = sqlitex.Execute(conn, "INSERT INTO meta VALUES ('0', ?)", &sqlitex.ExecOptions{Args: []any{fmt.Sprintf("%x", meta)}})
		return err
	})
	writeFile(t, filepath.Join(home, "projects", "p", "agent-transcripts", id, id+".jsonl"), []byte(lines.String()))
}

func texts(parts [][]byte) []string {
	out := make([]string, len(parts))
	for i := range parts {
		out[i] = string(parts[i])
	}
	return out
}

// A very long session is read whole, its questions being repeated over and over,
// and the transcript beside it adds nothing. Anything that grows with the square
// of the length would not come back.
func TestLongSession(t *testing.T) {
	home, id := t.TempDir(), "0d1e2f3a-0000-4000-8000-000000000000"
	const turns = 5_000
	longSession(t, home, id, turns)
	d, err := source(home).Session(t.Context(), retold.Ref{Agent: "cursor-cli", Place: home, ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Messages) != 4*turns || len(d.ProblemList) > 0 {
		t.Fatalf("%d messages, want %d; problems %v", len(d.Messages), 4*turns, d.ProblemList)
	}
	for i, m := range d.Messages {
		if m.Recovered || m.Orphan {
			t.Fatalf("message %d (%s %q) is there twice", i, m.Role, m.Content)
		}
		if m.Role == retold.RoleTool && (m.Tool.Result == nil || m.Tool.Status != retold.StatusCompleted) {
			t.Fatalf("message %d lacks the result that the prompts have: %+v", i, m.Tool)
		}
	}
}
