package journal_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A stage plays a scenario: real repositories below root, conversations kept in
// memory until they are all written into one home.
type stage struct {
	ctx     context.Context
	s       scenario
	root    string
	now     time.Time
	repos   map[string]*stagePlace
	here    *stagePlace
	talks   map[string]*talk
	order   []*talk
	commits []*expected
	moves   []folderMove
	later   []cue // what happens after everybody has asked once
}

// A folderMove is a folder renamed while the scenario was played. What is asked about
// the commits before it is asked where it was.
type folderMove struct{ from, to string }

// A stagePlace is a repository, a clone, a worktree or a submodule.
type stagePlace struct {
	name, dir string
	ledger    *ledger
	elsewhere bool // on a colleague's machine, where these conversations are not
}

// expected is what has to be found out about a commit.
type expected struct {
	scenario *scenario
	label    string
	id       string
	at       time.Time
	dir      string // of the repository
	from     []string
	maybe    []string
	scored   bool // false: part of the scenery; still nothing may be linked to it
	kind     string
	files    map[string][]written // after the commit
}

func play(ctx context.Context, s scenario, root string) (*stage, error) {
	st := &stage{ctx: ctx, s: s, root: root, repos: map[string]*stagePlace{}, talks: map[string]*talk{}}
	for _, c := range s.cues {
		st.now = st.now.Add(pace[c.verb])
		if w := c.attr["wait"]; w != "" {
			d, err := time.ParseDuration(w)
			if err != nil {
				return st, err
			}
			st.now = st.now.Add(d)
		}
		if err := st.cue(c); err != nil {
			return st, fmt.Errorf("%s: %s %v: %w", s.name, c.verb, c.args, err)
		}
	}
	return st, nil
}

func (st *stage) cue(c cue) (err error) {
	switch c.verb {
	case "at":
		st.now, err = time.Parse("2006-01-02 15:04", c.args[0]+" "+c.args[1])
	case "repo", "in", "clone", "relocate":
		return st.enter(c)
	case "rm", "mv":
		return st.tidy(c)
	case "file": // made by a program: nobody's
		return st.save(c.args[0], c.body, "me")
	case "format":
		if err := st.here.ledger.format(c.args[0], c.body); err != nil {
			return err
		}
		return st.store(c.args[0], c.body)
	case "later":
		st.later = append(st.later, c)
	case "sh":
		if _, err := st.shell(c.body); err != nil {
			return err
		}
		return st.sync(c.attr["by"])
	case "edit", "write":
		return st.change(c)
	case "stage":
		return st.stageFile(c)
	case "commit":
		return st.commit(c)
	case "name":
		return st.name(c.args[0], c.args[1], c)
	case "lines":
		return st.mark(c)
	default:
		return st.talk(c)
	}
	return err
}

// environment is git's: nothing of this machine, every date the clock's.
func (st *stage) environment() []string {
	at := st.now.Format("2006-01-02T15:04:05Z")
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + st.root, "ROOT=" + st.root, "LC_ALL=C.UTF-8", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_COUNT=4", "GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always", "GIT_CONFIG_KEY_1=core.fsync", "GIT_CONFIG_VALUE_1=none",
		"GIT_CONFIG_KEY_2=gc.auto", "GIT_CONFIG_VALUE_2=0", "GIT_CONFIG_KEY_3=advice.detachedHead", "GIT_CONFIG_VALUE_3=false",
		"GIT_AUTHOR_DATE=" + at, "GIT_COMMITTER_DATE=" + at, "GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0",
	}
}

func (st *stage) shell(script string) (string, error) { return st.run("sh", "-e", "-c", script) }

func (st *stage) run(name string, args ...string) (string, error) {
	return st.runWith(nil, name, args...)
}

func (st *stage) runWith(env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(st.ctx, name, args...)
	cmd.Dir, cmd.Env = st.root, append(st.environment(), env...)
	if st.here != nil {
		cmd.Dir = st.here.dir
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s %v: %w\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// enter makes a repository, or goes to one.
func (st *stage) enter(c cue) error {
	name := c.args[0]
	switch c.verb {
	case "repo":
		st.here = &stagePlace{name: name, dir: filepath.Join(st.root, name), ledger: newLedger()}
		st.repos[name] = st.here
		return emptyRepository(st.here.dir, c.attr["remote"])
	case "clone":
		from := st.repos[name]
		st.here = nil
		if _, err := st.run("git", "clone", "-q", from.dir, filepath.Join(st.root, c.args[1])); err != nil {
			return err
		}
		st.adopt(c.args[1], from)
		_, err := st.shell("git config user.name Ada; git config user.email ada@example.com")
		if url := c.attr["remote"]; err == nil && url != "" {
			_, err = st.run("git", "remote", "set-url", "origin", url)
		}
		if err != nil {
			return err
		}
		return st.sync("")
	case "relocate":
		p := st.repos[name]
		to := filepath.Join(st.root, c.args[1])
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		st.moves = append(st.moves, folderMove{p.dir, to})
		err := os.Rename(p.dir, to)
		p.dir, st.repos[c.args[1]] = to, p
		delete(st.repos, name)
		return err
	}
	if p := st.repos[name]; p != nil {
		st.here = p
		return nil
	}
	from := st.repos[c.attr["like"]]
	if from == nil {
		return fmt.Errorf("nothing is named %s", name)
	}
	st.adopt(name, from)
	st.here.elsewhere = c.attr["kind"] == "elsewhere"
	return st.sync("")
}

func (st *stage) adopt(name string, from *stagePlace) {
	st.here = &stagePlace{name: name, dir: filepath.Join(st.root, name), ledger: from.ledger.like()}
	st.repos[name] = st.here
}

// emptyRepository is what git init makes, at the price of five files.
func emptyRepository(dir, remote string) error {
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tlogallrefupdates = true\n[user]\n\tname = Ada\n\temail = ada@example.com\n"
	if remote != "" {
		config += "[remote \"origin\"]\n\turl = " + remote + "\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
	}
	for _, sub := range []string{"objects/pack", "objects/info", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, ".git", sub), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".git", "config"), []byte(config), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644)
}
