package index

import "sync"

// lookers are those of one search that nobody uses: what they have unfolded texts
// into serves the next messages, too.
type lookers struct {
	mu   sync.Mutex
	free []*looker
}

// borrow returns a looker for terms that giveBack takes back.
func (p *lookers) borrow(terms []*term) *looker {
	l := newLooker(terms)
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		l.fold, l.json = p.free[n-1].fold, p.free[n-1].json
		p.free = p.free[:n-1]
	}
	return l
}

func (p *lookers) giveBack(l *looker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, l)
}
