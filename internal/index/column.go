package index

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// columnBytes is what a doc takes in a row of columns: time (8 bytes), length (4),
// tool (2), role, flags and class of joints (1 each; format 1 has no classes); all
// docs' first, then all lengths, and so on. Its number and session stand in the
// directory, as they go by runs.
const (
	columnBytes  = 17
	columnFormer = 16
)

// formatVersion is the first number of a directory. Format 1 had all lists in
// bytes (posting.go) and no joints; it is read, not written.
const (
	formatVersion = 2
	formatBytes   = 1
)

// writeColumns emits the columns of docs, in order of doc, and returns the first
// part of the directory: version, number of docs, the runs of docs of one session
// that follow each other (how far each begins behind the end of the one before,
// its length and its session), names of tools.
func writeColumns(w *writer, docs []docFacts, names []string) ([]byte, error) {
	w.docs = len(docs)
	head := binary.AppendUvarint(nil, formatVersion)
	head = binary.AppendUvarint(head, uint64(len(docs)))
	head = appendRuns(head, docs)
	head = binary.AppendUvarint(head, uint64(len(names)))
	for _, n := range names {
		head = binary.AppendUvarint(head, uint64(len(n)))
		head = append(head, n...)
	}
	for len(docs) > 0 {
		n := min(chunkDocs, len(docs))
		if err := w.row(columnRow(docs[:n]), true); err != nil {
			return nil, err
		}
		docs = docs[n:]
	}
	return head, nil
}

func columnRow(docs []docFacts) []byte {
	row := make([]byte, 0, columnBytes*len(docs))
	le := binary.LittleEndian
	for i := range docs {
		row = le.AppendUint64(row, uint64(docs[i].when))
	}
	for i := range docs {
		row = le.AppendUint32(row, docs[i].length)
	}
	for i := range docs {
		row = le.AppendUint16(row, docs[i].tool)
	}
	for i := range docs {
		row = append(row, docs[i].role)
	}
	for i := range docs {
		row = append(row, docs[i].flags)
	}
	for i := range docs {
		row = append(row, docs[i].joints)
	}
	return row
}

func appendRuns(head []byte, docs []docFacts) []byte {
	var runs []byte
	count, next := uint64(0), uint32(0)
	for len(docs) > 0 {
		first, n := docs[0].doc, uint32(1)
		for int(n) < len(docs) && docs[n].doc == first+n && docs[n].session == docs[0].session {
			n++
		}
		for _, v := range [...]uint32{first - next, n, docs[0].session} {
			runs = binary.AppendUvarint(runs, uint64(v))
		}
		docs, next = docs[n:], first+n
		count++
	}
	return append(binary.AppendUvarint(head, count), runs...)
}

// A run is docs of one session that follow each other.
type run struct {
	at      int // ordinal of the first
	n       int
	doc     uint32 // the first
	session uint32
}

func (r *Reader) openRuns(d *decoder) {
	at, next := 0, uint64(0)
	for range d.count(len(d.b)) {
		first := next + d.uvarint()
		n, session := d.count(r.docs-at), d.uvarint()
		if next = first + uint64(n); first > math.MaxUint32 || next > math.MaxUint32+1 || session > math.MaxUint32 || n == 0 {
			d.bad = true
			return
		}
		r.runs = append(r.runs, run{at: at, n: n, doc: uint32(first), session: uint32(session)})
		at += n
	}
	d.bad = d.bad || at != r.docs
}

// eachDoc visits all docs by ordinal and number. It reads no rows.
func (r *Reader) eachDoc(visit func(i int, doc uint32)) {
	for _, one := range r.runs {
		for k := range one.n {
			visit(one.at+k, one.doc+uint32(k))
		}
	}
}

// docAt returns the number of the doc of an ordinal.
func (r *Reader) docAt(i int) uint32 {
	k, found := slices.BinarySearchFunc(r.runs, i, func(one run, i int) int { return one.at - i })
	if !found {
		k--
	}
	return r.runs[k].doc + uint32(i-r.runs[k].at)
}

// number sets the docs and sessions of columns from an ordinal on.
func (c *columns) number(runs []run, from int) {
	c.docs, c.sessions = make([]uint32, 0, c.n), make([]uint32, 0, c.n)
	k, found := slices.BinarySearchFunc(runs, from, func(one run, from int) int { return one.at - from })
	if !found {
		k--
	}
	for ; len(c.docs) < c.n; k++ {
		one := runs[k]
		for i := from + len(c.docs) - one.at; i < one.n && len(c.docs) < c.n; i++ {
			c.docs, c.sessions = append(c.docs, one.doc+uint32(i)), append(c.sessions, one.session)
		}
	}
}

// columns are the docs of one row, by their place in it.
type columns struct {
	n        int
	docs     []uint32
	sessions []uint32
	row      []byte
}

func (c *columns) doc(i int) uint32     { return c.docs[i] }
func (c *columns) session(i int) uint32 { return c.sessions[i] }
func (c *columns) when(i int) int64     { return int64(binary.LittleEndian.Uint64(c.row[8*i:])) }
func (c *columns) length(i int) uint32  { return binary.LittleEndian.Uint32(c.row[8*c.n+4*i:]) }
func (c *columns) tool(i int) uint16    { return binary.LittleEndian.Uint16(c.row[12*c.n+2*i:]) }
func (c *columns) role(i int) uint8     { return c.row[14*c.n+i] }
func (c *columns) flags(i int) uint8    { return c.row[15*c.n+i] }

// joints is the class of a doc's filter.
func (c *columns) joints(i int) uint8 {
	if len(c.row) == columnFormer*c.n {
		return 0
	}
	return c.row[16*c.n+i]
}

func (c *columns) facts(i int) docFacts {
	return docFacts{
		doc: c.doc(i), session: c.session(i), when: c.when(i), length: c.length(i),
		tool: c.tool(i), role: c.role(i), flags: c.flags(i), joints: c.joints(i),
	}
}

// columns returns the columns of the docs from ordinal chunk*chunkDocs on. They
// are read once.
func (r *Reader) columns(chunk int) (*columns, error) {
	if c := r.cols[chunk].Load(); c != nil {
		return c, nil
	}
	n := min(chunkDocs, r.docs-chunk*chunkDocs)
	row, err := r.row(chunk)
	if err != nil {
		return nil, fmt.Errorf("read columns: %w", err)
	}
	if len(row) != n*r.columnBytes() {
		return nil, fmt.Errorf("columns of %d bytes for %d docs: %w", len(row), n, ErrDamaged)
	}
	c := &columns{n: n, row: row}
	c.number(r.runs, chunk*chunkDocs)
	for i := range n {
		if int(c.role(i)) > len(roles) || int(c.joints(i)) >= jointClasses {
			return nil, fmt.Errorf("columns of doc %d: %w", c.doc(i), ErrDamaged)
		}
	}
	r.cols[chunk].Store(c)
	return c, nil
}

func (r *Reader) columnBytes() int {
	if r.former {
		return columnFormer
	}
	return columnBytes
}

// eachColumns visits all docs, a row of columns at a time; base is the ordinal of
// the first in it.
func (r *Reader) eachColumns(ctx context.Context, visit func(base int, c *columns)) error {
	for chunk := range r.cols {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := r.columns(chunk)
		if err != nil {
			return err
		}
		visit(chunk*chunkDocs, c)
	}
	return nil
}

// columnsOf is eachColumns for those rows only that have some of docs.
func (r *Reader) columnsOf(ctx context.Context, docs bitset, visit func(base int, c *columns)) error {
	for chunk := range r.cols {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := chunk * chunkDocs / 64
		if docs[from:min(len(docs), from+chunkDocs/64)].empty() {
			continue
		}
		c, err := r.columns(chunk)
		if err != nil {
			return err
		}
		visit(chunk*chunkDocs, c)
	}
	return nil
}
