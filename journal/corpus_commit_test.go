package journal_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// people are the authors that scenarios name; others get an address of their own.
var people = map[string]string{
	"":                    "Ada <ada@example.com>",
	"lin":                 "Lin <lin@example.com>",
	"dependabot":          "dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>",
	"renovate":            "renovate[bot] <29139614+renovate[bot]@users.noreply.github.com>",
	"actions":             "github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>",
	"precommit":           "pre-commit-ci[bot] <66853113+pre-commit-ci[bot]@users.noreply.github.com>",
	"weblate":             "Weblate (bot) <hosted@weblate.org>",
	"semantic-release":    "semantic-release-bot <semantic-release-bot@martynus.net>",
	"cursoragent":         "Cursor Agent <cursoragent@cursor.com>",
	"ada-work":            "Ada Byron <ada.byron@work.example>",
	"greenkeeper-private": "deps-bot <deps-bot@company.example>",
}

// commit commits everything, or with staged= what was staged, as a person or in
// a conversation (via=).
func (st *stage) commit(c cue) error {
	message := strings.TrimSuffix(c.body, "\n")
	if c.attr["staged"] == "" {
		if _, err := st.run("git", "add", "-A"); err != nil {
			return err
		}
	}
	now := st.now
	if skew := c.attr["skew"]; skew != "" {
		d, err := time.ParseDuration(skew)
		if err != nil {
			return err
		}
		st.now = now.Add(d)
	}
	name, email, _ := strings.Cut(people[c.attr["author"]], " <")
	env := []string{"GIT_AUTHOR_NAME=" + name, "GIT_AUTHOR_EMAIL=" + strings.TrimSuffix(email, ">")}
	if by := c.attr["committer"]; by != "" {
		name, email, _ = strings.Cut(people[by], " <")
	}
	env = append(env, "GIT_COMMITTER_NAME="+name, "GIT_COMMITTER_EMAIL="+strings.TrimSuffix(email, ">"))
	args := []string{"commit", "-m", message}
	if c.attr["empty"] != "" {
		args = append(args, "--allow-empty")
	}
	if date := c.attr["date"]; date != "" { // of the author, who says so
		args = append(args, "--date="+date)
	}
	if c.attr["form"] == "amend" {
		args = []string{"commit", "--amend", "--no-edit"}
	}
	printed, err := st.runWith(env, "git", args...)
	st.now = now
	if err != nil {
		return err
	}
	if via := c.attr["via"]; via != "" {
		if err := st.tell(via, said{kind: "shell", command: commitCommand(c.attr["form"], message, st.here.dir), output: printed}); err != nil {
			return err
		}
	}
	if len(c.args) == 0 {
		c.args = []string{""}
	}
	return st.name(c.args[0], "HEAD", c)
}

// commitCommand is how agents write a commit with a message.
func commitCommand(form, message, dir string) string {
	subject, body, _ := strings.Cut(message, "\n\n")
	quoted := "'" + strings.ReplaceAll(message, "'", `'\''`) + "'"
	switch form {
	case "heredoc":
		return "git add -A && git commit -m \"$(cat <<'EOF'\n" + message + "\nEOF\n)\""
	case "file":
		return "git add -A\ngit commit -F - <<'EOF'\n" + message + "\nEOF"
	case "twice":
		return fmt.Sprintf("git add -A && git commit -m %q -m %q", subject, body)
	case "cd":
		return "cd " + dir + " && git add . && git commit -am " + quoted + " && git push"
	case "config":
		return "git -c user.useConfigOnly=true -C " + dir + " commit --all --message=" + quoted
	case "amend":
		return "git add -A && git commit --amend --no-edit"
	}
	return "git add -A && git commit -m " + quoted
}

// name keeps a commit with what is expected of it.
func (st *stage) name(label, rev string, c cue) error {
	id, err := st.resolve(rev)
	if err != nil {
		return err
	}
	_, scored := c.attr["from"]
	e := &expected{
		scenario: &st.s, label: label, id: id, at: st.now, dir: st.here.dir, scored: scored, kind: c.attr["kind"],
		from: turnRefs(c.attr["from"]), maybe: turnRefs(c.attr["maybe"]), files: maps.Clone(st.here.ledger.files),
	}
	for _, ref := range slices.Concat(e.from, e.maybe) {
		session, _, _ := strings.Cut(ref, "#")
		if st.talks[session] == nil {
			return fmt.Errorf("no session %s", session)
		}
	}
	if c.attr["staged"] != "" || c.verb == "name" {
		e.files = nil // to be read from git
		if err := st.snapshot(e); err != nil {
			return err
		}
	}
	st.commits = append(st.commits, e)
	return nil
}

// snapshot learns who wrote the files of a commit that are not those that lie there.
func (st *stage) snapshot(e *expected) error {
	list, err := st.run("git", "-c", "core.quotePath=false", "diff-tree", "--root", "-r", "-m", "--no-commit-id", "--name-only", "--diff-filter=d", e.id)
	if err != nil {
		return err
	}
	e.files = map[string][]written{}
	for path := range strings.SplitSeq(list, "\n") {
		if path == "" {
			continue
		}
		text, err := st.run("git", "cat-file", "-p", e.id+":"+path)
		if err != nil {
			return err
		}
		e.files[path] = st.here.ledger.match(st.here.ledger.files[path], textLines(text+"\n"), "")
	}
	return nil
}

// resolve is git rev-parse, which it spares where a file says as much.
func (st *stage) resolve(rev string) (string, error) {
	if rev == "HEAD" {
		head, err := os.ReadFile(filepath.Join(st.here.dir, ".git", "HEAD"))
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: "); err == nil && ok {
			if id, err := os.ReadFile(filepath.Join(st.here.dir, ".git", ref)); err == nil {
				return strings.TrimSpace(string(id)), nil
			}
		}
	}
	return st.run("git", "rev-parse", rev)
}
