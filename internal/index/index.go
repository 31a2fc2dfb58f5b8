// Package index knows how to find messages by what is in them: it folds text to
// what a person means by it, splits it into words, keeps an inverted index of
// these in segments of plain byte rows, answers a retold.Expr from them and
// ranks what it found. It reads and writes no files and no SQL: a store gives it
// rows and messages. The truth is always the Matcher, which looks at the texts
// of one message; the index only spares looking.
//
// # A segment
//
// A segment is a sorted dictionary of folded words with, for each, the messages
// that hold it, how, and how often. Words that are made of several, as identifiers
// are, are listed by their parts and by the seams between these (identifier.go).
// Words that begin with a control byte stand for fields: role, tool, touched
// files, failure, edit. Rows, numbered as they were written: columns of the
// messages (column.go); then, for each 64 blocks of about 512 words, of every block
// its long lists and one row of short lists, and behind these the blocks
// themselves (writer.go, posting.go, rice.go); then a filter of byte triples, so
// that a needle inside of words is looked for in few blocks (gram.go), and one of
// seams (seamset.go); then, for each message, a filter of what stands next to each
// other in it (joint.go, jointset.go).
//
// # A search
//
// For each term the lists give the messages that surely meet it and those that
// may (lookup.go, seam.go, meet.go); the expression combines both (search.go).
// Where they differ, for phrases, code, long runs of Chinese and regular
// expressions, messages are looked at, best first (rank.go), until the page is
// full, and a while longer to count (verify.go). Phrases and code are looked for
// only where the filters of joints let them be.
package index

import "errors"

// Info describes a segment to whoever keeps its rows.
type Info struct {
	First, Last uint32 // smallest and largest doc
	Docs        int
	Tokens      int64
	Head        []byte // the directory of its rows; every query needs it
}

// Segment is a built index of some messages. Rows are numbered from 0; a row is
// 64 KB or less unless it is the list of a very common word or the joints of very
// many messages.
type Segment struct {
	Info
	Rows [][]byte
	Cuts []bool // by row: it is not read together with those before
}

// ErrDamaged is in the tree of every error about rows that are not what a
// Builder or Merge wrote.
var ErrDamaged = errors.New("damaged index")

// Sizes that the format and the meaning of a query hang on.
const (
	maxWord    = 4096    // bytes of a folded word that are searched; the rest is not
	maxField   = 1 << 15 // bytes of a tool's name or a path that a field filter sees
	chunkDocs  = 512     // docs in a row of columns
	blockWord  = 512     // most words of a block
	blockText  = 8 << 10 // bytes of words at which a block ends
	blockPost  = 32 << 10
	longList   = 4 << 10 // bytes from which a list has a row of its own
	blockGroup = 64      // blocks whose rows of entries follow each other
	dictRun    = 4 << 10 // bytes of entries from which a cut is made
	gramBits   = 13      // of the hash of three bytes
	gramBytes  = 1 << gramBits / 8
	gramRow    = 3900 // bytes of a row of the filter: a page of a database takes it
	fewBlocks  = 4    // up to so many blocks there is no filter
)

// Words for fields begin with fieldMark and one of these letters; plain words
// never begin with a control byte.
const (
	fieldMark   = '\x01'
	fieldRole   = 'r' // role, as it is
	fieldTool   = 't' // tool's name in lower case
	fieldKind   = 'k' // tool's kind
	fieldFile   = 'f' // touched path in lower case
	fieldFailed = '!'
	fieldEdit   = 'e'
	fieldLong   = 'l' // a word of the message is longer than maxWord
)

// seamMark begins the entry of a seam, see identifier.go.
const seamMark = '\x02'

// How a word was met in a message. A word of several parts, like useEffect, is
// listed by its parts.
const (
	asWhole = 1 << iota // by itself
	asStart             // as the first part of a word
	asPart              // as a later part
)
