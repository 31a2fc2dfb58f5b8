package sqlite

import "github.com/retold-history/retold"

const headVersion = 1

// A head is what is known of a page without unpacking it: of each message its
// document and the hash by which a message that comes again is recognised.
type head struct {
	docs   []uint32
	hashes []uint64
	facts  facts
}

func (h *head) add(doc uint32, hash uint64, m *retold.Message) {
	h.docs = append(h.docs, doc)
	h.hashes = append(h.hashes, hash)
	h.facts.add(m)
}

func (h *head) encode() []byte {
	e := &encoder{b: make([]byte, 0, 64+10*len(h.docs))}
	e.byte(headVersion)
	e.facts(&h.facts)
	e.uint(uint64(len(h.docs)) + 1)
	var last uint32
	for i, doc := range h.docs {
		e.int(int64(doc) - int64(last))
		e.fixed(h.hashes[i])
		last = doc
	}
	return e.b
}

// decodeHead reads a head; with docs unset only its facts.
func decodeHead(b []byte, docs bool) (*head, error) {
	d := &decoder{b: string(b)}
	if d.byte() != headVersion {
		return nil, errDamaged
	}
	h := &head{facts: d.facts()}
	if !docs {
		return h, d.err()
	}
	n := d.count()
	if n < 0 {
		return nil, errDamaged
	}
	h.docs, h.hashes = make([]uint32, 0, n), make([]uint64, 0, n)
	var last uint32
	for range n {
		last = uint32(int64(last) + d.int())
		h.docs = append(h.docs, last)
		h.hashes = append(h.hashes, d.fixed())
	}
	return h, d.err()
}

// head reads the head of a page.
func (s *Store) head(c *conn, page int64, docs bool) (*head, error) {
	s.work.heads.Add(1)
	b, err := c.blob("SELECT data FROM head WHERE page = ?", page)
	if err != nil {
		return nil, err
	}
	return decodeHead(b, docs)
}
