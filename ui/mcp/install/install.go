// Package install knows where the programs that run agents keep the list of
// their MCP servers, and how to put a server into that list or take it out. The
// files belong to those programs and to the person: only the server's own entry
// is written, everything else keeps its bytes, order and comments (json.go,
// toml.go); what a file looked like before lies beside it; a file that cannot be
// understood is not touched. client.go says where the files are, snippet.go how
// a server is written in each, change.go plans and applies.
package install

import (
	"errors"

	"github.com/retold-history/retold"
)

// Name is what retold is called in every client's list.
const Name = "retold"

// CodeConfig is the code of the error that says that a client's configuration
// cannot be understood, and was left as it is.
const CodeConfig retold.Code = "config_corrupt"

// ErrBroken is in the tree of that error.
var ErrBroken = errors.New("not a configuration that can be changed safely")

// A Server is how a client starts retold.
type Server struct {
	Command string   // absolute path of the binary
	Args    []string // "mcp", with the flags before it that say where to look
	Env     []Var    // set for it, in this order
}

// A Var is an environment variable.
type Var struct{ Name, Value string }

// field is a key of an entry with its value: a string, a []string or a []field.
type field struct {
	key   string
	value any
}

// fields are what an entry says, in the order in which a new one is written.
func (s Server) fields(typed bool) []field {
	var out []field
	if typed {
		out = append(out, field{"type", "stdio"})
	}
	out = append(out, field{"command", s.Command}, field{"args", s.Args})
	if len(s.Env) > 0 {
		var env []field
		for _, v := range s.Env {
			env = append(env, field{v.Name, v.Value})
		}
		out = append(out, field{"env", env})
	}
	return out
}

// remote are keys of an entry that names a server elsewhere. They contradict a
// command, so they go when an entry is given one.
var remote = []string{"url", "serverUrl"}
