package backup

import "encoding/binary"

// maxPinned is how many bytes of pages are kept while databases are checked.
const maxPinned = 24 << 20

// pins are pages of a database that SQLite will ask for in no order: those of
// indexes, and the inner ones of tables. They are kept when the file is read from
// beginning to end, so that each of them does not cost the unpacking of a chunk
// later. An other page that looks like one is kept too, which does no harm.
type pins struct {
	size  int64 // of a page
	pages map[int64][]byte
	slab  []byte // memory for the next ones
	left  *int64 // bytes that may be kept still
}

// read copies a page that is kept.
func (p *pins) read(b []byte, off int64) bool {
	if p == nil || p.size == 0 || int64(len(b)) != p.size || off%p.size != 0 {
		return false
	}
	page, ok := p.pages[off]
	return ok && copy(b, page) == len(b)
}

// note keeps what is to be kept of a chunk at off.
func (p *pins) note(chunk []byte, off int64) {
	if off == 0 && len(chunk) > 100 {
		if p.size = int64(binary.BigEndian.Uint16(chunk[16:])); p.size == 1 {
			p.size = 1 << 16
		}
		p.pages = map[int64][]byte{}
	}
	if p.size < 512 {
		return
	}
	for i := int64(0); i+p.size <= int64(len(chunk)); i += p.size {
		switch chunk[i] {
		case 0x02, 0x0a, 0x05: // inner and leaf of an index, inner of a table
			p.keep(chunk[i:i+p.size], off+i)
		}
	}
}

func (p *pins) keep(page []byte, off int64) {
	const slab = 1 << 20
	if *p.left < p.size {
		return
	}
	if int64(len(p.slab)) < p.size {
		p.slab = make([]byte, slab)
	}
	kept := p.slab[:p.size:p.size]
	p.slab = p.slab[p.size:]
	copy(kept, page)
	p.pages[off] = kept
	*p.left -= p.size
}
