package hook_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal/hook"
)

const old = "# >>> retold v1 >>>\n'/gone/retold' journal enqueue HEAD\n# <<< retold v1 <<<\n"

// Hooks that people have, what becomes of each, and that it is to the byte what it
// was when retold is taken out again.
func TestInstallIntoAHook(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		mode   os.FileMode
		state  hook.State
		first  bool
		reason string
	}{
		"a line":                  {"#!/bin/sh\necho mine >>ran\n", 0o755, hook.Installed, false, ""},
		"no end of line":          {"#!/bin/sh\necho mine >>ran", 0o755, hook.Installed, false, ""},
		"only an interpreter":     {"#!/bin/sh", 0o755, hook.Installed, false, ""},
		"nothing":                 {"", 0o755, hook.Installed, false, ""},
		"no interpreter":          {"echo mine >>ran\n", 0o755, hook.Installed, false, ""},
		"bash by env":             {"#!/usr/bin/env -S bash -u\necho mine >>ran\n", 0o755, hook.Installed, false, ""},
		"lines of Windows":        {"#!/bin/sh\n# a remark\r\necho mine >>ran #\r\n", 0o755, hook.Installed, false, ""},
		"exits":                   {"#!/bin/sh\necho mine >>ran\nif true; then exit 0; fi\n", 0o755, hook.Installed, true, "exit at line 3"},
		"execs, no end of line":   {"#!/bin/sh\nexec sh -c 'echo mine >>ran'", 0o755, hook.Installed, true, "exec at line 2"},
		"ends at an error":        {"#!/bin/sh\nset -eu\necho mine >>ran\nfalse\n", 0o755, hook.Installed, true, "first error (line 2)"},
		"ends at an error itself": {"#!/bin/sh -e\necho mine >>ran\nfalse\n", 0o755, hook.Installed, true, "first error (line 1)"},
		"ends at an error, long":  {"#!/bin/sh\nset -o errexit\necho mine >>ran\nfalse\n", 0o755, hook.Installed, true, "first error (line 2)"},
		"text in it":              {"#!/bin/sh\ncat >>ran <<END\nmine\nEND\n", 0o755, hook.Installed, true, "text of its own"},
		"goes on":                 {"#!/bin/sh\necho mine >>ran \\\n", 0o755, hook.Installed, true, "goes on"},
		"exit in a remark":        {"#!/bin/sh\n# exit 0\necho mine >>ran\n", 0o755, hook.Installed, false, ""},
		"an older block":          {"#!/bin/sh\necho mine >>ran\n" + old, 0o755, hook.Updated, false, ""},
		"lines behind a block":    {"#!/bin/sh\n" + old + "echo mine >>ran\n", 0o755, hook.Updated, false, ""},
		"python":                  {"#!/usr/bin/env python3\nopen('ran','a').write('mine')\n", 0o755, hook.ByHand, false, "a script for python3"},
		"node":                    {"#!/usr/bin/node\nconsole.log(1)\n", 0o755, hook.ByHand, false, "a script for node"},
		"fish":                    {"#!/usr/bin/fish\necho\n", 0o755, hook.ByHand, false, "a script for fish"},
		"a program":               {"\x7fELF\x00\x00", 0o755, hook.ByHand, false, "a program"},
		"not executable":          {"#!/bin/sh\necho mine >>ran\n", 0o644, hook.ByHand, false, "not executable"},
		"write-protected":         {"#!/bin/sh\necho mine >>ran\n", 0o555, hook.ByHand, false, "write-protected"},
		"half a block":            {"#!/bin/sh\n# >>> retold v1 >>>\necho mine >>ran\n", 0o755, hook.ByHand, false, "begins at line 2 has no end"},
		"the other half":          {"#!/bin/sh\n# <<< retold v1 <<<\n", 0o755, hook.ByHand, false, "ends at line 2 has no beginning"},
		"a later block":           {"#!/bin/sh\n# >>> retold v7 >>>\n:\n# <<< retold v7 <<<\n", 0o755, hook.ByHand, false, "a later retold"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(c.reason, "not executable") {
				t.Skip("no modes")
			}
			r := newRepo(t)
			path := filepath.Join(r.dir, ".git", "hooks", "post-commit")
			write(t, path, c.text, c.mode)
			h := r.install().Hooks[0]
			if h.State != c.state || h.First != c.first || !strings.Contains(h.Reason, c.reason) || h.Event != "post-commit" {
				t.Fatalf("%+v", h)
			}
			if c.state == hook.ByHand {
				if got := read(t, path); got != c.text {
					t.Errorf("it was changed: %q", got)
				}
				return
			}
			after := read(t, path)
			if again := r.install().Hooks[0]; again.State != hook.Unchanged || read(t, path) != after {
				t.Errorf("done again: %+v\n%s", again, read(t, path))
			}
			id := r.commit("a.txt", "one")
			if got := commits(r.events()); cmp.Diff([]string{"post-commit " + id}, got) != "" {
				t.Errorf("noted %v by\n%s", got, after)
			}
			if strings.Contains(c.text, "mine") && !strings.Contains(read(t, filepath.Join(r.dir, "ran")), "mine") {
				t.Error("what was in the hook did not run")
			}
			r.uninstall()
			if want, got := strings.Replace(c.text, old, "", 1), read(t, path); got != want {
				t.Errorf("taken out, it is %q, want %q", got, want)
			}
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != c.mode {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
}

// Where there was no hook, and no folder for one, there is none afterwards.
func TestInstallAlone(t *testing.T) {
	r := newRepo(t)
	hooks := filepath.Join(r.dir, ".git", "hooks")
	if err := os.RemoveAll(hooks); err != nil {
		t.Fatal(err)
	}
	dry, err := hook.PlanInstall(t.Context(), r.dir, hook.InstallOptions{Program: r.program()})
	if err != nil || dry.Hooks[0].State != hook.Installed {
		t.Fatal(dry, err)
	}
	if _, err := os.Stat(hooks); err == nil {
		t.Error("planning made the folder")
	}
	for _, h := range r.install().Hooks {
		if h.State != hook.Installed || h.Chained || h.Reason != "" {
			t.Errorf("%+v", h)
		}
	}
	id := r.commit("a.txt", "one")
	if got := commits(r.events()); len(got) != 1 || got[0] != "post-commit "+id {
		t.Errorf("noted %v", got)
	}
	mine := filepath.Join(hooks, "post-merge")
	write(t, mine, read(t, mine)+"echo mine\n", 0o755)
	r.uninstall()
	if all, err := os.ReadDir(hooks); err != nil || len(all) != 1 || read(t, mine) != "#!/bin/sh\necho mine\n" {
		t.Errorf("left: %v, %v", all, err)
	}
	if err := os.RemoveAll(hooks); err != nil {
		t.Fatal(err)
	}
	r.install()
	for i, want := range []hook.State{hook.Removed, hook.Absent} {
		for _, h := range r.uninstall().Hooks {
			if h.State != want {
				t.Errorf("uninstall %d: %+v", i+1, h)
			}
		}
	}
	if _, err := os.Stat(hooks); err == nil {
		t.Error("the folder is still there")
	}
}

func TestHooksPath(t *testing.T) {
	r := newRepo(t)
	noted := func(text string) []string { t.Helper(); r.commit("a.txt", text); return commits(r.events()) }
	// In the working tree.
	r.git("config", "core.hooksPath", ".githooks")
	h := r.install()
	if want := filepath.Join(r.dir, ".githooks"); h.Dir != want || h.Shared || len(h.Notes) == 0 {
		t.Errorf("%+v", h)
	}
	if got := noted(h.Dir); len(got) != 1 {
		t.Errorf("noted %v", got)
	}
	r.git("config", "--unset", "core.hooksPath")
	// For all repositories of a person.
	shared := filepath.Join(filepath.Dir(r.dir), "all hooks")
	r.git("config", "--global", "core.hooksPath", shared)
	h = r.install()
	if h.Dir != shared || !h.Shared || h.Hooks[0].State != hook.ByHand || !strings.Contains(h.Hooks[0].Line, "journal enqueue --event post-commit HEAD") {
		t.Errorf("%+v", h)
	}
	if _, err := os.Stat(shared); err == nil {
		t.Error("the shared folder was made")
	}
	h = r.installWith(r.dir, true)
	if h.Hooks[0].State != hook.Installed {
		t.Errorf("%+v", h)
	}
	if got := noted(h.Dir); len(got) != 1 {
		t.Errorf("noted %v", got)
	}
	if h = r.uninstall(); h.Hooks[0].State != hook.ByHand || !strings.Contains(h.Hooks[0].Reason, "--manage") {
		t.Errorf("%+v", h)
	}
	// Nowhere.
	r.git("config", "core.hooksPath", "/dev/null")
	_, err := hook.PlanInstall(t.Context(), r.dir, hook.InstallOptions{Program: r.program()})
	if e, ok := errors.AsType[*retold.Error](err); runtime.GOOS != "windows" && (!ok || !strings.Contains(e.Hint, "core.hooksPath")) {
		t.Errorf("hooks in /dev/null: %v", err)
	}
}

func TestHusky(t *testing.T) {
	r := newRepo(t)
	// As husky 9 sets it up: its own scripts below _, which run those of the person.
	write(t, filepath.Join(r.dir, ".husky/_/post-commit"), "#!/usr/bin/env sh\n[ ! -f .husky/post-commit ] || sh -e .husky/post-commit \"$@\"\n", 0o755)
	write(t, filepath.Join(r.dir, ".husky/pre-commit"), "true\n", 0o644)
	r.git("config", "core.hooksPath", ".husky/_")
	h := r.install()
	p := h.Hooks[0]
	if h.Manager != hook.Husky || p.State != hook.ByHand || p.AddTo != filepath.Join(r.dir, ".husky", "post-commit") || !strings.HasPrefix(p.Line, "command -v retold") {
		t.Errorf("%+v", p)
	}
	theirs := "echo mine >ran\nfalse\n"
	write(t, filepath.Join(r.dir, ".husky/post-commit"), theirs, 0o644)
	// retold is found in the PATH.
	bin := t.TempDir()
	if err := os.Symlink(r.program().Path, filepath.Join(bin, "retold")); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("RETOLD_HOME", r.home)
	if p = r.installWith(r.dir, true).Hooks[0]; p.State != hook.Installed || !p.First {
		t.Errorf("%+v", p)
	}
	id := r.commit("a.txt", "one")
	if got := commits(r.events()); len(got) != 1 || got[0] != "post-commit "+id || read(t, filepath.Join(r.dir, "ran")) != "mine\n" {
		t.Errorf("noted %v", got)
	}
	r.uninstall()
	if got := read(t, filepath.Join(r.dir, ".husky/post-commit")); got != theirs {
		t.Errorf("taken out, it is %q", got)
	}
	if _, err := os.Stat(filepath.Join(r.dir, ".husky/post-merge")); err == nil {
		t.Error("the file that was made is still there")
	}
}

func TestLefthook(t *testing.T) {
	r := newRepo(t)
	write(t, filepath.Join(r.dir, "lefthook.yml"), "pre-commit:\n  commands: {}\n", 0o644)
	p := r.install().Hooks[1]
	if p.State != hook.ByHand || p.Line != `post-rewrite: {commands: {retold: {run: "retold journal enqueue --event post-rewrite --given {1} HEAD"}}}`+"\n" || !strings.Contains(p.Reason, "lefthook install") {
		t.Errorf("%+v", p)
	}
	local := filepath.Join(r.dir, "lefthook-local.yml")
	for _, theirs := range []string{"", "---\n# mine\nskip_output: [meta]"} {
		if theirs != "" {
			write(t, local, theirs, 0o644)
		}
		for _, want := range []hook.State{hook.Installed, hook.Unchanged} {
			for _, p := range r.installWith(r.dir, true).Hooks {
				if p.State != want || p.Path != local {
					t.Errorf("%+v, want %s", p, want)
				}
			}
		}
		if text := read(t, local); strings.Count(text, "retold journal enqueue") != 3 || !strings.HasPrefix(text, theirs) {
			t.Errorf("it holds %s", text)
		}
		r.uninstall()
		if got, err := os.ReadFile(local); theirs != string(got) || theirs == "" && err == nil {
			t.Errorf("taken out, it is %q, %v", got, err)
		}
	}
	for _, theirs := range []string{"post-merge:\n  commands: {}\n", "{output: [meta]}\n", "a: 1\n---\nb: 2\n"} {
		write(t, local, theirs, 0o644)
		if p := r.installWith(r.dir, true).Hooks[0]; p.State != hook.ByHand || read(t, local) != theirs {
			t.Errorf("%q: %+v", theirs, p)
		}
	}
}

func TestPreCommit(t *testing.T) {
	r := newRepo(t)
	write(t, filepath.Join(r.dir, ".pre-commit-config.yaml"), "repos:\n", 0o644)
	p := r.install().Hooks[0]
	if p.State != hook.ByHand || !strings.Contains(p.Line, "entry: retold journal enqueue --event post-commit HEAD,") || !strings.HasSuffix(p.Reason, "pre-commit install --hook-type post-commit") {
		t.Errorf("%+v", p)
	}
	if p = r.installWith(r.dir, true).Hooks[0]; p.State != hook.Installed {
		t.Errorf("%+v", p)
	}
}

func TestLinkedHook(t *testing.T) {
	r := newRepo(t)
	script := filepath.Join(r.dir, "scripts", "commit.sh")
	write(t, script, "#!/bin/sh\ntrue\n", 0o755)
	link := filepath.Join(r.dir, ".git/hooks/post-commit")
	if err := os.Symlink(script, link); err != nil {
		t.Skip(err)
	}
	if p := r.install().Hooks[0]; p.State != hook.ByHand || !strings.Contains(p.Reason, "a link to "+script) {
		t.Errorf("%+v", p)
	}
	if p := r.installWith(r.dir, true).Hooks[0]; p.State != hook.Installed || !strings.Contains(read(t, script), "retold") {
		t.Errorf("%+v", p)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is none any more")
	}
	r.uninstall()
	if got := read(t, script); got != "#!/bin/sh\ntrue\n" {
		t.Errorf("taken out, it is %q", got)
	}
	if err := os.Remove(script); err != nil {
		t.Fatal(err)
	}
	if _, err := hook.PlanInstall(t.Context(), r.dir, hook.InstallOptions{Program: r.program()}); err == nil || !strings.Contains(err.Error(), "post-commit") {
		t.Errorf("a link that leads nowhere: %v", err)
	}
}

// A hook that changes after it was planned for is left as it is.
func TestChangedMeanwhile(t *testing.T) {
	r := newRepo(t)
	h, err := hook.PlanInstall(t.Context(), r.dir, hook.InstallOptions{Program: r.program()})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.dir, ".git/hooks/post-commit")
	write(t, path, "#!/bin/sh\n", 0o755)
	if err := h.Apply(t.Context()); err == nil || !strings.Contains(err.Error(), path) || read(t, path) != "#!/bin/sh\n" {
		t.Errorf("%v; it is %q", err, read(t, path))
	}
}

func TestLook(t *testing.T) {
	r := newRepo(t)
	look := func(p hook.Program) *hook.Hooks {
		t.Helper()
		h, err := hook.Look(t.Context(), r.dir, p)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	if h := look(r.program()); h.Working() || h.Hooks[0].State != hook.Absent {
		t.Errorf("%+v", h)
	}
	write(t, filepath.Join(r.dir, ".git/hooks/post-commit"), "#!/bin/sh\nexit 0\n", 0o755)
	r.install()
	if h := look(r.program()); !h.Working() || h.Hooks[0].State != hook.Installed || !h.Hooks[0].Chained || !h.Hooks[0].First || h.Hooks[0].Binary != r.program().Path || h.Hooks[0].Missing {
		t.Errorf("%+v", h)
	}
	gone := r.program()
	gone.Path = filepath.Join(r.dir, "no 'such' retold")
	if h := look(gone); h.Hooks[0].State != hook.Outdated || !h.Working() {
		t.Errorf("%+v", h)
	}
	plan, err := hook.PlanInstall(t.Context(), r.dir, hook.InstallOptions{Program: gone})
	if err == nil {
		err = plan.Apply(t.Context())
	}
	if h := look(gone); err != nil || h.Working() || !h.Hooks[0].Missing || h.Hooks[0].Binary != gone.Path {
		t.Errorf("%+v, %v", h.Hooks[0], err)
	}
	if runtime.GOOS != "windows" {
		r.install()
		if err := os.Chmod(filepath.Join(r.dir, ".git/hooks/post-commit"), 0o644); err != nil {
			t.Fatal(err)
		}
		if h := look(r.program()); h.Working() || h.Hooks[0].State != hook.Idle {
			t.Errorf("%+v", h)
		}
	}
	if _, err := hook.Look(t.Context(), t.TempDir(), gone); !errors.Is(err, retold.ErrUsage) {
		t.Errorf("no repository: %v", err)
	}
}
