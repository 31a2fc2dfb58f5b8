package journal

import (
	"strings"

	"github.com/retold-history/retold"
)

// CommitsOf is commitsOf in words: the message, the id, whether it is unsure.
func CommitsOf(m *retold.Message) (out []string) {
	for _, c := range commitsOf(m) {
		s := c.message
		if c.printed != "" {
			s += " " + c.printed
		}
		if c.unsure {
			s += " unsure"
		}
		out = append(out, s)
	}
	return out
}

// GitFolders are the folders of the commits in a script.
func GitFolders(script, cwd string) string {
	var out []string
	for _, c := range gitCommits(script, cwd) {
		out = append(out, c.cwd)
	}
	return strings.Join(out, " ")
}
