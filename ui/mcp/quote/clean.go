package quote

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/retold-history/retold/redact"
	"github.com/retold-history/retold/render"
)

// Clean is a text without secrets, control characters and hidden characters.
// Secrets are looked for in the text as it was, where what is taken out keeps
// words apart, and in the text as it becomes, where what was taken out no longer
// hides them: in the middle of a key, or right before one.
func Clean(s string) string {
	if plain(s) {
		return redact.Text(s)
	}
	t := taken(marked(s, redact.Find(s)))
	found := append(t.found, t.hidden()...)
	return redact.Text(masked(t.text, found))
}

// Visible is a text without what would not be seen or would do something: what
// render.Plain takes out or spells out; tags, selectors, zero-width characters,
// fillers. Separators of lines and paragraphs become line ends. A joiner stays
// between two characters beyond ASCII, where scripts and emoji need it, and so
// does a selector after one.
func Visible(s string) string {
	if plain(s) {
		return s
	}
	return taken(marked(s, nil)).text
}

// plain reports text that stays as it is, apart from secrets.
func plain(s string) bool {
	return printable(s) || render.Plain(s) == s && strings.IndexFunc(s, hides) < 0
}

// hides reports characters that do not always stay.
func hides(r rune) bool {
	return r >= 0xad && (unseen(r) || r == 0x2028 || r == 0x2029 || r == utf8.RuneError || noteFound <= r && r <= noteTaken)
}

// Notes in a text about what was at their place before it was cleaned. Unicode
// keeps these for programs, so that no text loses anything by their use.
const (
	noteFound = '\ufdd0' // a secret begins
	noteEnd   = '\ufdd1' // and ends
	noteTaken = '\ufdd2' // something will be taken out here
)

// marked is a text with notes in it.
func marked(s string, found []redact.Finding) string {
	var b strings.Builder
	b.Grow(len(s) + 9*len(found) + 64)
	next := 0
	for i, r := range s {
		for next < len(found) && found[next].End <= i {
			b.WriteRune(noteEnd)
			next++
		}
		if next < len(found) && found[next].Start == i {
			b.WriteRune(noteFound)
		}
		size := 1
		switch {
		case noteFound <= r && r <= noteTaken:
			b.WriteRune(noteTaken)
			continue
		case r < utf8.RuneSelf:
		case r == utf8.RuneError:
			_, size = utf8.DecodeRuneInString(s[i:])
		default:
			size = utf8.RuneLen(r)
		}
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r >= 0x7f && r <= 0x9f {
			b.WriteRune(noteTaken)
		}
		b.WriteString(s[i : i+size])
	}
	for ; next < len(found); next++ {
		b.WriteRune(noteEnd)
	}
	return b.String()
}

// A cleaned is a text from which characters were taken.
type cleaned struct {
	text  string
	found []redact.Finding // secrets of the text before, without their rules

	core   string // the text without what stands for characters that were spelled out
	gaps   []int  // offsets in core where something is missing
	starts []int  // offsets in core from which on
	shifts []int  // so many more bytes come before in text
}

// taken takes out of a marked text what nobody sees, and the notes.
func taken(s string) *cleaned {
	t := &cleaned{}
	runes := []rune(render.Plain(s))
	var text, core strings.Builder
	text.Grow(len(s))
	start := -1
	last := rune(0) // that was kept
	gap := func() { t.gaps = append(t.gaps, core.Len()) }
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == noteFound:
			start = text.Len()
		case r == noteEnd:
			if start >= 0 {
				t.found = append(t.found, redact.Finding{Rule: "secret", Start: start, End: text.Len()})
			}
			start = -1
		case r == noteTaken, unseen(r) && !kept(r, last, runes[i+1:]):
			gap()
		default:
			instead := standsFor(runes[i:])
			if instead == "" {
				text.WriteRune(r)
				core.WriteRune(r)
				last = r
				continue
			}
			gap()
			text.WriteString(instead)
			t.starts, t.shifts = append(t.starts, core.Len()), append(t.shifts, text.Len()-core.Len())
			i += utf8.RuneCountInString(instead) - 1
			last = 0
		}
	}
	t.text, t.core = text.String(), core.String()
	return t
}

// standsFor is what is written for the character that a text begins with, where
// that is another; render.Plain has spelled out some already.
func standsFor(runes []rune) string {
	switch r := runes[0]; {
	case r == 0x2028 || r == 0x2029:
		return "\n"
	case r == utf8.RuneError:
		return string(r)
	case r == '⟨' && len(runes) >= len("<U+202E>"):
		if s := string(runes[:len("<U+202E>")]); strings.HasPrefix(s, "⟨U+20") && strings.HasSuffix(s, "⟩") {
			return s
		}
	}
	return ""
}

// kept reports whether a character that nobody sees belongs to the last one that
// was kept: in emoji, and in scripts that join their letters.
func kept(r, last rune, rest []rune) bool {
	switch {
	case last < utf8.RuneSelf || last == utf8.RuneError:
		return false
	case r == 0xfe0e || r == 0xfe0f:
		return !unseen(last)
	case r != 0x200c && r != 0x200d:
		return false
	}
	for len(rest) > 0 && rest[0] >= noteFound && rest[0] <= noteTaken {
		rest = rest[1:]
	}
	shaped := !unseen(last) || last == 0xfe0e || last == 0xfe0f
	return shaped && len(rest) > 0 && rest[0] >= utf8.RuneSelf && !unseen(rest[0]) && standsFor(rest) == ""
}

// masked puts a mask in the place of each secret; those that overlap get one.
func masked(s string, found []redact.Finding) string {
	slices.SortStableFunc(found, func(a, b redact.Finding) int { return a.Start - b.Start })
	var b strings.Builder
	at := 0
	for i := 0; i < len(found); {
		start, end, rule := found[i].Start, found[i].End, found[i].Rule
		for i++; i < len(found) && found[i].Start < end; i++ {
			end = max(end, found[i].End)
			if rule == "secret" {
				rule = found[i].Rule
			}
		}
		if start >= end {
			continue
		}
		b.WriteString(s[at:start])
		b.WriteString("[masked " + rule + "]")
		at = end
	}
	return b.String() + s[at:]
}
