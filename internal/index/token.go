package index

import (
	"strings"
	"unicode/utf8"
)

// Texts are folded and split in pieces that fit the processor's cache, cut where
// no word and no letter can span the cut.
const (
	pieceBytes = 16 << 10
	maxScratch = 1 << 20 // a buffer that grew beyond is not kept
)

func (b *Builder) text(s string) bool { return addText(b, s) }

func (b *Builder) textBytes(s []byte) bool { return addText(b, s) }

func addText[T string | []byte](b *Builder, s T) bool {
	for len(s) > 0 {
		n := piece(s)
		b.fold = foldText(b.fold[:0], s[:n])
		b.split(b.fold)
		s = s[n:]
	}
	if cap(b.fold) > maxScratch {
		b.fold = nil
	}
	return true
}

// piece returns how much of s to take at once: up to and with an ASCII
// character that is in no word.
func piece[T string | []byte](s T) int {
	if len(s) <= pieceBytes {
		return len(s)
	}
	for i := pieceBytes - 1; i > pieceBytes/2; i-- {
		if asciiClass[s[i]] == apart {
			return i + 1
		}
	}
	for i := pieceBytes; i < len(s); i++ {
		if asciiClass[s[i]] == apart {
			return i + 1
		}
	}
	return len(s)
}

// split adds the words of folded text.
func (b *Builder) split(text []byte) {
	for i := 0; i < len(text); {
		switch asciiClass[text[i]] {
		case apart:
			i++
		case inner:
			start := i
			for i++; i < len(text) && asciiClass[text[i]] == inner; i++ {
			}
			if i < len(text) && text[i] >= utf8.RuneSelf {
				i = b.wideWord(text, start, i)
				continue
			}
			b.word(text[start:i])
		default:
			r, size := utf8.DecodeRune(text[i:])
			switch class(r) {
			case apart:
				i += size
			case inner:
				i = b.wideWord(text, i, i+size)
			default:
				i = b.ideographs(text, i)
			}
		}
	}
}

// wideWord adds the word that begins at start and goes on at i at least, and
// returns its end.
func (b *Builder) wideWord(text []byte, start, i int) int {
	for i < len(text) {
		if text[i] < utf8.RuneSelf {
			if asciiClass[text[i]] != inner {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if class(r) != inner {
			break
		}
		i += size
	}
	b.word(text[start:i])
	return i
}

// ideographs adds a run of Han and kana as its overlapping pairs and its last
// character, so that one character is found as a prefix and two as a word.
func (b *Builder) ideographs(text []byte, i int) int {
	_, size := utf8.DecodeRune(text[i:])
	for {
		next := i + size
		r, n := utf8.DecodeRune(text[next:])
		if n == 0 || class(r) != alone {
			b.tokens++
			b.post(b.intern(text[i:next]))
			return next
		}
		b.tokens++
		b.post(b.intern(text[i : next+n]))
		i, size = next, n
	}
}

func (b *Builder) word(w []byte) {
	if len(w) > maxWord {
		w = cutWord(w)
		b.long = true
	}
	b.tokens++
	b.post(b.intern(w))
}

// lowerField is how retold.Filter compares names and paths.
func lowerField(s string) string {
	if len(s) > maxField {
		s = s[:maxField]
	}
	return strings.ToLower(s)
}
