package index

import (
	"cmp"
	"math"
	"slices"
)

// A candidate is a doc that was found or may have been.
type candidate struct {
	score float64
	when  int64
	doc   uint32
	sess  uint32
	seg   int32
	at    int32
}

// order is the total order of hits, best first.
func order(a, b candidate) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	if a.when != b.when {
		return cmp.Compare(b.when, a.when)
	}
	return cmp.Compare(b.doc, a.doc)
}

// A heap gives candidates best first. With most set it keeps no more than that
// many.
type heap struct {
	most int
	list []candidate
}

// add takes a candidate. While it is limited the list is a heap with the worst
// on top.
func (h *heap) add(c candidate) {
	switch {
	case h.most < 0 || len(h.list) < h.most:
		h.list = append(h.list, c)
		if h.most >= 0 {
			siftUp(h.list, worse)
		}
	case h.most > 0 && order(c, h.list[0]) < 0:
		h.list[0] = c
		siftDown(h.list, 0, worse)
	}
}

// least is a score below which nothing is taken.
func (h *heap) least() float64 {
	if h.most <= 0 || len(h.list) < h.most {
		return math.Inf(-1)
	}
	return h.list[0].score
}

func (h *heap) ready() {
	if h.most >= 0 {
		slices.SortFunc(h.list, order)
		return
	}
	for i := len(h.list)/2 - 1; i >= 0; i-- {
		siftDown(h.list, i, better)
	}
}

// next removes the n best.
func (h *heap) next(n int) []candidate {
	n = min(n, len(h.list))
	if h.most >= 0 {
		out := h.list[:n]
		h.list = h.list[n:]
		return out
	}
	out := make([]candidate, 0, n)
	for range n {
		out = append(out, h.list[0])
		last := len(h.list) - 1
		h.list[0] = h.list[last]
		h.list = h.list[:last]
		if last > 0 {
			siftDown(h.list, 0, better)
		}
	}
	return out
}

func better(a, b *candidate) bool { return order(*a, *b) < 0 }
func worse(a, b *candidate) bool  { return order(*a, *b) > 0 }

func siftUp(list []candidate, before func(a, b *candidate) bool) {
	for i := len(list) - 1; i > 0; {
		up := (i - 1) / 2
		if !before(&list[i], &list[up]) {
			return
		}
		list[i], list[up] = list[up], list[i]
		i = up
	}
}

func siftDown(list []candidate, i int, before func(a, b *candidate) bool) {
	for {
		kid := 2*i + 1
		if kid >= len(list) {
			return
		}
		if kid+1 < len(list) && before(&list[kid+1], &list[kid]) {
			kid++
		}
		if !before(&list[kid], &list[i]) {
			return
		}
		list[i], list[kid] = list[kid], list[i]
		i = kid
	}
}
