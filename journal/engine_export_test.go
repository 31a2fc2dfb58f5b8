package journal

import (
	"github.com/retold-history/retold"
	"github.com/retold-history/retold/git"
)

// ReadDiff is readDiff in words: path, then lines with their marks.
func ReadDiff(text string) (out []string) {
	for _, f := range readDiff(text) {
		out = append(out, "file "+f.from+" > "+f.to)
		out = append(out, marked(f.changes)...)
	}
	return out
}

func marked(changes []change) (out []string) {
	for i, c := range changes {
		if i > 0 {
			out = append(out, "--")
		}
		for _, l := range c.removed {
			out = append(out, "-"+l)
		}
		for _, l := range c.added {
			out = append(out, "+"+l)
		}
	}
	return out
}

var kindNames = map[editKind]string{
	editDiff: "diff", editCreate: "create", editWhole: "whole", editSketch: "sketch", editAppend: "append",
	editDelete: "delete", editMove: "move", editTouch: "touch",
	editRevert: "revert", editReset: "reset", editStash: "stash", editPop: "pop", editDrop: "drop",
}

// EditsOf is editsOf in words.
func EditsOf(t *retold.ToolCall) (out []string) {
	return editWords(editsOf(&retold.Message{Role: retold.RoleTool, Tool: t}))
}

func editWords(edits []textEdit) (out []string) {
	for _, e := range edits {
		name := kindNames[e.kind] + " " + e.path
		if e.from != "" {
			name += " < " + e.from
		}
		out = append(out, name)
		out = append(out, marked(e.changes)...)
	}
	return out
}

// ShellEdits is shellEdits in words.
func ShellEdits(script, cwd string) []string { return editWords(shellEdits(script, cwd)) }

// GitCommits are the messages and folders of the commits in a script.
func GitCommits(script, cwd string) (out []string) {
	for _, c := range gitCommits(script, cwd) {
		out = append(out, c.cwd+": "+c.message)
	}
	return out
}

// Sed applies a sed -i command to a line.
func Sed(words []string, line string) string {
	for _, s := range substitutionsOf(words) {
		if now, ok := s.apply(line); ok {
			line = now
		}
	}
	return line
}

// Telling is telling.
func Telling(s string) bool { return telling(s) }

// Derived is derived.
func Derived(path string) bool { return derived(path) }

// Digest encodes what messages tell of a session.
func Digest(messages []retold.Message) []byte {
	d := newDigester(0)
	for i := range messages {
		d.add(&messages[i])
	}
	return encodeWork(d.done(), 7)
}

// Redigest decodes a digest and encodes it again; nil when it is damaged.
func Redigest(b []byte) []byte {
	w, ok := decodeWork(b, 7)
	if !ok {
		return nil
	}
	return encodeWork(w, 7)
}

// RemoteKey is remoteKey.
func RemoteKey(address string) string { return remoteKey(address) }

// FolderPath is the path of a workspace's address, or of the host of its container.
func FolderPath(address string) string {
	f := folderOf(address)
	if f.host != "" {
		return f.host + " : " + f.path
	}
	return f.path
}

// Mailmap is mailmap.
func Mailmap(text string) [][]string { return mailmap(text) }

// RepoAt is repoAt.
func RepoAt(top string) (*git.Repo, error) { return repoAt(top) }
