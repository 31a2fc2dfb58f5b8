// Package cursor reads what the Cursor IDE keeps, every generation of it, and
// never writes there. What would have to be written to move a conversation it can
// say (move.go); carrying that out is internal/change's.
//
// Where the history lies, by version (which one it is follows from what is
// there, never from a version number):
//
//   - 2023 to early 2025: a chat panel, one JSON value per workspace database
//     (chat.go), and Composer with its conversations inline (catalog.go).
//   - 2025 on: the global database's table cursorDiskKV, one record for each
//     conversation (raw.go, composer) and one for each message (raw.go, bubble).
//     message.go turns a bubble into Messages, tool.go and edit.go its tool data.
//   - 2026 on: the list of conversations moves between places (catalog.go reads
//     all of them), and an agent state of protobuf blobs holds what bubbles lack
//     (state.go).
package cursor

import (
	"sync"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/paths"
)

const agent = "cursor"

// MappingVersion grows when the same records are mapped to other messages than
// before, so that a library reads them again.
const MappingVersion = 1

// Options say where to look. The zero value of User means where Cursor keeps
// its files on this system.
type Options struct {
	User []string // Cursor's User folders, or folders around or inside them
	Env  paths.Env
}

// Source is the history of the Cursor IDE. It is safe for concurrent use.
type Source struct {
	user []string
	env  paths.Env

	thrift thrift
	shelf  strayShelf

	mu       sync.Mutex
	suspects map[retold.Ref]bool // conversations that Resume must read value by value
}

// The abilities beyond those of every source.
var (
	_ retold.Source    = (*Source)(nil)
	_ retold.Streamer  = (*Source)(nil)
	_ retold.Completer = (*Source)(nil)
	_ retold.Inspector = (*Source)(nil)
	_ retold.Tracker   = (*Source)(nil)
	_ retold.Resumer   = (*Source)(nil)
)

// New returns the source; nothing is opened yet.
func New(o Options) *Source {
	return &Source{user: o.User, env: o.Env, thrift: defaultThrift, suspects: map[retold.Ref]bool{}, shelf: strayShelf{chats: map[retold.Ref]map[string]bubbleRead{}}}
}

// Agent returns "cursor".
func (s *Source) Agent() string { return agent }
