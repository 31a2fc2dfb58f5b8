package index

import (
	"encoding/binary"
	"fmt"
)

// columnBytes is what a doc takes in a row of columns: doc, session (4 bytes
// each), time (8), length (4), tool (2), role and flags (1 each); all docs' first,
// then all sessions, and so on.
const columnBytes = 24

// formatVersion is the first number of a directory.
const formatVersion = 1

// writeColumns emits the columns of docs, in order of doc, and returns the first
// part of the directory: version, number of docs, names of tools.
func writeColumns(w *writer, docs []docFacts, names []string) ([]byte, error) {
	head := binary.AppendUvarint(nil, formatVersion)
	head = binary.AppendUvarint(head, uint64(len(docs)))
	head = binary.AppendUvarint(head, uint64(len(names)))
	for _, n := range names {
		head = binary.AppendUvarint(head, uint64(len(n)))
		head = append(head, n...)
	}
	for len(docs) > 0 {
		n := min(chunkDocs, len(docs))
		if err := w.row(columnRow(docs[:n])); err != nil {
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
		row = le.AppendUint32(row, docs[i].doc)
	}
	for i := range docs {
		row = le.AppendUint32(row, docs[i].session)
	}
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
	return row
}

// columns are the docs of one row, by their place in it.
type columns struct {
	n   int
	row []byte
}

func (c *columns) doc(i int) uint32     { return binary.LittleEndian.Uint32(c.row[4*i:]) }
func (c *columns) session(i int) uint32 { return binary.LittleEndian.Uint32(c.row[4*c.n+4*i:]) }
func (c *columns) when(i int) int64     { return int64(binary.LittleEndian.Uint64(c.row[8*c.n+8*i:])) }
func (c *columns) length(i int) uint32  { return binary.LittleEndian.Uint32(c.row[16*c.n+4*i:]) }
func (c *columns) tool(i int) uint16    { return binary.LittleEndian.Uint16(c.row[20*c.n+2*i:]) }
func (c *columns) role(i int) uint8     { return c.row[22*c.n+i] }
func (c *columns) flags(i int) uint8    { return c.row[23*c.n+i] }

func (c *columns) facts(i int) docFacts {
	return docFacts{
		doc: c.doc(i), session: c.session(i), when: c.when(i), length: c.length(i),
		tool: c.tool(i), role: c.role(i), flags: c.flags(i),
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
	if len(row) != n*columnBytes {
		return nil, fmt.Errorf("columns of %d bytes for %d docs: %w", len(row), n, ErrDamaged)
	}
	c := &columns{n: n, row: row}
	for i := range n {
		if int(c.role(i)) > len(roles) || i > 0 && c.doc(i) <= c.doc(i-1) {
			return nil, fmt.Errorf("columns of doc %d: %w", c.doc(i), ErrDamaged)
		}
	}
	r.cols[chunk].Store(c)
	return c, nil
}

// eachColumns visits all docs, a row of columns at a time; base is the ordinal of
// the first in it.
func (r *Reader) eachColumns(visit func(base int, c *columns)) error {
	for chunk := range r.cols {
		c, err := r.columns(chunk)
		if err != nil {
			return err
		}
		visit(chunk*chunkDocs, c)
	}
	return nil
}
