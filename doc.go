// Package retold knows what a conversation with a coding agent is, and nothing
// about where any agent keeps it.
//
// # A map of the code
//
//	session.go   Session, SessionDetail, Header, Ref, Place, Problem
//	message.go   Message, Role, ToolCall, Attachment
//	filter.go    Filter: which sessions and messages are wanted
//	query.go     Query: what can be searched for; query_parse.go reads it
//	when.go      ParseWhen: times as people write them
//	source.go    Source, and the optional abilities: Tracker, Resumer, Streamer, …
//	writer.go    Writer, the ability to plan changes; Step, Row, File
//	backup.go    Archiver: the files that belong into a backup
//	restorer.go  Restorer: what brings single sessions back from one
//	store.go     Store: what a library must do; Hit, Stats
//	note.go      Note: what is written down beside the sessions
//	error.go     Error, its codes and their sentinels
//	model.go     ModelName: an identifier as people say it
//	json.go      the public JSON of all of the above
//
// Around it, one folder per concern; every import points inward, towards this
// package, which imports only the standard library:
//
//	source/cursor      the IDE, every generation      ┐
//	source/cursorcli   store.db, transcripts, ACP, SDK├─ read one agent's files each
//	store/sqlite       the library file; store/storetest: what every store must pass
//	migrate            moves conversations between folders; undo
//	backup             packs, reads and verifies backups; FORMAT.md beside it
//	git                the git command, typed
//	journal            which conversation became a commit or a line; entries
//	journal/hook       telling retold of commits
//	library            what a person does: Sync, List, Show, Search, Stats, Watch, Forget
//	export, render     conversations as Markdown, HTML, JSON, CSV, text
//	redact             finds and masks secrets
//	demo               a made-up history to try everything on
//	ui/cli             the command line; cmd/retold is its main
//	ui/mcp             the same for agents: tools, resources, prompts
//	internal/change    carries out planned changes to foreign files, undoes, survives a crash
//	internal/relocate  paths and ids in foreign JSON, byte for byte
//	internal/livedb    opens another program's SQLite file without leaving a trace
//	internal/jscan     reads other programs' JSON, however odd
//	internal/agentstate  Cursor's protobuf conversation state, shared by IDE and CLI
//	internal/index     the inverted index: words, segments, ranking
//	internal/paths     where things lie on each OS; what a workspace URI means
//
// # Reading order for newcomers
//
// session.go and message.go here, then source.go, then source/cursor/message.go
// (where a Cursor bubble becomes Messages), then library/library.go and sync.go.
//
// # For programs
//
// A program imports this package for what things are and package library for what
// can be asked: [the example] is a whole one, docs/go.md the manual. Text comes as
// it was said, secrets included; package export masks them, and package redact does
// it for text that leaves the program in another way.
//
// # Compatibility
//
// Versions follow semantic versioning. Public are this package, library, export,
// redact and render. Within a major version nothing that they export goes away or
// comes to mean something else (before v1.0.0: within a minor version).
// testdata/api holds every exported name, and a test compares; what changed is told
// in docs/go.md under "Changes".
//
// Any minor version may add names: functions, methods, fields, codes, roles, tool
// kinds, formats, and names in JSON. So write struct literals with field names, and
// treat a [Role] or [ToolKind] you do not know like [RoleSystem] or [ToolOther].
// Source, Store and the interfaces around them may grow methods: they are for code
// of this module and for tests. Except for the interfaces all types are for
// reading from many goroutines at once and for writing from one.
//
// The JSON names written by this package are a public contract, the same for the
// command line (--json) and for agents. Unknown values are null there and the zero
// value here; no value is ever a guess without a label ([TimeSource],
// [Message.Recovered]).
//
// Not promised are the texts of errors and hints, the bytes of exports for people
// (Markdown, HTML, text), the snippet and score of a [Hit], the format of the
// library file (every version reads those of the versions before it), and all other
// packages: source, store, ui, demo, bench and internal change as they need to.
//
// [the example]: https://pkg.go.dev/github.com/retold-history/retold#example-package
package retold
