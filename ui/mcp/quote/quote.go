// Package quote makes text from old conversations fit to be put before a model:
// without characters that hide or reorder, without secrets and bytes of images,
// cut where it is too long, and between marks that it cannot forge. All of it is
// pure.
package quote

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Safe is a text without secrets, control characters, hidden characters and
// inlined bytes. Doing it twice changes nothing more.
func Safe(s string) string { return Blobs(Clean(s)) }

// Line is Safe on one line: runs of white space become one space.
func Line(s string) string { return strings.Join(strings.Fields(Safe(s)), " ") }

// Title is Line cut to the length of a heading.
func Title(s string) string {
	s, _ = Cut(Line(s), 120)
	return s
}

// A Mark stands at the beginning and at the end of quoted text.
type Mark string

// NewMark returns a mark that occurs in none of the texts, whatever their
// letter case. It depends on nothing else, so that the same answer has the same
// mark; who wrote one of the texts long ago cannot have known it.
func NewMark(texts ...string) Mark {
	h := sha256.New()
	for _, t := range texts {
		h.Write([]byte(t))
		h.Write([]byte{0})
	}
	for {
		mark := "quoted-" + hex.EncodeToString(h.Sum(nil))[:10]
		clash := false
		for _, t := range texts {
			clash = clash || strings.Contains(strings.ToLower(t), mark)
		}
		if !clash {
			return Mark(mark)
		}
		h.Write([]byte(mark))
	}
}

// Open and Close are the lines around a quotation.
func (m Mark) Open() string { return "<" + string(m) + ">\n" }

// Close is the line after a quotation, on a line of its own.
func (m Mark) Close() string { return "\n</" + string(m) + ">" }

// Around puts a text between the marks.
func (m Mark) Around(text string) string { return m.Open() + text + m.Close() }

// escaped reports that a JSON text holds the escape of a character that Visible
// may change. It may report one too many: any surrogate.
func escaped(s string) bool {
	for {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			return false
		}
		switch s[i+1] {
		case 'b', 'f', 'r':
			return true
		case 'u':
			n, err := strconv.ParseUint(s[i+2:min(i+6, len(s))], 16, 32)
			if r := rune(n); err != nil || r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || r >= 0xd800 && r <= 0xdfff || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfffd || unseen(r) {
				return true
			}
		}
		s = s[i+2:]
	}
}

// printable reports text of printable ASCII characters, tabs and line ends.
func printable(s string) bool {
	for i := range len(s) {
		if c := s[i]; c-0x20 >= 0x5f && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// unseen reports characters without a shape of their own that text can hide in.
func unseen(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0xad || r == 0x034f || r == 0x061c || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x2060 && r <= 0x2064, r >= 0x206a && r <= 0x206f:
		return true
	case r == 0x3164 || r == 0xfeff || r == 0xffa0, r >= 0xfe00 && r <= 0xfe0f, r >= 0xfff9 && r <= 0xfffb:
		return true
	case r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}
