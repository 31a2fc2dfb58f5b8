package index

import "bytes"

// Identifiers, like useEffect or max_size, are many and mostly made of few words.
// A word of ASCII that has more than one part (at a change from small letter or
// digit to capital, before the last of several capitals, before each _) is not
// listed itself, but its parts are, without _, and between any two of them the
// seam: the two bytes before it, a stroke, and the two bytes after it (three when
// the first is _). A word that begins with _ has a seam before its first part
// too. So what stands inside of a part is found by the part, and what stands
// across parts by the seams, for certain as far as these reach, else as a
// candidate.

const (
	seamStroke = '|'
	seamReach  = 2
	mostParts  = 12  // words of more parts,
	longestID  = 128 // or longer, are listed as they are,
	junkLength = 20  // and so are those longer than this with letters after digits twice
)

// addIdentifier adds a word of ASCII; text is s in lower case.
func addIdentifier[T string | []byte](b *Builder, s T, text []byte) {
	var seams [mostParts]int
	n, digits := 0, 0
	if len(s) > longestID {
		b.word(text)
		return
	}
	for i := range len(s) {
		if i > 0 && kindOfASCII[s[i-1]] == isDigit && kindOfASCII[s[i]]&(isLower|isUpper) != 0 {
			digits++
		}
		if !seamAt(s, i) {
			continue
		}
		if n == mostParts {
			b.word(text)
			return
		}
		seams[n] = i
		n++
	}
	if n == 0 || n == 1 && len(s) == 1 || digits > 1 && len(s) > junkLength {
		b.word(text)
		return
	}
	b.tokens++
	how, from := uint8(asStart), 0
	for _, at := range seams[:n] {
		if at > 0 {
			b.part(text[from:at], how)
		}
		how, from = asPart, at
		b.seam(text, at)
	}
	b.part(text[from:], how)
}

// seamAt reports whether a part begins at i that another comes before.
func seamAt[T string | []byte](s T, i int) bool {
	if s[i] == '_' {
		return true
	}
	if i == 0 || kindOfASCII[s[i]] != isUpper {
		return false
	}
	switch kindOfASCII[s[i-1]] {
	case isUnder:
		return false
	case isUpper:
		return i+1 < len(s) && kindOfASCII[s[i+1]] == isLower
	}
	return true
}

func (b *Builder) part(text []byte, how uint8) {
	if text[0] == '_' {
		text = text[1:]
	}
	if len(text) > 0 {
		b.post(text, how)
	}
}

// seam posts the entry of a seam, which is never longer than eight bytes.
func (b *Builder) seam(text []byte, at int) {
	key, n := uint64(seamMark), uint32(1)
	for _, c := range text[max(0, at-seamReach):at] {
		key |= uint64(c) << (8 * n)
		n++
	}
	key |= uint64(seamStroke) << (8 * n)
	n++
	for _, c := range text[at:min(len(text), at+reach(text[at:]))] {
		key |= uint64(c) << (8 * n)
		n++
	}
	b.postShort(key, n, asWhole)
}

// reach returns how many bytes behind a seam its entry holds.
func reach(after []byte) int {
	if len(after) > 0 && after[0] == '_' {
		return seamReach + 1
	}
	return seamReach
}

// maySpan reports whether a text may stand across parts of a word.
func maySpan(text []byte) bool {
	if len(text) == 0 || len(text) > longestID {
		return false
	}
	return !bytes.ContainsFunc(text, func(r rune) bool { return r >= 0x80 || kindOfASCII[byte(r)] == 0 })
}
