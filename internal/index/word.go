package index

import (
	"unicode"
	"unicode/utf8"
)

// What a character of folded text is to a word.
const (
	apart = iota // separates words
	inner        // letter, digit, mark or _: words are the longest runs of these
	alone        // Han and kana: each is a word by itself
)

// asciiClass is the class of folded ASCII; 0xff marks the first byte of anything
// else.
var asciiClass = func() (t [256]byte) {
	for c := range t {
		switch {
		case c >= utf8.RuneSelf:
			t[c] = 0xff
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
			t[c] = inner
		}
	}
	return t
}()

func class(r rune) byte {
	switch {
	case r < utf8.RuneSelf:
		return asciiClass[byte(r)]
	case r >= 0x4e00 && r <= 0x9fff || r >= 0x3041 && r <= 0x3096 || r >= 0x30a1 && r <= 0x30fa:
		return alone
	case r >= 0x430 && r <= 0x45f || r >= 0xac00 && r <= 0xd7a3:
		return inner
	case r >= 0x2000 && r <= 0x206f || r >= 0x3000 && r <= 0x3004 || r == utf8.RuneError:
		return apart
	case r == 0x30fc || r >= 0x3005 && r <= 0x3007 || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return alone
		}
	}
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return inner
	}
	return apart
}

// joined reports whether no word ends between a and b.
func joined(a, b rune) bool { return class(a) == inner && class(b) == inner }

// edge reports whether folded text may be cut at i without cutting a word.
func edge(text []byte, i int) bool {
	if i <= 0 || i >= len(text) {
		return true
	}
	before, after := text[i-1], text[i]
	if before < utf8.RuneSelf && after < utf8.RuneSelf {
		return asciiClass[before] == apart || asciiClass[after] == apart
	}
	a, _ := utf8.DecodeLastRune(text[:i])
	b, _ := utf8.DecodeRune(text[i:])
	return !joined(a, b)
}

// cutWord returns the part of a folded word that is searched.
func cutWord[T string | []byte](word T) T {
	if len(word) <= maxWord {
		return word
	}
	end := maxWord
	for end > 0 && word[end]&0xc0 == 0x80 {
		end--
	}
	return word[:end]
}

// tails returns the parts of folded text that are not searched, because they are
// the ends of words longer than maxWord, in order.
func tails(text []byte) (out [][2]int) {
	for i := maxWord; i < len(text); i += maxWord {
		if asciiClass[text[i]] == apart {
			continue
		}
		start := wordStart(text, i)
		end := wordEnd(text, i)
		if end-start <= maxWord {
			continue
		}
		cut := start + len(cutWord(text[start:end]))
		out = append(out, [2]int{cut, end})
		i = max(i, end-end%maxWord)
	}
	return out
}

// wordStart returns where the word begins that the byte at i is in; i's
// character starts one when it is not part of any.
func wordStart(text []byte, i int) int {
	for i > 0 && text[i]&0xc0 == 0x80 {
		i--
	}
	for i > 0 && !edge(text, i) {
		_, size := utf8.DecodeLastRune(text[:i])
		i -= size
	}
	return i
}

func wordEnd(text []byte, i int) int {
	for i < len(text) && text[i]&0xc0 == 0x80 && i > 0 {
		i--
	}
	_, size := utf8.DecodeRune(text[i:])
	for i += size; !edge(text, i); i += size {
		_, size = utf8.DecodeRune(text[i:])
	}
	return i
}

// clip takes the tails out of folded text, in place.
func clip(text []byte) []byte {
	if len(text) <= maxWord {
		return text
	}
	cuts := tails(text)
	if cuts == nil {
		return text
	}
	out := text[:cuts[0][0]]
	for k, c := range cuts {
		next := len(text)
		if k+1 < len(cuts) {
			next = cuts[k+1][0]
		}
		out = append(out, text[c[1]:next]...)
	}
	return out
}
