package index

import (
	"cmp"
	"slices"
)

// Build makes a segment of what was added and leaves the builder empty, ready for
// more. A builder to which nothing was added gives a segment without docs.
func (b *Builder) Build() *Segment {
	seg := &Segment{}
	w := &writer{emit: func(row []byte) error {
		seg.Rows = append(seg.Rows, row)
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

// write inverts the postings: they are counted by word already, so one pass over
// the messages in order of doc puts each where it belongs.
func (b *Builder) write(w *writer) ([]byte, error) {
	ends := make(map[uint32]int, 0)
	inOrder := slices.IsSortedFunc(b.docs, func(x, y docFacts) int { return cmp.Compare(x.doc, y.doc) })
	if !inOrder {
		for i := range b.docs {
			ends[b.docs[i].doc] = b.endOf(i)
		}
		slices.SortFunc(b.docs, func(x, y docFacts) int { return cmp.Compare(x.doc, y.doc) })
	}
	head, err := writeColumns(w, b.docs, b.names.list)
	if err != nil {
		return nil, err
	}
	order := b.sorted()
	at := uint32(0)
	for _, id := range order {
		b.words[id].at = at
		at += b.words[id].df
	}
	docs, tfs := make([]uint32, at), make([]uint8, at)
	for i := range b.docs {
		end := 0
		if inOrder {
			end = b.endOf(i)
		} else {
			end = ends[b.docs[i].doc]
		}
		for p := b.docs[i].first; p < end; p++ {
			word := &b.words[b.postIDs[p]]
			docs[word.at], tfs[word.at] = uint32(i), b.postTFs[p]
			word.at++
		}
	}
	for _, id := range order {
		word := &b.words[id]
		if err := w.add(b.vocabulary.text(id), docs[word.at-word.df:word.at], tfs[word.at-word.df:word.at]); err != nil {
			return nil, err
		}
	}
	return w.finish(head)
}

func (b *Builder) endOf(i int) int {
	if i+1 < len(b.docs) {
		return b.docs[i+1].first
	}
	return len(b.postIDs)
}
