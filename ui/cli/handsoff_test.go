package cli_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/demo"
	"github.com/retold-history/retold/ui/cli"
)

// fingerprint is every file and folder below dir with its time, mode and
// content.
func fingerprint(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[path] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			out[path] += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// No command changes anything in another program's folders, or leaves anything
// there.
func TestHandsOff(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	home, err := demo.Make(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("RETOLD_HOME", filepath.Join(t.TempDir(), "retold"))
	t.Setenv("RETOLD_CURSOR_USER", home.CursorUser)
	t.Setenv("RETOLD_CURSOR_HOME", home.CursorHome)
	before := fingerprint(t, dir)
	if len(before) < 10 {
		t.Fatalf("the demo home holds %d files", len(before))
	}
	for _, args := range [][]string{
		nil,
		{"list", "--all", "--empty"},
		{"list", "--has", "error"},
		{"show", "1"},
		{"workspaces"},
		{"doctor"},
		{"export", "--all", "-o", filepath.Join(t.TempDir(), "out")},
		{"export", "--all", "--format", "jsonl", "-o", "-"},
		{"__complete", "show", ""},
		{"config"},
		{"sync", "--full"},
		{"search", "role:tool", "--sessions"},
		{"stats"},
		{"forget", "2", "--yes"},
		{"show", "no-such-session"},
	} {
		var out, errs bytes.Buffer
		status := cli.Run(t.Context(), args, cli.Streams{In: &bytes.Buffer{}, Out: &out, Err: &errs})
		if status != 0 && status != 4 || out.Len() == 0 && errs.Len() == 0 {
			t.Errorf("retold %v: status %d, %d bytes, %s", args, status, out.Len(), errs.String())
		}
		if diff := cmp.Diff(before, fingerprint(t, dir)); diff != "" {
			t.Fatalf("retold %v changed the home: %s", args, diff)
		}
	}
}
