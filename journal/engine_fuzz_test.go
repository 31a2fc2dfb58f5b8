package journal_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/journal"
)

// seeds are the diffs and commands of the goldens of Cursor's formats.
func seeds(f *testing.F, member string) {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "source", "cursor*", "testdata", "*.txtar"))
	if err != nil || len(paths) == 0 {
		f.Fatal("no goldens", err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if _, value, ok := strings.Cut(strings.TrimSpace(line), `"`+member+`": `); ok {
				var s string
				if json.Unmarshal([]byte(strings.TrimSuffix(value, ",")), &s) == nil {
					f.Add(s)
				}
			}
		}
	}
}

// What a diff is said to change stands in the diff.
func FuzzReadDiff(f *testing.F) {
	seeds(f, "diff")
	f.Add("--- a/x\n+++ b/x\n@@ -1,99999999999 +1 @@\n-a\n")
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range journal.ReadDiff(s) {
			if (l[0] == '+' || l[0] == '-') && l != "--" && !strings.Contains(s, l) {
				t.Errorf("%q is not in %q", l, s)
			}
		}
	})
}

// A shell script never stops its reader, and a document is written as it stands.
func FuzzReadShell(f *testing.F) {
	seeds(f, "command")
	for _, s := range []string{"cat <<EOF >x\n$(a)\nEOF\n", "git commit -m \"$(cat <<'E'\n)\"'\nE\n)\"", "a `b \\` c` \"$(d \"e\" $(f))\" <<- X", "((((", "<<<<<<", "echo $'\\", "a\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		journal.GitCommits(s, "/w")
		journal.ShellEdits(s, "/w")
		if body := strings.ReplaceAll(s, "\r", ""); !strings.Contains("\n"+body+"\n", "\nEND_OF_IT\n") && body != "" && len(body) < 1<<16 {
			got := strings.Join(journal.ShellEdits("cat > /f <<'END_OF_IT'\n"+body+"\nEND_OF_IT\n", ""), "\n")
			if want := "whole /f\n+" + strings.ReplaceAll(body, "\n", "\n+"); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
}

// Damage is noticed; what is read is what was written.
func FuzzDigest(f *testing.F) {
	good := journal.Digest(talkOfEverything())
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if again := journal.Redigest(b); again != nil && !bytes.Equal(again, b) {
			t.Errorf("%x became %x", b, again)
		}
	})
}

func TestDigestRoundTrip(t *testing.T) {
	good := journal.Digest(talkOfEverything())
	if !bytes.Equal(journal.Redigest(good), good) {
		t.Error("the digest is not what was written")
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x41
		if journal.Redigest(bad) != nil {
			t.Fatalf("a damaged byte %d is not noticed", i)
		}
	}
}

// talkOfEverything has every kind of edit, a commit, words and code.
func talkOfEverything() []retold.Message {
	h := &shelf{}
	s := h.session("all", "/w", time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC))
	s.prompt("Fix #12 in retryDelay, see SHOP-42.")
	s.answer("Like this:\n```go\nfunc retryDelay(n int) time.Duration { return base << n }\n```\n")
	s.edit("/w/a.go", "--- a/w/a.go\n+++ b/w/a.go\n@@ -1,2 +1,3 @@\n-old line of it\n+new line of it\n+\tindented   line\n }\n")
	s.shell("sed -i 's/a/b/' x && cat > y <<'E'\nhello there\nE\ngit mv p q && git commit -m 'Say so'", "[main 1a2b3c4] Say so\n")
	return h.messages[s.key]
}

func TestTelling(t *testing.T) {
	for _, s := range []string{"limits := []float64{0.5, 1.5}", "func beaufort(m float64) int {", "<li className={busy}>", "// retries five times", "总共有三个苹果", "export const jars = 0;", `name: "build"`, `"apples",`} {
		if !journal.Telling(s) {
			t.Errorf("%q does not tell", s)
		}
	}
	for _, s := range []string{
		"", "}", "});", "return nil, err", "\tif err != nil {", "import React from \"react\";", `"github.com/google/go-cmp/cmp"`, "#include <stdio.h>",
		"// Copyright 2026 Ada", " * Licensed under the Apache License, Version 2.0 (the \"License\");", "from os import path", "==========", "--------------", "use std::fmt;", "package main", "x := 1",
	} {
		if journal.Telling(s) {
			t.Errorf("%q tells", s)
		}
	}
}

func TestDerived(t *testing.T) {
	for p, want := range map[string]bool{
		"go.sum": true, "web/package-lock.json": true, "vendor/x/y.go": true, "api/v1/shop.pb.go": true, "app.min.js": true, "a/node_modules/b.js": true,
		"main.go": false, "package.json": false, "go.mod": false, "src/vendors.ts": false, "lock.go": false,
	} {
		if journal.Derived(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for in, want := range map[string]string{
		"git@example.org:shop/api.git": "example.org/shop/api", "https://example.org/shop/api": "example.org/shop/api",
		"ssh://git@Example.org:22/shop/api.git/": "example.org/shop/api", "https://ada:secret@example.org/shop/api.git": "example.org/shop/api",
		"/srv/git/api.git": "/srv/git/api", "file:///srv/git/api": "/srv/git/api", `C:\git\api`: "c:/git/api",
	} {
		if got := journal.RemoteKey(in); got != want {
			t.Errorf("remote %s: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"/home/ada/shop/": "/home/ada/shop", "file:///home/ada/my%20shop": "/home/ada/my shop", `D:\shop`: "d:/shop",
		"vscode-remote://ssh-remote%2Bbuild.example/home/ada/shop":                                       "/home/ada/shop",
		"vscode-remote://wsl+Ubuntu/home/ada/shop":                                                       "/home/ada/shop",
		"vscode-remote://dev-container%2B2f686f6d652f6164612f73686f70/workspaces/shop":                   "/home/ada/shop : /workspaces/shop",
		"vscode-remote://dev-container%2B7b22686f737450617468223a222f686f6d652f6164612f73686f70227d/w/s": "/home/ada/shop : /w/s",
	} {
		if got := journal.FolderPath(in); got != want {
			t.Errorf("workspace %s: %s, want %s", in, got, want)
		}
	}
}
