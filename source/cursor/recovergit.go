package cursor

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// repository is the repository that a conversation's record names, where that is
// another folder than its own and still there: of a worktree that is gone, the
// folder that it was made from.
func (f *finder) repository(c *chat, lost string) string {
	for _, dir := range []string{c.meta.place.repo, c.meta.place.worktree} {
		if dir != "" && dir != lost && filepath.IsAbs(dir) && isRepository(dir) {
			return filepath.Clean(dir)
		}
	}
	return ""
}

func isRepository(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".git"))
	return err == nil
}

// gitFolder is the folder that holds what all worktrees of a repository share: .git
// itself, or what the file of that name leads to. "" where there is none.
func gitFolder(dir string) string {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return git
	}
	text, err := os.ReadFile(git)
	to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
	if err != nil || !ok {
		return ""
	}
	own := onTheWay(dir, strings.TrimSpace(to))
	common, err := os.ReadFile(filepath.Join(own, "commondir")) //nolint:gosec // where git itself goes from there; only addresses of remotes are taken from it
	if err != nil {
		return own // a submodule has a repository of its own
	}
	return onTheWay(own, strings.TrimSpace(string(common)))
}

// onTheWay is a path as seen from a folder.
func onTheWay(from, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(from, path)
}

// How much the kinds of evidence that git gives weigh.
const (
	weighsRemote     = 1000 // the conversation mentions its remote
	weighsOthers     = 900  // another one about the same folder does
	weighsRepository = 800  // it is the repository itself
	weighsCommit     = 500  // the conversation mentions its first commit
)

// weighGit looks whether the conversation speaks of the folder's remote repository
// or of its first commit, or another one about the folder that is lost; and whether
// it is the repository that the conversation was about.
func (f *finder) weighGit(c *chat, lost, dir string) (evidence, error) {
	git := gitFolder(dir)
	if git == "" {
		return evidence{}, nil // no repository, or none that can be read
	}
	ours, first := remotes(filepath.Join(git, "config")), firstCommit(filepath.Join(git, "logs", "HEAD"))
	for _, about := range []struct {
		ids    []string
		weight int
		why    string
	}{{[]string{c.id}, weighsRemote, ""}, {f.about(c, lost), weighsOthers, ", of which another conversation about the folder speaks"}} {
		for _, name := range ours {
			if said, err := f.anySays(about.ids, spellings(name)...); err != nil || said {
				return evidence{about.weight, "its git remote is " + name + about.why}, err
			}
		}
	}
	if f.repository(c, lost) == dir {
		return evidence{weighsRepository, "it is the repository that it was about"}, nil
	}
	if first != "" {
		if said, err := f.anySays([]string{c.id}, first[:10]); err != nil || said {
			return evidence{weighsCommit, "its first commit is " + first[:10]}, err
		}
	}
	return evidence{}, nil
}

// spellings are the ways to write an address: host/owner/name and host:owner/name.
func spellings(name string) []string {
	host, path, _ := strings.Cut(name, "/")
	return []string{name, host + ":" + path}
}

// about are the other conversations about a folder.
func (f *finder) about(c *chat, folder string) []string {
	if folder == "" {
		return nil
	}
	if f.folders == nil {
		f.folders = map[string][]string{}
		for id, other := range f.g.chats {
			if path := f.g.place(other).Path; path != "" {
				f.folders[path] = append(f.folders[path], id)
			}
		}
	}
	return slices.DeleteFunc(slices.Sorted(slices.Values(f.folders[folder])), func(id string) bool { return id == c.id })
}

// remotes are the addresses in a repository's config, without scheme, user and
// ending: "host/owner/name".
func remotes(config string) (list []string) {
	text, err := os.ReadFile(config)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		key, url, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || strings.TrimSpace(key) != "url" {
			continue
		}
		url = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(url), "/"), ".git")
		if _, rest, scheme := strings.Cut(url, "://"); scheme {
			url = rest
		}
		if _, rest, user := strings.Cut(url, "@"); user {
			url = rest
		}
		if host, path, scp := strings.Cut(url, ":"); scp && !strings.Contains(host, "/") {
			url = host + "/" + path
		}
		if strings.Count(url, "/") >= 2 && !strings.HasPrefix(url, "/") {
			list = append(list, url)
		}
	}
	return list
}

// firstCommit is what HEAD was at first, by its log.
func firstCommit(log string) string {
	file, err := os.Open(log)
	if err != nil {
		return ""
	}
	line, _ := bufio.NewReader(file).ReadString('\n') // a log without a whole line names nothing
	if file.Close() != nil {
		return ""
	}
	words := strings.Fields(line)
	if len(words) < 2 || len(words[1]) < 40 {
		return ""
	}
	return words[1]
}

// anySays reports whether the records of a conversation mention something.
func (f *finder) anySays(ids []string, words ...string) (bool, error) {
	for _, id := range ids {
		for _, what := range words {
			if said, err := f.says(id, what); err != nil || said {
				return said, err
			}
		}
	}
	return false, nil
}

// says looks through one conversation, and remembers what it found.
func (f *finder) says(id, what string) (said bool, err error) {
	key := [2]string{id, what}
	if said, known := f.said[key]; known {
		return said, nil
	}
	err = f.db.Read(f.ctx, func(conn *sqlite.Conn) error {
		for _, family := range []string{"bubbleId:", "messageRequestContext:"} {
			prefix := family + id + ":"
			err := sqlitex.Execute(conn, "SELECT 1 FROM cursorDiskKV WHERE key >= ? AND key < ? AND instr(value, ?) LIMIT 1", &sqlitex.ExecOptions{
				Args: []any{prefix, end(prefix), what}, ResultFunc: func(*sqlite.Stmt) error { said = true; return nil },
			})
			if err != nil || said {
				return err
			}
		}
		return nil
	})
	if err == nil {
		if f.said == nil {
			f.said = map[[2]string]bool{}
		}
		f.said[key] = said
	}
	return said, err
}
