package index

import (
	"strings"
	"unicode/utf8"
)

// Texts are split in pieces that fit the processor's cache, cut where no word and
// no letter can span the cut.
const (
	pieceBytes = 16 << 10
	maxScratch = 1 << 20 // a buffer that grew beyond is not kept
	farASCII   = 32      // so much ASCII behind other text is taken for itself
)

func (b *Builder) text(s string) bool { return addText(b, s) }

func (b *Builder) textBytes(s []byte) bool { return addText(b, s) }

// addText adds the words of a text. Stretches of ASCII, most of what there is,
// are split as they stand, so that the letter case in identifiers is seen; the
// rest is folded first.
func addText[T string | []byte](b *Builder, s T) bool {
	b.joiner.cut()
	for len(s) > 0 {
		n := asciiPrefix(s[:min(len(s), pieceBytes)])
		if n < len(s) {
			n = afterWord(s, n)
		}
		if n > 0 {
			splitASCII(b, s[:n])
			s = s[n:]
			continue
		}
		n = wideStretch(s)
		b.fold = foldText(b.fold[:0], s[:n])
		b.split(b.fold)
		s = s[n:]
	}
	if cap(b.fold) > maxScratch {
		b.fold = nil
	}
	return true
}

// asciiPrefix returns how many bytes at the start of s are ASCII.
func asciiPrefix[T string | []byte](s T) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if (s[i]|s[i+1]|s[i+2]|s[i+3]|s[i+4]|s[i+5]|s[i+6]|s[i+7])&utf8.RuneSelf != 0 {
			break
		}
	}
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// afterWord returns the end of the last character in s[:n], all ASCII, that is in
// no word; 0 when there is none.
func afterWord[T string | []byte](s T, n int) int {
	for n > 0 && asciiClass[s[n-1]] != apart {
		n--
	}
	return n
}

// wideStretch returns how much of s to fold at once: up to and with an ASCII
// character that is in no word and has only ASCII behind it for a while.
func wideStretch[T string | []byte](s T) int {
	for i := 0; i < len(s); i++ {
		if asciiClass[s[i]] != apart {
			continue
		}
		next := s[i+1 : min(len(s), i+1+farASCII)]
		if i >= pieceBytes || asciiPrefix(next) == len(next) {
			return i + 1
		}
	}
	return len(s)
}

// What ASCII is to an identifier.
const (
	isLower = 1 << iota
	isUpper
	isDigit
	isUnder
)

var kindOfASCII = func() (t [256]uint8) {
	for c := range t {
		switch {
		case c >= 'a' && c <= 'z':
			t[c] = isLower
		case c >= 'A' && c <= 'Z':
			t[c] = isUpper
		case c >= '0' && c <= '9':
			t[c] = isDigit
		case c == '_':
			t[c] = isUnder
		}
	}
	return t
}()

// splitASCII adds the words of ASCII text.
func splitASCII[T string | []byte](b *Builder, s T) {
	b.fold = append(append(b.fold[:0], s...), "12345678"...) // post may look at these
	text := b.fold[:len(s)]
	lowerASCII(text)
	var w []byte // the last word
	for i := 0; i < len(text); {
		first := kindOfASCII[s[i]]
		if first == 0 {
			b.joiner.apartBy(text[i], w)
			i++
			continue
		}
		start, rest := i, first&(isUnder|isDigit)
		for i++; i < len(s); i++ {
			k := kindOfASCII[s[i]]
			if k == 0 {
				break
			}
			rest |= k
		}
		w = cutWord(text[start:i])
		whole := rest&(isUpper|isUnder) == 0
		if len(w) <= 8 {
			b.shortWord(w, rest&(isUnder|isDigit) == 0, whole)
		} else {
			b.longWord(text[start:i], w, rest&(isUnder|isDigit) == 0, whole)
		}
		if !whole {
			addIdentifier(b, s[start:i], text[start:i])
		}
	}
}

// shortWord notes a word of ASCII of up to eight bytes, whether it is made of
// letters only, and adds it if it is whole.
func (b *Builder) shortWord(w []byte, letters, whole bool) {
	key, n := keyOf(w), len(w)
	hash := mix(key, uint64(n))
	if letters {
		b.joiner.word(w, hash|1)
	} else {
		b.joiner.word(w, 0)
	}
	if whole {
		b.tokens++
		b.postHashed(key, uint32(n), hash, asWhole)
	}
}

// longWord is shortWord for longer ones; w is what of the text is searched.
func (b *Builder) longWord(text, w []byte, letters, whole bool) {
	key := hashBytes(w)
	if letters && len(w) <= longestPlain {
		b.joiner.word(w, key|1)
	} else {
		b.joiner.word(w, 0)
	}
	if whole {
		b.long = b.long || len(w) < len(text)
		b.tokens++
		b.postLong(w, key, asWhole)
	}
}

// split adds the words of folded text.
func (b *Builder) split(text []byte) {
	for i := 0; i < len(text); {
		switch asciiClass[text[i]] {
		case apart:
			b.joiner.joinGap(text, i, 1)
			i++
		case inner:
			i = b.wideWord(text, i, i+1)
		default:
			r, size := utf8.DecodeRune(text[i:])
			switch class(r) {
			case apart:
				b.joiner.joinGap(text, i, size)
				i += size
			case inner:
				i = b.wideWord(text, i, i+size)
			default:
				i = b.ideographs(text, i)
			}
		}
	}
}

// wideWord adds the word that begins at start and goes on to i at least, and
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
	w, hash := cutWord(text[start:i]), uint64(0)
	if isPlain(w) {
		hash = wordHash(w)
	}
	b.joiner.word(w, hash)
	b.joiner.end = w
	b.word(text[start:i])
	return i
}

// ideographs adds a run of Han and kana as its overlapping pairs and its last
// character, so that one character is found as a prefix and two as a word.
func (b *Builder) ideographs(text []byte, i int) int {
	b.joiner.wide()
	_, size := utf8.DecodeRune(text[i:])
	for {
		next := i + size
		r, n := utf8.DecodeRune(text[next:])
		if n == 0 || class(r) != alone {
			b.tokens++
			b.post(text[i:next], asWhole)
			return next
		}
		b.tokens++
		b.post(text[i:next+n], asWhole)
		i, size = next, n
	}
}

func (b *Builder) word(w []byte) {
	if len(w) > maxWord {
		w = cutWord(w)
		b.long = true
	}
	b.tokens++
	b.post(w, asWhole)
}

// lowerField is how retold.Filter compares names and paths.
func lowerField(s string) string {
	if len(s) > maxField {
		s = s[:maxField]
	}
	return strings.ToLower(s)
}
