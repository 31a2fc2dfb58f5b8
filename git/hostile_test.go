package git_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold/git"
)

// A trap is a repository whose configuration names programs wherever git can be
// told to run one. Each leaves a file that says that it was run.
type trap struct {
	*repo
	marks string
	ids   []string
}

func (x *trap) program(name string) string {
	path := filepath.Join(x.marks, "programs", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		x.t.Fatal(err)
	}
	script := "#!/bin/sh\n: > '" + filepath.Join(x.marks, name) + "'\n"
	if strings.HasPrefix(name, "clean") || strings.HasPrefix(name, "textconv") {
		script += "cat \"$@\"\n"
	}
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		x.t.Fatal(err)
	}
	return path
}

// ran are the programs that were run since it was asked last.
func (x *trap) ran() (list []string) {
	x.t.Helper()
	entries, err := os.ReadDir(x.marks)
	if err != nil {
		x.t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		list = append(list, e.Name())
		if err := os.Remove(filepath.Join(x.marks, e.Name())); err != nil {
			x.t.Fatal(err)
		}
	}
	return list
}

func (x *trap) set(key, value string) { x.git("config", key, value) }

// newTrap makes a history with a merge, a tag and a file that waits to be
// committed, and only then sets the traps: git itself would step into them.
func newTrap(t *testing.T) *trap {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	x := &trap{repo: newRepo(t), marks: t.TempDir()}
	x.write(".gitattributes", "*.txt diff=evil filter=evil\n*.odd filter=a=b\n*.run filter=long diff=bin\n")
	for _, name := range []string{"a.txt", "b.odd", "c.run"} {
		x.write(name, "first line\nsecond line\n")
	}
	x.commit("one")
	x.git("checkout", "-q", "-b", "side")
	x.write("a.txt", "first line\nsecond line, aside\n")
	x.commit("aside")
	x.git("checkout", "-q", "main")
	x.write("a.txt", "first line\nsecond line, ahead\n")
	x.commit("ahead")
	cmd := exec.Command("git", "-C", x.dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "merge", "-q", "side")
	if err := cmd.Run(); err == nil {
		t.Fatal("the merge has no conflict")
	}
	x.write("a.txt", "first line\nsecond line, both\n")
	x.commit("merged")
	x.ids = strings.Fields(x.git("rev-list", "--reverse", "HEAD"))
	for _, name := range []string{"a.txt", "b.odd", "c.run"} {
		x.write(name, "first line\nsecond line\nnot committed\n")
	}
	x.arm()
	return x
}

func (x *trap) arm() {
	for key, name := range map[string]string{
		"core.fsmonitor": "fsmonitor", "core.pager": "pager", "pager.log": "pager", "pager.blame": "pager", "core.editor": "editor",
		"core.askPass": "askpass", "core.sshCommand": "ssh", "core.gitProxy": "proxy", "core.alternateRefsCommand": "alternates", "credential.helper": "helper",
		"diff.external": "external", "diff.evil.command": "command", "diff.evil.textconv": "textconv", "diff.bin.textconv": "textconv-bin", "diff.bin.command": "command-bin",
		"filter.evil.clean": "clean", "filter.evil.smudge": "smudge", "filter.a=b.clean": "clean-odd", "filter.long.process": "process", "merge.evil.driver": "driver",
		"gpg.program": "gpg", "gpg.ssh.program": "gpg-ssh", "interactive.diffFilter": "interactive", "uploadpack.packObjectsHook": "pack", "sequence.editor": "sequence",
	} {
		x.set(key, x.program(name))
	}
	for _, name := range []string{"log", "blame", "rev-parse", "config", "cat-file", "notes"} {
		x.set("alias."+name, "!"+x.program("alias-"+name))
	}
	for key, value := range map[string]string{
		"filter.evil.required": "true", "filter.long.required": "true", "log.showSignature": "true", "log.diffMerges": "remerge", "log.mailmap": "true", "diff.evil.cachetextconv": "true",
		"diff.submodule": "log", "diff.ignoreSubmodules": "none", "core.untrackedCache": "true", "status.submoduleSummary": "true", "blame.coloring": "highlightRecent", "blame.ignoreRevsFile": "none",
		"core.hooksPath": filepath.Join(x.marks, "programs"), "core.attributesFile": filepath.Join(x.dir, ".gitattributes"), "format.pretty": "%G? %H", "protocol.allow": "always",
		"protocol.ext.allow": "always", "protocol.file.allow": "always",
	} {
		x.set(key, value)
	}
	for _, hook := range []string{"reference-transaction", "post-index-change", "pre-auto-gc", "post-commit", "fsmonitor-watchman"} {
		x.program(hook)
	}
}

// touch makes the files of the working tree look changed to the index.
func (x *trap) touch() {
	for _, name := range []string{"a.txt", "b.odd", "c.run"} {
		if err := os.Chtimes(filepath.Join(x.dir, name), time.Now(), time.Now()); err != nil {
			x.t.Fatal(err)
		}
	}
}

// limited is for a git that steps into traps, and may wait in one.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// asked asks everything that a repository can be asked.
func (x *trap) asked(dir string) {
	x.t.Helper()
	ctx := x.t.Context()
	r, err := git.Open(ctx, dir)
	if err != nil {
		x.t.Fatal(err)
	}
	note := func(what string, err error) {
		if err != nil {
			x.t.Errorf("%s: %v", what, err)
		}
	}
	for c, err := range r.Commits(ctx, git.Ask{}) {
		note("log", err)
		if err == nil {
			_, err = r.PatchID(ctx, c.ID)
			note("patch id", err)
			_, err = r.Commit(ctx, c.ID)
			note("commit", err)
		}
	}
	for _, path := range []string{"a.txt", "b.odd", "c.run"} {
		for _, rev := range []string{"", "HEAD"} {
			if rev == "" && r.Bare {
				continue
			}
			lines := 0
			for line, err := range r.Blame(ctx, git.BlameAsk{Rev: rev, Path: path, Far: true}) {
				note("blame "+path, err)
				if lines++; err == nil && !strings.Contains(line.Text, "line") && line.Text != "not committed" {
					x.t.Errorf("line %q of %s", line.Text, path)
				}
			}
			if lines < 2 {
				x.t.Errorf("%d lines of %s", lines, path)
			}
		}
		_, err := r.File(ctx, "HEAD", path)
		note("file", err)
	}
	_, err = r.List(ctx, "HEAD")
	note("list", err)
	_, _, err = r.Identity(ctx)
	note("identity", err)
	_, err = r.Worktrees(ctx)
	note("worktrees", err)
	_, err = r.Submodules(ctx)
	note("submodules", err)
	_, err = r.Superproject(ctx)
	note("superproject", err)
	_, err = r.HooksDir(ctx)
	note("hooks", err)
	note("set note", r.SetNote(ctx, "retold", x.ids[0], "a note"))
	_, err = r.Note(ctx, "retold", x.ids[0])
	note("note", err)
	note("drop note", r.DropNote(ctx, "retold", x.ids[0]))
}

// Nothing that a repository's configuration names is run by asking it, in none of
// the ways in which git can be told to: a repository may have come with an archive,
// or lie inside another one.
func TestHostileRepository(t *testing.T) {
	x := newTrap(t)
	// That the traps work: git by itself steps into them.
	x.touch()
	for _, args := range [][]string{{"status"}, {"log", "-p", "--ext-diff"}, {"blame", "--no-ignore-revs-file", "a.txt"}, {"blame", "--no-ignore-revs-file", "b.odd"}, {"blame", "--no-ignore-revs-file", "c.run"}, {"diff", "HEAD~1"}, {"notes", "add", "-m", "x", "HEAD"}} {
		cmd := exec.CommandContext(limited(t), "git", args...)
		cmd.Dir = x.dir
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com")
		_ = cmd.Run() // some of the traps make git fail
	}
	sprung := x.ran()
	for _, name := range []string{"fsmonitor", "external", "command", "textconv", "clean", "clean-odd", "process", "reference-transaction"} {
		if !slices.Contains(sprung, name) {
			t.Errorf("the trap %s does not work: only %v do", name, sprung)
		}
	}
	x.t.Setenv("GIT_COMMITTER_NAME", "x") // is not passed on
	x.set("user.name", "Ada")
	x.set("user.email", "ada@example.com")
	x.ran()
	x.touch()
	x.asked(x.dir)
	if ran := x.ran(); len(ran) > 0 {
		t.Errorf("asking ran %v", ran)
	}
	// A repository that lies inside it.
	inner := &repo{t: t, dir: filepath.Join(x.dir, "inner")}
	inner.write("f", "f\n")
	inner.git("init", "-q")
	x.ran()
	if _, err := inner.open().Superproject(t.Context()); err != nil {
		t.Error(err)
	}
	if ran := x.ran(); len(ran) > 0 {
		t.Errorf("asking for the repository around another ran %v", ran)
	}
	// A bare repository among the files of another one.
	bare := filepath.Join(x.dir, "vendor")
	if err := os.CopyFS(bare, os.DirFS(filepath.Join(x.dir, ".git"))); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "config", "-f", filepath.Join(bare, "config"), "core.bare", "true")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	x.ran()
	x.asked(bare)
	if ran := x.ran(); len(ran) > 0 {
		t.Errorf("asking the bare one ran %v", ran)
	}
}

// What a partial clone lacks is not fetched, however the remote is called.
func TestHostileRemote(t *testing.T) {
	x := newTrap(t)
	blob := x.git("rev-parse", "HEAD:a.txt")
	if err := os.Remove(filepath.Join(x.dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"core.repositoryFormatVersion": "1", "extensions.partialClone": "origin", "remote.origin.promisor": "true", "remote.origin.partialCloneFilter": "blob:none",
		"remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*", "remote.origin.uploadpack": x.program("uploadpack"),
	} {
		x.set(key, value)
	}
	for _, url := range []string{"ext::" + x.program("remote") + " x", "ssh://example.com/x", x.dir, "file://" + x.dir} {
		x.set("remote.origin.url", url)
		x.ran()
		cmd := exec.CommandContext(limited(t), "git", "cat-file", "blob", "HEAD:a.txt")
		cmd.Dir = x.dir
		_ = cmd.Run() // there is nothing to fetch from
		if len(x.ran()) == 0 {
			t.Errorf("%s: the trap does not work", url)
		}
		r := x.open()
		if _, err := r.File(t.Context(), "HEAD", "a.txt"); err == nil {
			t.Errorf("%s: the file is there", url)
		}
		for _, err := range r.Blame(t.Context(), git.BlameAsk{Rev: "HEAD", Path: "a.txt"}) {
			if err == nil {
				t.Errorf("%s: a line is there", url)
			}
			break
		}
		if ran := x.ran(); len(ran) > 0 {
			t.Errorf("%s: asking ran %v", url, ran)
		}
	}
}

// A filter that the person has set up is theirs, also when the repository names
// another program for it.
func TestOwnFilter(t *testing.T) {
	x := newTrap(t)
	global := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(global, []byte("[filter \"evil\"]\n\tclean = tr x y\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	x.write("a.txt", "first line\nsecond line, both\nx marks the place\n")
	var texts []string
	for line, err := range x.open().Blame(t.Context(), git.BlameAsk{Path: "a.txt"}) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, line.Text)
	}
	if diff := cmp.Diff([]string{"first line", "second line, both", "y marks the place"}, texts); diff != "" {
		t.Error(diff)
	}
	if ran := x.ran(); len(ran) > 0 {
		t.Errorf("asking ran %v", ran)
	}
}

// A revision is never taken for an option: one of blame's reads any file.
func TestRevisionIsNoOption(t *testing.T) {
	r := newRepo(t)
	r.write("f", "f\n")
	r.commit("one")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("a secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	for _, rev := range []string{"--contents=" + secret, "--output=" + out, "-h", "--", "--help"} {
		for line, err := range r.open().Blame(t.Context(), git.BlameAsk{Rev: rev, Path: "f"}) {
			if err == nil {
				t.Errorf("blame as of %q: %+v", rev, line)
			}
			break
		}
		if text, err := r.open().File(t.Context(), rev, "f"); err == nil {
			t.Errorf("the file as of %q: %q", rev, text)
		}
		if id, err := r.open().Resolve(t.Context(), rev); err == nil {
			t.Errorf("%q is %s", rev, id)
		}
		if ids, err := r.open().List(t.Context(), rev); err == nil {
			t.Errorf("%q lists %v", rev, ids)
		}
		if err := r.open().SetNote(t.Context(), "retold", rev, "x"); err == nil {
			t.Errorf("a note of %q", rev)
		}
		if id, err := r.open().PatchID(t.Context(), rev); err == nil {
			t.Errorf("%q has the patch %q", rev, id)
		}
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was written: %v", err)
	}
}
