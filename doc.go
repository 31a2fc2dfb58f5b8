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
//	store.go     Store: what a library must do; Hit, Stats
//	error.go     Error and its codes
//	model.go     ModelName: an identifier as people say it
//	json.go      the public JSON of all of the above
//
// Around it, one folder per concern; every import points inward, towards this
// package, which imports only the standard library:
//
//	source/cursor      the IDE, every generation      ┐
//	source/cursorcli   store.db, transcripts, ACP, SDK├─ read one agent's files each
//	store/sqlite       the library file; store/storetest: what every store must pass
//	library            what a person does: Sync, List, Show, Search, Stats, Watch, Forget
//	export, render     conversations as Markdown, HTML, JSON, CSV, text
//	demo               a made-up history to try everything on
//	ui/cli             the command line; cmd/retold is its main
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
// # Compatibility
//
// The JSON names written by this package are a public contract. Unknown values
// are null there and the zero value here; no value is ever a guess without a
// label ([TimeSource], [Message.Recovered]).
package retold
