package index

import (
	"cmp"
	"slices"
)

// Build makes a segment of what was added and leaves the builder empty, ready for
// more. A builder to which nothing was added gives a segment without docs.
func (b *Builder) Build() *Segment {
	seg := &Segment{}
	w := &writer{emit: func(row []byte, cut bool) error {
		seg.Rows, seg.Cuts = append(seg.Rows, row), append(seg.Cuts, cut)
		return nil
	}}
	head, err := b.write(w)
	if err != nil { // emit never fails
		panic(err)
	}
	seg.Info = infoOf(b.docs, b.tokens, head)
	b.reset()
	return seg
}

func infoOf(docs []docFacts, tokens int64, head []byte) Info {
	info := Info{Docs: len(docs), Tokens: tokens, Head: head}
	if len(docs) > 0 {
		info.First, info.Last = docs[0].doc, docs[len(docs)-1].doc
	}
	return info
}

// write inverts the postings: once they are counted by word, one pass over the
// messages in order of doc puts each where it belongs.
func (b *Builder) write(w *writer) ([]byte, error) {
	for i := range b.docs {
		b.docs[i].end = len(b.postIDs)
		if i+1 < len(b.docs) {
			b.docs[i].end = b.docs[i+1].first
		}
	}
	byDoc := func(x, y docFacts) int { return cmp.Compare(x.doc, y.doc) }
	if !slices.IsSortedFunc(b.docs, byDoc) {
		slices.SortFunc(b.docs, byDoc)
	}
	head, err := writeColumns(w, b.docs, b.names.list)
	if err != nil {
		return nil, err
	}
	order := b.sorted()
	next := b.starts(order)
	docs, how := make([]uint32, len(b.postIDs)), make([]uint8, len(b.postIDs))
	for i := range b.docs {
		for p := b.docs[i].first; p < b.docs[i].end; p++ {
			at := &next[b.postIDs[p]]
			docs[*at], how[*at] = uint32(i), b.postHow[p]
			*at++
		}
	}
	start := uint32(0)
	for _, id := range order {
		end := next[id]
		if err := w.add(b.vocabulary.text(id), docs[start:end], how[start:end]); err != nil {
			return nil, err
		}
		start = end
	}
	return w.finish(head, b.docs, b.jointsOf)
}

// jointsOf gives the filters of a class to be written.
func (b *Builder) jointsOf(class int) (func(k, n int) uint64, error) {
	var from []int
	for i := range b.docs {
		if int(b.docs[i].joints) == class {
			from = append(from, b.docs[i].filter)
		}
	}
	return func(k, n int) uint64 { return b.filters[from[k]+n] }, nil
}

// starts returns, for each word, where its postings begin when all are in the
// order of words given.
func (b *Builder) starts(order []uint32) []uint32 {
	next := make([]uint32, len(b.words))
	for _, id := range b.postIDs {
		next[id]++
	}
	at := uint32(0)
	for _, id := range order {
		at, next[id] = at+next[id], at
	}
	return next
}
