package sourcetest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/retold-history/retold"
)

var (
	statuses = []retold.ToolStatus{"", retold.StatusCompleted, retold.StatusPending, retold.StatusFailed, retold.StatusCancelled}
	kinds    = []retold.ToolKind{
		retold.ToolRead, retold.ToolEdit, retold.ToolShell, retold.ToolSearch, retold.ToolList, retold.ToolWeb,
		retold.ToolMCP, retold.ToolTask, retold.ToolTodo, retold.ToolPlan, retold.ToolOther,
	}
	timeSources = []retold.TimeSource{retold.TimeStored, retold.TimeTiming, retold.TimeInterpolated, retold.TimeSession}
)

// CheckDetail checks a session against the contract of product.md.
func CheckDetail(t *testing.T, d *retold.SessionDetail) {
	t.Helper()
	if d.MessageCount != len(d.Messages) || d.Problems != len(d.ProblemList) {
		t.Errorf("counts say %d messages, %d problems; there are %d and %d", d.MessageCount, d.Problems, len(d.Messages), len(d.ProblemList))
	}
	moment(t, "session", d.CreatedAt)
	moment(t, "session", d.UpdatedAt)
	ids := map[string]bool{}
	ended := false
	for i := range d.Messages {
		m := &d.Messages[i]
		where := fmt.Sprintf("message %d (%s)", i, m.ID)
		if m.ID == "" || ids[m.ID] || m.Index != i {
			t.Errorf("%s: id empty or not unique, or index %d", where, m.Index)
		}
		ids[m.ID] = true
		if !slices.Contains(retold.Roles, m.Role) {
			t.Errorf("%s: role %q", where, m.Role)
		}
		if (m.Tool != nil) != (m.Role == retold.RoleTool) {
			t.Errorf("%s: role %s, tool %v", where, m.Role, m.Tool)
		}
		if m.Tool != nil {
			tool(t, where, m.Tool)
		}
		moment(t, where, m.Timestamp)
		if m.Timestamp.IsZero() != (m.TimestampSource == "") || m.TimestampSource != "" && !slices.Contains(timeSources, m.TimestampSource) {
			t.Errorf("%s: time %v from %q", where, m.Timestamp, m.TimestampSource)
		}
		beyond := m.Orphan || m.Recovered
		if ended && !beyond {
			t.Errorf("%s: conversation goes on after orphans or recovered messages", where)
		}
		ended = ended || beyond
	}
	for _, p := range d.ProblemList {
		if p.Kind == "" || p.Reason == "" {
			t.Errorf("problem without kind or reason: %+v", p)
		}
	}
	if out, err := json.Marshal(d); err != nil || !json.Valid(out) {
		t.Errorf("the session's JSON: %v", err)
	}
}

func moment(t *testing.T, where string, at time.Time) {
	t.Helper()
	if !at.IsZero() && at.Location() != time.UTC {
		t.Errorf("%s: time %v is not in UTC", where, at)
	}
}

func tool(t *testing.T, where string, c *retold.ToolCall) {
	t.Helper()
	if c.Params != nil && (!json.Valid(c.Params) || c.Params[0] != '{') {
		t.Errorf("%s: params are no JSON object: %.200s", where, c.Params)
	}
	if c.Result != nil && !json.Valid(c.Result) {
		t.Errorf("%s: result is not JSON: %.200s", where, c.Result)
	}
	if !slices.Contains(statuses, c.Status) || !slices.Contains(kinds, c.Kind) {
		t.Errorf("%s: status %q, kind %q", where, c.Status, c.Kind)
	}
}

// Tree lists a folder: every file and link with size, mode, modification time and
// digest, every folder with its mode.
func Tree(t *testing.T, root string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	dir, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	}()
	err = fs.WalkDir(dir.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		tree[path] = info.Mode().String()
		if !info.Mode().IsRegular() {
			return nil
		}
		b, err := dir.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		tree[path] = fmt.Sprintf("%s %d %s %s", info.Mode(), info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano), hex.EncodeToString(sum[:8]))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
