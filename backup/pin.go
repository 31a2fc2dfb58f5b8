package backup

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// maxPinned is how many bytes of pages are kept in memory while databases are
// checked.
const maxPinned = 16 << 20

// pins are pages of a database that SQLite will ask for in no order: those of
// indexes, and the inner ones of tables. They are kept when a chunk is unpacked for
// the first time, so that each of them does not cost the unpacking of one later. An other page that looks like one is kept too, which does no harm.
type pins struct {
	mu    sync.RWMutex
	size  int64 // of a page
	pages map[int64][]byte
	spilt map[int64]int64 // where others lie in the spill
	spill *spill
	slab  []byte        // memory for the next ones
	left  *atomic.Int64 // bytes that may be kept still
}

// read copies a page that is kept.
func (p *pins) read(b []byte, off int64) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.size == 0 || int64(len(b)) != p.size || off%p.size != 0 {
		return false
	}
	if page, ok := p.pages[off]; ok {
		return copy(b, page) == len(b)
	}
	at, ok := p.spilt[off]
	return ok && p.spill.get(b, at)
}

// note keeps what is to be kept of a chunk at off.
func (p *pins) note(chunk []byte, off int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if off == 0 && len(chunk) > 100 && p.pages == nil {
		if p.size = int64(binary.BigEndian.Uint16(chunk[16:])); p.size == 1 {
			p.size = 1 << 16
		}
		p.pages, p.spilt = map[int64][]byte{}, map[int64]int64{}
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
	if _, spilt := p.spilt[off]; spilt || p.pages[off] != nil {
		return
	}
	if p.left.Add(-p.size) < 0 {
		p.left.Add(p.size)
		if at, ok := p.spill.put(page); ok {
			p.spilt[off] = at
		}
		return
	}
	if int64(len(p.slab)) < p.size {
		p.slab = make([]byte, slab)
	}
	kept := p.slab[:p.size:p.size]
	p.slab = p.slab[p.size:]
	copy(kept, page)
	p.pages[off] = kept
}
