package cursor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUnifiedApplies has git apply the diffs of random edits.
func TestUnifiedApplies(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git to apply diffs with")
	}
	rng := rand.New(rand.NewPCG(1, 9))
	for i := range 300 {
		lines := make([]string, rng.IntN(90))
		for j := range lines {
			lines[j] = fmt.Sprintf("line %d\n", rng.IntN(6))
		}
		before := strings.Join(lines, "")
		changed := slices.Clone(lines)
		for range 1 + rng.IntN(3) {
			at := rng.IntN(len(changed) + 1)
			switch rng.IntN(3) {
			case 0:
				changed = slices.Insert(changed, at, fmt.Sprintf("new %d\n", i))
			case 1:
				changed = slices.Delete(changed, min(at, len(changed)), min(at+2, len(changed)))
			default:
				changed = append(changed, "last without an end"[:rng.IntN(19)])
			}
		}
		after := strings.Join(changed, "")
		if before == "" || after == "" || before == after {
			continue
		}
		dir := t.TempDir()
		file := filepath.Join(dir, "f")
		if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		d := unified("f", before, after)
		cmd := exec.CommandContext(t.Context(), git, "apply", "--whitespace=nowarn", "-")
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(d)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		out, err := cmd.CombinedOutput()
		got, readErr := os.ReadFile(file)
		if err != nil || readErr != nil || string(got) != after {
			t.Fatalf("%v %s\nbefore %q\nafter  %q\ngot    %q\n%s", err, out, before, after, got, d)
		}
	}
}
