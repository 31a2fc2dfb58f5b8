package git

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// MadeOn returns the branch that each commit was made on in this working tree, by
// its full id, as far as the log of HEAD reaches back (90 days, unless configured
// otherwise). A commit that was fetched is not in it, nor one made on no branch.
func (r *Repo) MadeOn() (map[string]string, error) {
	data, err := os.ReadFile(filepath.Join(r.GitDir, "logs", "HEAD"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	head, err := os.ReadFile(filepath.Join(r.GitDir, "HEAD"))
	if err != nil {
		return nil, err
	}
	branch, _ := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	return madeOn(data, branch), nil
}

// madeOn reads the log of HEAD from its end, where the branch is known, back to
// its beginning.
func madeOn(log []byte, branch string) map[string]string {
	made := map[string]string{}
	lines := bytes.Split(bytes.TrimSuffix(log, []byte("\n")), []byte("\n"))
	rebasing := false // between the end of a rebase and its start HEAD is on no branch
	for _, line := range slices.Backward(lines) {
		head, what, ok := bytes.Cut(line, []byte("\t"))
		ids := bytes.Fields(head)
		if !ok || len(ids) < 2 {
			continue
		}
		verb, rest, _ := strings.Cut(string(what), ": ")
		id := string(ids[1])
		switch {
		case verb == "checkout":
			if from, ok := strings.CutPrefix(rest, "moving from "); ok {
				branch, _, _ = strings.Cut(from, " to ")
			}
		case strings.HasPrefix(verb, "rebase") && strings.HasSuffix(verb, "(finish)"):
			rebasing = true
		case strings.HasPrefix(verb, "rebase") && strings.HasSuffix(verb, "(start)"):
			rebasing = false
		case strings.HasPrefix(verb, "commit"), verb == "cherry-pick", verb == "revert", strings.HasPrefix(verb, "merge"), rebasing:
			if _, later := made[id]; !later && branch != "" && !isID(branch) {
				made[id] = branch
			}
		}
	}
	return made
}

// isID reports whether a name is that of a commit: HEAD was on no branch.
func isID(name string) bool {
	return len(name) >= 40 && strings.Trim(name, "0123456789abcdef") == ""
}
