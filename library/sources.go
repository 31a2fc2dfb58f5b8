package library

import (
	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/cursor"
	"github.com/retold-history/retold/source/cursorcli"
)

// sources names every source there is, once. A new agent is one folder below
// source/ and one line here.
func sources(o Options) []retold.Source {
	return []retold.Source{
		cursor.New(cursor.Options{User: o.CursorUser, Env: o.Env}),
		cursorcli.New(cursorcli.Options{Home: o.CursorHome, Env: o.Env}),
	}
}

// editorSources are those for a User folder alone, as other programs keep it.
func editorSources(user string, o Options) []retold.Source {
	return []retold.Source{cursor.New(cursor.Options{User: []string{user}, Env: o.Env})}
}
