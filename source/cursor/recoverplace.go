package cursor

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// folder is where a conversation can be shown again: its own folder when that is
// there, else the one that most speaks for; "" when nothing does, or as much for
// another.
func (f *finder) folder(c *chat) (path, because string, err error) {
	own := f.g.place(c)
	if own.Path != "" && !gone(own) {
		return own.Path, "", nil
	}
	if own.Path == "" {
		return "", "", nil
	}
	best, tie := evidence{}, false
	for _, dir := range f.beside(own.Path) {
		e, err := f.weigh(c, own.Path, dir)
		if err != nil {
			return "", "", err
		}
		switch {
		case e.weight == 0 || e.weight < best.weight:
		case e.weight == best.weight:
			tie = true
		default:
			best, tie, path = e, false, dir
		}
	}
	if tie {
		return "", "", nil
	}
	return path, best.why, nil
}

// evidence is what speaks for a folder; git counts most, then files, then names.
type evidence struct {
	weight int
	why    string
}

// mostCandidates bounds how many folders are looked at.
const mostCandidates = 2000

// beside are the folders that one may have become: those of known workspaces, and
// those around the place where it was, two levels deep.
func (f *finder) beside(lost string) []string {
	if list, known := f.candidates[lost]; known {
		return list
	}
	found := map[string]bool{}
	for _, w := range f.g.workspaces {
		if p := w.location.Path; p != "" && !strings.Contains(p, "://") && filepath.Ext(p) != ".code-workspace" && !gone(w.location) {
			found[p] = true
		}
	}
	root := filepath.Dir(lost)
	for range 3 {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			break
		}
		root = filepath.Dir(root)
	}
	if !tooHigh(filepath.ToSlash(root)) {
		for _, dir := range subfolders(root) {
			found[dir] = true
			for _, below := range subfolders(dir) {
				found[below] = true
			}
		}
	}
	list := make([]string, 0, len(found))
	for dir := range found {
		list = append(list, dir)
	}
	slices.Sort(list)
	list = list[:min(len(list), mostCandidates)]
	f.candidates[lost] = list
	return list
}

// subfolders are the folders in a folder; one that cannot be listed has none to
// suggest.
func subfolders(dir string) (list []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries[:min(len(entries), mostCandidates)] {
		if e.IsDir() && e.Name()[0] != '.' && e.Name() != "node_modules" {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}

// weigh says what speaks for one folder.
func (f *finder) weigh(c *chat, lost, dir string) (evidence, error) {
	files, there := 0, 0
	for _, p := range c.files {
		rest, below := strings.CutPrefix(p, lost+string(filepath.Separator))
		if !below {
			continue
		}
		files++
		if _, err := os.Stat(filepath.Join(dir, rest)); err == nil {
			there++
		}
	}
	named := strings.EqualFold(filepath.Base(lost), filepath.Base(dir))
	if e, err := f.weighGit(c, dir); err != nil || e.weight > 0 {
		return e, err
	}
	switch {
	case there > 0 && 2*there >= files:
		return evidence{10 + there, fmt.Sprintf("%d of %d files that it was about are there", there, files)}, nil
	case named:
		return evidence{1, "it has the same name"}, nil
	}
	return evidence{}, nil
}

// weighGit looks whether the conversation speaks of the folder's remote
// repository or of its first commit.
func (f *finder) weighGit(c *chat, dir string) (evidence, error) {
	git := filepath.Join(dir, ".git")
	if _, err := os.Stat(git); err != nil {
		return evidence{}, nil //nolint:nilerr // no repository, or none that can be read
	}
	for _, name := range remotes(filepath.Join(git, "config")) {
		host, path, _ := strings.Cut(name, "/")
		for _, spelled := range []string{name, host + ":" + path} {
			if said, err := f.says(c.id, spelled); err != nil || said {
				return evidence{1000, "its git remote is " + name}, err
			}
		}
	}
	if first := firstCommit(filepath.Join(git, "logs", "HEAD")); first != "" {
		if said, err := f.says(c.id, first[:10]); err != nil || said {
			return evidence{500, "its first commit is " + first[:10]}, err
		}
	}
	return evidence{}, nil
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

// says reports whether the records of a conversation mention something.
func (f *finder) says(id, what string) (said bool, err error) {
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
	return said, err
}
