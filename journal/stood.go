package journal

import (
	"regexp"
	"strings"
	"sync"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/jscan"
)

// A reading keeps what a session has seen of files, so that a file that it writes
// as a whole, without anybody storing what was there before, is not its work where
// it only repeats what it read.
type reading struct {
	stood map[string]map[uint64]bool // lines read that it had not written, by path
	wrote map[string]map[uint64]bool
}

func newReading() reading {
	return reading{map[string]map[uint64]bool{}, map[string]map[uint64]bool{}}
}

// look takes in what a call read.
func (r reading) look(t *retold.ToolCall) {
	if t.Kind != retold.ToolRead || len(t.Files) != 1 || !done(t) {
		return
	}
	text := readText(t)
	if text == "" || len(text) > most {
		return
	}
	path := slashed(t.Files[0])
	own := r.wrote[r.path(r.wrote, path)]
	if r.stood[path] == nil {
		r.stood[path] = map[uint64]bool{}
	}
	for _, l := range linesOf(cut(text)) {
		if !own[l.norm] {
			r.stood[path][l.norm] = true
		}
	}
}

// mark marks the lines of an edit that stood in the file before, and remembers the
// others as the session's.
func (r reading) mark(kind editKind, path string, changes []lineChange) {
	path = slashed(path)
	stood := r.stood[r.path(r.stood, path)]
	for _, c := range changes {
		for i := range c.added {
			l := &c.added[i]
			if stood[l.norm] {
				l.stood = kind == editWhole || kind == editSketch
				continue
			}
			if r.wrote[path] == nil {
				r.wrote[path] = map[uint64]bool{}
			}
			r.wrote[path][l.norm] = true
		}
	}
}

// path is the name under which a file is known: calls name it by its whole path or
// by the end of it.
func (r reading) path(known map[string]map[uint64]bool, path string) string {
	if known[path] != nil {
		return path
	}
	for other := range known {
		if absolute(path) != absolute(other) && (strings.HasSuffix(path, "/"+other) || strings.HasSuffix(other, "/"+path)) {
			return other
		}
	}
	return path
}

// numbered is a line's number as tools that read put it before the line.
var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ *\d+(?:\||\t|→)`) })

// readText is what a call that reads a file came back with.
func readText(t *retold.ToolCall) string {
	v := jscan.Value(t.Result)
	text := v.Str()
	if text == "" {
		text = v.First("contents", "content", "text").Str()
	}
	lines := strings.Split(text, "\n")
	for _, l := range lines {
		if l != "" && !numbered().MatchString(l) {
			return text
		}
	}
	for i, l := range lines {
		lines[i] = numbered().ReplaceAllString(l, "")
	}
	return strings.Join(lines, "\n")
}
