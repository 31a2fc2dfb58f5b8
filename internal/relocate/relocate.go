// Package relocate rewrites the JSON of other programs' conversations when a
// conversation comes to be about another folder, or becomes a copy with ids of
// its own. It changes the bytes of the paths and ids it means to change and no
// others: no value is decoded and written again.
//
// What is rewritten are strings that are a path or address as a whole, under
// members that hold paths; names of members that are one; and both again in the
// JSON that strings of some members hold (parameters and results of tools). What
// people and models wrote is never looked into.
package relocate

import (
	"strings"

	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// A Map is what becomes what.
type Map struct {
	From, To paths.Address     // the folder; equal for none
	Projects map[string]string // names of folders below ~/.cursor/projects
	IDs      map[string]string // ids of sessions and messages
}

// holders are the members whose strings are paths, without case and underscores:
// different tools and generations spell them differently.
var holders = set(`path fspath external formatted uri uris workspaceuri workspaceuris workspacepath
	filepath filepaths file files filename targetfile targetfiles targetdirectory targetdirectories targetnotebook notebookpath
	directory directories dir directorypath relativeworkspacepath relativepath relpath absolutepath abspath fullpath
	folder folders folderpath folderuri rootpath root cwd workingdirectory resultingworkingdirectory
	effectiveuri planuri currentplanuri repopath worktreepath repositoryroot gitroot paths oldpath newpath
	sourcepath destinationpath newlycreatedfiles newlycreatedfolders addedfiles removedfiles deletedfiles nonexistentfiles
	allattachedfilecodechunksuris attachedfilecodechunksuris relevantfiles recentlyviewedfiles attachedfolders
	codeblockdata originalfilestates workspaceresults configpath workspacerootpath`)

// embedders are the members whose strings hold JSON.
var embedders = set(`params rawargs result bubbledatamap projectlayouts toolargs parameters arguments`)

// texts are the members in which a string that happens to be an id is not one,
// or is somebody else's.
var texts = set(`text richtext content contents serverbubbleid requestid name title thinking output`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

func normal(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// deepest is how many documents may lie in one another.
const deepest = 5

// JSON is the document with all that has to be rewritten, the same slice when
// nothing has.
func (m *Map) JSON(doc []byte) []byte { return m.document(doc, deepest) }

func (m *Map) document(doc []byte, depth int) []byte {
	var splices []jscan.Splice
	for w := range jscan.Words(doc) {
		body := doc[w.Start+1 : w.End-1]
		if len(body) < 2 {
			continue
		}
		if s, ok := m.word(normal(w.Name), w.Key, body, depth); ok {
			s.Start, s.End = s.Start+w.Start+1, s.End+w.Start+1
			splices = append(splices, s)
		}
	}
	return jscan.Edit(doc, splices)
}

// word is what changes in the body of one string.
func (m *Map) word(name string, key bool, body []byte, depth int) (jscan.Splice, bool) {
	first := body[0]
	if embedders[name] && !key && depth > 0 && (first == '{' || first == '[') {
		plain, _ := jscan.Spell(body)
		if now := m.document(plain, depth-1); len(now) != len(plain) || string(now) != string(plain) {
			return m.inside(body, plain, depth-1), true
		}
		return jscan.Splice{}, false
	}
	if len(m.IDs) > 0 && !texts[name] {
		if id, ok := m.IDs[string(body)]; ok {
			return jscan.Splice{End: len(body), Text: jscan.Quote([]byte(id))}, true
		}
	}
	if name == "workspaceprojectdir" {
		return m.project(body)
	}
	if !holders[name] || m.From == m.To {
		return jscan.Splice{}, false
	}
	plain, at := jscan.Spell(body)
	cut, with, ok := paths.Relocate(string(plain), m.From, m.To)
	if !ok {
		return jscan.Splice{}, false
	}
	return jscan.Splice{End: at[cut], Text: jscan.Quote([]byte(with))}, true
}

// inside edits a document that is spelled as a string, and leaves the spelling of
// everything else in it: the first difference to the last are written anew, one
// edit at a time.
func (m *Map) inside(body, plain []byte, depth int) jscan.Splice {
	_, at := jscan.Spell(body)
	var splices []jscan.Splice
	for w := range jscan.Words(plain) {
		inner := plain[w.Start+1 : w.End-1]
		if len(inner) < 2 {
			continue
		}
		if s, ok := m.word(normal(w.Name), w.Key, inner, depth); ok {
			splices = append(splices, jscan.Splice{
				Start: at[s.Start+w.Start+1], End: at[s.End+w.Start+1], Text: jscan.Quote(s.Text),
			})
		}
	}
	return jscan.Splice{End: len(body), Text: jscan.Edit(body, splices)}
}

// project is the folder that Cursor keeps beside a workspace, below
// ~/.cursor/projects: its last part.
func (m *Map) project(body []byte) (jscan.Splice, bool) {
	at := strings.LastIndexAny(string(body), `/\`) + 1
	to, ok := m.Projects[string(body[at:])]
	return jscan.Splice{Start: at, End: len(body), Text: []byte(to)}, ok
}

// Key is a string that is a path or an id as a whole, as parts of keys are.
func (m *Map) Key(s string) string {
	if id, ok := m.IDs[s]; ok {
		return id
	}
	if cut, with, ok := paths.Relocate(s, m.From, m.To); ok && m.From != m.To {
		return with + s[cut:]
	}
	return s
}
