package journal_test

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// addedLines are the numbers of the lines that commits add, by commit and file;
// nothing for merges.
func addedLines(ctx context.Context, st *stage, dir string, ids []string) (map[string]map[string][]int, error) {
	cmd := exec.CommandContext(ctx, "git", "-c", "core.quotePath=false", "diff-tree", "--stdin", "--root", "-p", "-U0", "-M", "--diff-filter=d")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, st.environment(), strings.NewReader(strings.Join(ids, "\n")+"\n")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git diff-tree in %s: %w", dir, err)
	}
	all := map[string]map[string][]int{}
	id, path := "", ""
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) == 40 && strings.Trim(line, "0123456789abcdef") == "" {
			id = line
			all[id] = map[string][]int{}
		}
		if p, ok := strings.CutPrefix(line, "+++ "); ok {
			path = strings.TrimSuffix(p, "\t")
			if plain, err := strconv.Unquote(path); err == nil {
				path = plain
			}
			path = strings.TrimPrefix(path, "b/")
		}
		if !strings.HasPrefix(line, "@@ -") {
			continue
		}
		from, count := 0, 1
		stagePlace, _, _ := strings.Cut(strings.SplitN(line, "+", 2)[1], " ")
		if _, err := fmt.Sscanf(strings.Replace(stagePlace+",1", ",", " ", 1), "%d %d", &from, &count); err != nil {
			return nil, err
		}
		for n := from; n < from+count; n++ {
			all[id][path] = append(all[id][path], n)
		}
	}
	return all, nil
}
