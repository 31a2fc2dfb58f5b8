package journal

import (
	"slices"
	"strings"
)

// touched are the files that formatters and package managers change; how cannot be
// told.
func touched(name string, words []string) (edits []textEdit) {
	files, flags := operands(words)
	has := func(list ...string) bool { return len(files) > 0 && slices.Contains(list, files[0]) }
	var paths []string
	switch {
	case (name == "gofmt" || name == "goimports" || name == "gofumpt") && strings.Contains(flags, "w"),
		name == "prettier" && strings.Contains(flags, "w"), name == "rustfmt", name == "black", name == "clang-format" && strings.Contains(flags, "i"):
		paths = files
	case name == "go" && (has("get") || has("mod") && len(files) > 1 && slices.Contains([]string{"tidy", "edit", "init"}, files[1])):
		paths = []string{"go.mod"}
	case name == "npm" && has("install", "i", "uninstall", "remove") && len(files) > 1, (name == "yarn" || name == "pnpm" || name == "bun") && has("add", "remove"):
		paths = []string{"package.json"}
	case name == "cargo" && has("add", "remove"):
		paths = []string{"Cargo.toml"}
	}
	for _, p := range paths {
		if strings.Contains(p, ".") && !strings.HasSuffix(p, ".") && !strings.ContainsAny(p, "$*`") { // else a folder, or many files
			edits = append(edits, textEdit{path: p, kind: editTouch})
		}
	}
	return edits
}
