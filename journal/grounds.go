package journal

import (
	"slices"
	"strings"
)

// A book holds the files of a repository that matter, by path.
type book struct {
	grounds map[string]*ground
	order   []*ground         // as they came
	names   map[string]string // a path to the path that stands for all its names
	edits   []*placed         // in order of time
	next    int               // the first of edits that is not applied
	fold    bool              // case does not count in paths
}

func newBook(fold bool) *book {
	return &book{grounds: map[string]*ground{}, names: map[string]string{}, fold: fold}
}

// pathKey is a path as it is compared: bytes that are no text look to most
// programs like U+FFFD.
func (b *book) pathKey(p string) string {
	p = strings.ToValidUTF8(p, "\uFFFD")
	if b.fold {
		p = strings.ToLower(p)
	}
	return p
}

// rename makes two paths names of one file.
func (b *book) rename(from, to string) {
	from, to = b.name(b.pathKey(from)), b.name(b.pathKey(to))
	if from != to {
		b.names[from] = to
	}
}

func (b *book) name(key string) string {
	for range len(b.names) + 1 {
		next, ok := b.names[key]
		if !ok {
			break
		}
		key = next
	}
	return key
}

// ground is the file with a path; nil when no edit touched it.
func (b *book) ground(path string) *ground { return b.grounds[b.name(b.pathKey(path))] }

// enter puts edits into the files they are of. All names have to be known before.
func (b *book) enter(edits []*placed) {
	b.edits = edits
	slices.SortStableFunc(b.edits, byTime)
	for _, p := range b.edits {
		if p.kind.setback() {
			continue
		}
		key := b.name(b.pathKey(p.rel))
		g := b.grounds[key]
		if g == nil {
			g = newGround()
			b.grounds[key] = g
			b.order = append(b.order, g)
		}
		g.put(p)
	}
}

// until applies the edits up to a time.
func (b *book) until(ms int64) {
	for b.next < len(b.edits) && b.edits[b.next].time <= ms {
		if p := b.edits[b.next]; p.kind.setback() {
			b.setBack(p)
		} else {
			p.apply()
		}
		b.next++
	}
}
