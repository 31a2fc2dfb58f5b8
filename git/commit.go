package git

import "time"

// A Commit is one commit with what it changed against its first parent; for a
// merge only what differs from every parent.
type Commit struct {
	ID      string   // full object id, hexadecimal
	Tree    string   // of its files
	Parents []string // full ids, the first parent first; none for a root

	Author    Person
	Committer Person
	Message   string // subject and body as written, without the last line break

	Files []File // in git's order
}

// Merge reports whether the commit has more than one parent.
func (c *Commit) Merge() bool { return len(c.Parents) > 1 }

// A Person is who made or applied a commit, and when.
type Person struct {
	Name  string
	Email string
	Time  time.Time // UTC offset as recorded
}

// A File is what a commit did to one file. Paths are relative to the top of the
// repository, with slashes, byte for byte as git has them.
type File struct {
	Path      string // after the commit; before it when it was deleted
	OldPath   string // before it, when renamed or copied; else ""
	Status    byte   // A added, C copied, D deleted, M modified, R renamed, T type changed
	Binary    bool
	Submodule bool // a commit of another repository
	Added     int  // lines; 0 for binary files
	Removed   int
	Hunks     []Hunk // without context; nil for what is binary or Elided
	Elided    bool   // its text was too much to hold: only the counts are known
}

// A Hunk is a run of lines replaced by another, line ends taken off (CRLF too).
type Hunk struct {
	OldStart int      // 1-based line of the first of Removed in the old file
	NewStart int      // 1-based line of the first of Added in the new file
	Removed  []string // may be empty
	Added    []string // may be empty
}

// A BlamedLine says which commit last touched a line, and what it was called there.
type BlamedLine struct {
	Line     int    // 1-based, in the file that was asked for
	Text     string // without its line end
	Commit   string // full id; all zeros for what is not committed
	OrigPath string // path in that commit
	OrigLine int    // 1-based, in that commit
}
