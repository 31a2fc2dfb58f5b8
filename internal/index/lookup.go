package index

import (
	"bytes"
	"context"
	"errors"
)

// lookup visits the words that a want asks for.
func (r *Reader) lookup(ctx context.Context, w want, visit func(entry) error) error {
	key := append([]byte(w.field), w.text...)
	switch w.kind {
	case wantExact, wantPrefix:
		return r.lookupRange(ctx, key, gramsOf(w), func(word []byte, _ int) (bool, error) {
			if bytes.HasPrefix(word, key) {
				return w.kind == wantPrefix || len(word) == len(key), nil
			}
			if bytes.Compare(word, key) > 0 {
				return false, errStop
			}
			return false, nil
		}, visit)
	}
	grams := gramsOf(w)
	if w.field != "" {
		field := []byte(w.field)
		return r.scan(ctx, r.blockOf(field), r.blockAfter(field), grams, w.within(func(word []byte) bool {
			return bytes.HasPrefix(word, field)
		}), visit)
	}
	return r.scan(ctx, r.blockOf([]byte{seamMark + 1}), len(r.blocks), grams, w.within(func(word []byte) bool {
		return len(word) > 0 && word[0] > seamMark
	}), visit)
}

// within wants the words of a range that end with the text or hold it, behind the
// field's name. Where a word was met is known for the next, as far as they are the
// same, so that only what is new in a word is searched.
func (w *want) within(in func(word []byte) bool) wanting {
	text, from := w.text, len(w.field)
	if w.kind == wantSuffix {
		return func(word []byte, _ int) (bool, error) {
			return len(word)-from >= len(text) && bytes.HasSuffix(word, text) && in(word), nil
		}
	}
	end := -1 // of the text in the word before
	return func(word []byte, shared int) (bool, error) {
		if end < 0 || end > shared {
			start := from
			if end = -1; shared-len(text)+1 > start {
				start = shared - len(text) + 1
			}
			if start > len(word) {
				return false, nil
			}
			at := indexNear(word[start:], text)
			if at < 0 {
				return false, nil
			}
			end = start + at + len(text)
		}
		return in(word), nil
	}
}

// indexNear is bytes.Index, which takes its time to begin; what is searched here
// are a few bytes mostly.
func indexNear(s, text []byte) int {
	if len(s) > 16 || len(text) == 0 {
		return bytes.Index(s, text)
	}
	first := text[0]
	for i := 0; i+len(text) <= len(s); i++ {
		if s[i] == first && bytes.HasPrefix(s[i:], text) {
			return i
		}
	}
	return -1
}

// blockAfter returns the first block in which no word begins with prefix,
// after those in which some may.
func (r *Reader) blockAfter(prefix []byte) int {
	n := r.blockOf(prefix)
	for n++; n < len(r.blocks); n++ {
		if from := r.blocks[n].from; bytes.Compare(from, prefix) > 0 && !bytes.HasPrefix(from, prefix) {
			break
		}
	}
	return n
}

// lookupRange visits the words in the blocks that may hold words with a prefix.
func (r *Reader) lookupRange(ctx context.Context, prefix []byte, grams []uint32, want wanting, visit func(entry) error) error {
	return r.scan(ctx, r.blockOf(prefix), r.blockAfter(prefix), grams, want, visit)
}

// scan visits words of the blocks from first up to end that may hold all grams.
func (r *Reader) scan(ctx context.Context, first, end int, grams []uint32, want wanting, visit func(entry) error) error {
	end = min(end, len(r.blocks))
	blocks, err := r.blocksWith(grams, first, end)
	if err != nil {
		return err
	}
	for n := first; n < end; n++ {
		if !blocks.has(n) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		err := r.eachEntry(n, want, visit)
		if errors.Is(err, errStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// gramsOf returns what a block's filter must have for the want to be met in it.
func gramsOf(w want) (list []uint32) {
	t := w.text
	for i := 0; i+3 <= len(t); i++ {
		list = append(list, gramOf(t[i], t[i+1], t[i+2]))
	}
	if n := len(t); (w.kind == wantSuffix || w.kind == wantExact) && n > 0 {
		list = append(list, gramOf(t[n-1], 0, 0))
		if n > 1 {
			list = append(list, gramOf(t[n-2], t[n-1], 0))
		}
	}
	return list
}
