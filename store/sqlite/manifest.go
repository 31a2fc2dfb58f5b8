package sqlite

import "github.com/retold-history/retold"

const manifestVersion = 1

// A manifest says what a session's messages are: the pages that hold them, in
// order. A page that no manifest names is no part of the library.
type manifest struct {
	title     uint32 // document of its title; 0 when it has none
	titleHash uint64 // of the title and time that were indexed
	pages     []pageRef
}

// A pageRef is one page of a session.
type pageRef struct {
	id       int64
	messages int
	raw      int    // bytes before compression
	low, top uint32 // lowest and highest document in it
}

// messages is how many the session has.
func (m *manifest) messages() (n int) {
	for _, p := range m.pages {
		n += p.messages
	}
	return n
}

// at returns the place of the page that holds message n and the index of that
// page's first message; len(pages) when there is no such message.
func (m *manifest) at(n int) (page, first int) {
	for i, p := range m.pages {
		if n < first+p.messages {
			return i, first
		}
		first += p.messages
	}
	return len(m.pages), first
}

func (m *manifest) encode() []byte {
	e := &encoder{b: make([]byte, 0, 16+12*len(m.pages))}
	e.byte(manifestVersion)
	e.uint(uint64(m.title))
	e.fixed(m.titleHash)
	e.uint(uint64(len(m.pages)) + 1)
	var last pageRef
	for _, p := range m.pages {
		e.int(p.id - last.id)
		e.uint(uint64(p.messages))
		e.uint(uint64(p.raw))
		e.int(int64(p.low) - int64(last.low))
		e.uint(uint64(p.top - p.low))
		last = p
	}
	return e.b
}

func decodeManifest(b []byte) (*manifest, error) {
	d := &decoder{b: string(b)}
	if d.byte() != manifestVersion {
		return nil, errDamaged
	}
	m := &manifest{title: uint32(d.uint()), titleHash: d.fixed()}
	n := d.count()
	if n < 0 {
		return nil, errDamaged
	}
	m.pages = make([]pageRef, 0, n)
	var last pageRef
	for range n {
		p := pageRef{id: last.id + d.int(), messages: int(d.uint()), raw: int(d.uint()), low: uint32(int64(last.low) + d.int())}
		p.top = p.low + uint32(d.uint())
		m.pages = append(m.pages, p)
		last = p
	}
	return m, d.err()
}

// manifest reads the manifest of a session.
func (c *conn) manifest(session int64) (*manifest, error) {
	b, err := c.blob("SELECT manifest FROM detail WHERE session = ?", session)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, errDamaged
	}
	return decodeManifest(b)
}

// manifestOf reads the manifest of the session with a key.
func (c *conn) manifestOf(key retold.Key) (*manifest, error) {
	n, err := c.session(key)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, noSession(key.ID)
	}
	return c.manifest(n)
}

// number returns a session's number; 0 when there is no such session.
func (c *conn) session(key retold.Key) (int64, error) {
	return c.number("SELECT id FROM session WHERE family = ? AND sid = ?", key.Family, key.ID)
}
