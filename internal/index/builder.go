package index

import (
	"math"
	"time"

	"github.com/retold-history/retold"
)

// A Builder collects messages in memory until Build makes a Segment of them. It
// is used by one goroutine.
type Builder struct {
	vocabulary
	joiner  joiner
	filters []uint64 // of joints, message by message
	docs    []docFacts
	names   nameTable
	fold    []byte
	json    []byte
	field   []byte
	long    bool
	tokens  int64
}

// docFacts are a message's columns and where its postings begin.
type docFacts struct {
	doc, session uint32
	when         int64 // Unix milliseconds; noTime when unknown
	length       uint32
	tool         uint16 // index into names
	role         uint8  // index into roles; 0 for a title
	flags        uint8
	joints       uint8 // class of its filter
	first, end   int   // its postings
	filter       int   // where its filter begins
}

const noTime = math.MinInt64

const flagOrphan = 1

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder {
	b := &Builder{}
	b.reset()
	return b
}

// Len returns the number of messages and titles added since the last Build.
func (b *Builder) Len() int { return len(b.docs) }

// Bytes returns roughly how much memory what was added takes. Build takes as much
// again while it works.
func (b *Builder) Bytes() int {
	return b.bytes() + 64*len(b.docs) + 8*len(b.filters)
}

// Add adds a message. doc is its number in the whole library, session the number
// of its session; a doc is added once in its life.
func (b *Builder) Add(doc, session uint32, m *retold.Message) {
	f := docFacts{doc: doc, session: session, when: millis(m.Timestamp), role: roleCode(m.Role), first: len(b.postIDs)}
	if m.Orphan {
		f.flags |= flagOrphan
	}
	if m.Tool != nil {
		f.tool = b.names.code(m.Tool.Name)
	}
	before := b.tokens
	b.begin(len(b.docs))
	b.texts(m)
	f.length = uint32(min(b.tokens-before, math.MaxUint32))
	b.fields(m)
	b.end(f)
}

// AddTitle adds a session's title as a doc of its own; when is the session's
// time.
func (b *Builder) AddTitle(doc, session uint32, title string, when time.Time) {
	f := docFacts{doc: doc, session: session, when: millis(when), first: len(b.postIDs)}
	before := b.tokens
	b.begin(len(b.docs))
	b.text(title)
	f.length = uint32(min(b.tokens-before, math.MaxUint32))
	if b.long {
		b.addField(fieldLong, "")
	}
	b.end(f)
}

func (b *Builder) begin(n int) {
	b.doc = uint32(n) + 1
	b.long = false
	b.joiner.reset()
}

func (b *Builder) end(f docFacts) {
	f.filter = len(b.filters)
	fill := saidFill
	if f.role == roleCode(retold.RoleTool) {
		fill = jointFill
	}
	b.filters, f.joints = appendFilter(b.filters, b.joiner.list, fill)
	b.docs = append(b.docs, f)
}

func (b *Builder) texts(m *retold.Message) {
	plainTexts(m, b.text)
	if m.Tool == nil {
		return
	}
	jsonTexts(m.Tool.Params, &b.json, b.textBytes)
	jsonTexts(m.Tool.Result, &b.json, b.textBytes)
	lateTexts(m, b.text)
	if cap(b.json) > maxScratch {
		b.json = nil
	}
}

// fields adds the words that field filters look up, see retold.Filter.
func (b *Builder) fields(m *retold.Message) {
	b.addField(fieldRole, string(m.Role))
	if t := m.Tool; t != nil {
		b.addField(fieldTool, lowerField(t.Name))
		b.addField(fieldKind, string(t.Kind))
		for _, f := range t.Files {
			b.addField(fieldFile, lowerField(f))
		}
		if t.Kind == retold.ToolEdit {
			b.addField(fieldEdit, "")
		}
	}
	if m.Failed() {
		b.addField(fieldFailed, "")
	}
	if b.long {
		b.addField(fieldLong, "")
	}
}

func (b *Builder) addField(kind byte, value string) {
	b.field = append(append(b.field[:0], fieldMark, kind), value...)
	b.post(b.field, asWhole)
}

// reset empties the builder and keeps what memory is worth keeping.
func (b *Builder) reset() {
	b.vocabulary.reset()
	b.docs, b.filters = b.docs[:0], b.filters[:0]
	b.names = nameTable{}
	b.tokens = 0
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.UnixMilli()
}

// roles by code; 0 is a title, len(roles) a role this version does not know.
var roles = []retold.Role{
	"", retold.RoleUser, retold.RoleAssistant, retold.RoleThinking, retold.RoleTool, retold.RoleError, retold.RoleSystem,
}

func roleCode(r retold.Role) uint8 {
	for i, known := range roles[1:] {
		if known == r {
			return uint8(i + 1)
		}
	}
	return uint8(len(roles))
}

// nameTable numbers the names of tools from 1; 0 is no tool. Behind the 65,534th
// name the rest share a number that has no name.
type nameTable struct {
	list  []string
	codes map[string]uint16
}

func (t *nameTable) code(name string) uint16 {
	if c, ok := t.codes[name]; ok {
		return c
	}
	if len(t.list) >= math.MaxUint16-1 {
		return math.MaxUint16
	}
	if t.codes == nil {
		t.codes = map[string]uint16{}
	}
	t.list = append(t.list, name)
	c := uint16(len(t.list))
	t.codes[name] = c
	return c
}
