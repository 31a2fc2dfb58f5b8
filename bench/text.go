package bench

import (
	_ "embed"
	"math"
	"math/rand/v2"
	"strings"
	"unicode/utf8"
)

//go:embed words.txt
var wordList string

const hanzi = "的一是不了在有人我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"

// A text makes words with the frequencies of natural language (Zipf's law), so
// that a search for a common word finds a great deal and one for a rare word
// almost nothing.
type text struct {
	rng   *rand.Rand
	words []string
	han   []string
	pick  alias
	hans  alias
}

// vocabulary is how many different words there are.
const vocabulary = 24000

func newText(rng *rand.Rand) *text {
	t := &text{rng: rng}
	seen := map[string]bool{}
	for w := range strings.FieldsSeq(wordList) {
		if !seen[w] {
			seen[w] = true
			t.words = append(t.words, w)
		}
	}
	for len(t.words) < vocabulary {
		if w := t.invent(2 + rng.IntN(3)); !seen[w] {
			seen[w] = true
			t.words = append(t.words, w)
		}
	}
	for _, r := range hanzi {
		t.han = append(t.han, string(r))
	}
	t.pick = newAlias(len(t.words), 1.03)
	t.hans = newAlias(len(t.han), 0.9)
	return t
}

// invent makes a word that sounds like one. It never begins with "zq", which is
// kept for markers.
func (t *text) invent(syllables int) string {
	const onset = "bcdfghjklmnprstvw"
	const vowel = "aeiou"
	const coda = "nrstlmdk"
	var b []byte
	for range syllables {
		b = append(b, onset[t.rng.IntN(len(onset))], vowel[t.rng.IntN(len(vowel))])
		if t.rng.IntN(3) == 0 {
			b = append(b, coda[t.rng.IntN(len(coda))])
		}
	}
	return string(b)
}

func (t *text) word() string { return t.words[t.pick.draw(t.rng)] }

// around is a length spread about a median as sizes of real messages are: most
// are near it, a few twenty times as long.
func (t *text) around(median int) int {
	f := math.Exp(t.rng.NormFloat64() * 0.8)
	return max(1, int(float64(median)*min(f, 20)))
}

// prose appends about n bytes of sentences with some Markdown.
func (t *text) prose(dst []byte, n int) []byte {
	end := len(dst) + n
	start := true
	for len(dst) < end {
		w := t.word()
		switch r := t.rng.Uint32() % 64; {
		case start:
			dst = append(dst, w[0]&^0x20)
			dst = append(dst, w[1:]...)
			start = false
		case r == 0:
			dst = append(append(append(dst, '`'), w...), "()`"...)
		case r == 1:
			dst = append(append(append(dst, "**"...), w...), "**"...)
		default:
			dst = append(dst, w...)
		}
		switch r := t.rng.Uint32() % 48; {
		case r < 4:
			dst = append(dst, ". "...)
			start = true
		case r == 4:
			dst = append(dst, ".\n\n"...)
			start = true
		case r == 5:
			dst = append(dst, ":\n- "...)
		case r < 9:
			dst = append(dst, ", "...)
		default:
			dst = append(dst, ' ')
		}
	}
	return append(dst, '.')
}

// chinese appends about n bytes of text without spaces.
func (t *text) chinese(dst []byte, n int) []byte {
	for end := len(dst) + n; len(dst) < end; {
		dst = append(dst, t.han[t.hans.draw(t.rng)]...)
		if t.rng.Uint32()%14 == 0 {
			dst = append(dst, "，"...)
		}
	}
	return append(dst, "。"...)
}

// say appends what a person or a model would write: English, now and then
// Chinese.
func (t *text) say(dst []byte, n int) []byte {
	if t.rng.Uint32()%12 == 0 {
		return t.chinese(dst, n)
	}
	return t.prose(dst, n)
}

func (t *text) ident(dst []byte) []byte {
	dst = append(dst, t.word()...)
	w := t.word()
	dst = append(dst, w[0]&^0x20)
	return append(dst, w[1:]...)
}

// An alias draws from a Zipf distribution in constant time (Vose's method).
type alias struct {
	keep []uint32
	to   []uint32
}

func newAlias(n int, s float64) alias {
	p := make([]float64, n)
	sum := 0.0
	for i := range p {
		p[i] = 1 / math.Pow(float64(i)+2.7, s)
		sum += p[i]
	}
	a := alias{make([]uint32, n), make([]uint32, n)}
	var low, high []int
	for i := range p {
		p[i] *= float64(n) / sum
		if p[i] < 1 {
			low = append(low, i)
		} else {
			high = append(high, i)
		}
	}
	for len(low) > 0 && len(high) > 0 {
		l, h := low[len(low)-1], high[len(high)-1]
		low = low[:len(low)-1]
		a.keep[l], a.to[l] = uint32(p[l]*math.MaxUint32), uint32(h)
		if p[h] -= 1 - p[l]; p[h] < 1 {
			high = high[:len(high)-1]
			low = append(low, h)
		}
	}
	for _, i := range append(low, high...) {
		a.keep[i], a.to[i] = math.MaxUint32, uint32(i)
	}
	return a
}

func (a alias) draw(rng *rand.Rand) int {
	r := rng.Uint64()
	i := uint32((r >> 32) * uint64(len(a.keep)) >> 32)
	if uint32(r) <= a.keep[i] {
		return int(i)
	}
	return int(a.to[i])
}

const hexDigits = "0123456789abcdef"

// quote appends s as JavaScript's JSON.stringify would.
func quote[T string | []byte](dst []byte, s T) []byte {
	dst = append(dst, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}

// cut shortens b to at most n bytes without splitting a character.
func cut(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}
