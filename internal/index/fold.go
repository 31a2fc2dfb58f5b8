package index

import (
	_ "embed"
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Fold appends s to dst with everything taken off that a search does not look
// at: letter case, accents and other marks on letters, and the width and other
// compatibility forms of characters (ﬁ is fi, Ａ is a, ² is 2). Letters that are
// their own in their alphabet stay: й, ї, kana with voicing marks, Hangul, in
// whichever of the two ways Unicode has for them they were written. Bytes that
// are not UTF-8 become U+FFFD.
func Fold(dst []byte, s string) []byte { return foldText(dst, s) }

// foldStep is the most ASCII that is copied before looking at it, so that text
// which is none is not copied in vain.
const foldStep = 1024

func foldText[T string | []byte](dst []byte, s T) []byte {
	base := len(dst)
	for i := 0; i < len(s); {
		n := len(dst)
		dst = append(dst, s[i:min(i+foldStep, len(s))]...)
		k := lowerASCII(dst[n:])
		dst = dst[:n+k]
		i += k
		for plain := 0; i < len(s) && plain < 16; {
			if c := s[i]; c < utf8.RuneSelf {
				dst = append(dst, lower[c])
				plain++
				i++
				continue
			}
			plain = 0
			r, size := decode(s, i)
			dst = appendFolded(dst, base, r)
			i += size
		}
	}
	return dst
}

func decode[T string | []byte](s T, i int) (rune, int) {
	var buf [utf8.UTFMax]byte
	return utf8.DecodeRune(buf[:copy(buf[:], s[i:min(i+utf8.UTFMax, len(s))])])
}

var lower = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		t[c] = byte(unicode.ToLower(rune(c)))
	}
	return t
}()

// lowerASCII lowers b in place, eight bytes at a time, up to the first byte that
// is not ASCII, and returns its index.
func lowerASCII(b []byte) int {
	const ones = 0x0101010101010101
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		if w&(0x80*ones) != 0 {
			break
		}
		upper := (w + (0x80-'A')*ones) &^ (w + (0x80-'Z'-1)*ones) & (0x80 * ones)
		binary.LittleEndian.PutUint64(b[i:], w|upper>>2)
	}
	for ; i < len(b) && b[i] < utf8.RuneSelf; i++ {
		b[i] = lower[b[i]]
	}
	return i
}

// appendFolded appends what r folds to; a mark that makes a letter of its own
// with the one before (not before base) changes that.
func appendFolded(dst []byte, base int, r rune) []byte {
	switch {
	case r >= 0x4e00 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3:
		return utf8.AppendRune(dst, r)
	case composes(r):
		if prev, size := utf8.DecodeLastRune(dst[base:]); size > 0 {
			if whole := compose(prev, r); whole != 0 {
				return utf8.AppendRune(dst[:len(dst)-size], whole)
			}
		}
	}
	if r > 0xffff {
		if f := foldings().astral[r]; f != 0 {
			return utf8.AppendRune(dst, f)
		}
		return utf8.AppendRune(dst, unicode.ToLower(r))
	}
	t := foldings()
	switch f := t.plane[r]; {
	case f == 0:
		return utf8.AppendRune(dst, r)
	case f == foldAway:
		return dst
	case f >= foldMany && f < foldMany+2048:
		return append(dst, t.many[f-foldMany]...)
	default:
		return utf8.AppendRune(dst, rune(f))
	}
}

// composes reports whether r may make one letter with the one before it.
func composes(r rune) bool {
	return r == 0x306 || r == 0x308 || r == 0x3099 || r == 0x309a || r == 0xff9e || r == 0xff9f || r >= 0x1160 && r <= 0x11ff
}

// compose returns the letter that prev and a mark or jamo make, or 0.
func compose(prev, r rune) rune {
	switch {
	case r == 0x306 && prev == 'и':
		return 'й'
	case r == 0x308 && prev == 'і':
		return 'ї'
	case r == 0x3099 || r == 0xff9e:
		return voiced(prev)
	case r == 0x309a || r == 0xff9f:
		if strings.ContainsRune("はひふへほハヒフヘホ", prev) {
			return prev + 2
		}
	case r >= 0x1161 && r <= 0x1175 && prev >= 0x1100 && prev <= 0x1112:
		return 0xac00 + ((prev-0x1100)*21+r-0x1161)*28
	case r > 0x11a7 && r <= 0x11c2 && prev >= 0xac00 && prev <= 0xd7a3 && (prev-0xac00)%28 == 0:
		return prev + r - 0x11a7
	}
	return 0
}

func voiced(r rune) rune {
	switch {
	case strings.ContainsRune("かきくけこさしすせそたちつてとはひふへほカキクケコサシスセソタチツテトハヒフヘホ", r):
		return r + 1
	case r == 'う':
		return 'ゔ'
	case r == 'ウ':
		return 'ヴ'
	}
	return 0
}

const (
	foldAway = 0xffff // a mark that is dropped; no character has this number
	foldMany = 0xd800 // and more: several characters (the numbers of surrogates)
)

// A foldTable says what characters fold to: plane for the first 65,536 (0 for
// themselves), astral for those of the rest that change other than in case.
type foldTable struct {
	plane  [1 << 16]uint16
	many   []string
	astral map[rune]rune
}

// foldings unpacks the table when text that is not ASCII is first met.
//
// Each line of fold.txt is a character in hexadecimal, how many characters from
// there on fold alike (to the following ones each), and what it folds to. It was
// made from Unicode's data: compatibility decomposition, marks of Latin, Greek,
// Cyrillic, Hebrew and Arabic dropped, lower case, final sigma as any other.
// What only changes in case is left to package unicode.
var foldings = sync.OnceValue(func() *foldTable {
	t := &foldTable{astral: map[rune]rune{}}
	for _, c := range unicode.CaseRanges {
		for r := c.Lo; r <= c.Hi && r <= 0xffff; r++ {
			if l := unicode.ToLower(rune(r)); l != rune(r) {
				t.plane[r] = uint16(l)
			}
		}
	}
	for line := range strings.Lines(foldLines) {
		first, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		count, to, _ := strings.Cut(rest, " ")
		r, _ := strconv.ParseUint(first, 16, 32)
		n, _ := strconv.Atoi(count)
		for k := range n {
			t.set(rune(r)+rune(k), to, rune(k))
		}
	}
	return t
})

//go:embed fold.txt
var foldLines string

func (t *foldTable) set(r rune, to string, step rune) {
	first, size := utf8.DecodeRuneInString(to)
	switch {
	case r > 0xffff && size == len(to):
		t.astral[r] = first + step
	case r > 0xffff: // a few squared letters, left as they are
	case to == "":
		t.plane[r] = foldAway
	case size == len(to):
		t.plane[r] = uint16(first + step)
	default:
		t.plane[r] = foldMany + uint16(len(t.many))
		t.many = append(t.many, to)
	}
}
