package export

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/redact"
)

// maxTitle is the longest title in a file name, in bytes; with the date, the id
// and the extension a name stays under 120.
const maxTitle = 72

// FileName is the name of a file for one session: date (UTC), title and a mark of
// the id, e.g. "2026-03-01-fix-the-parser-1a2b3c4d.md". The mark is the first
// eight characters of a random UUID, and a hash of any other id, so that two
// sessions do not share a name. Secrets in the title are masked, always. It depends on nothing but the session, is at
// most 120 bytes of valid UTF-8, and fine on Windows, macOS and Linux.
func FileName(s retold.Session, f Format) string {
	redact.Session(&s)
	date := "undated"
	if !s.CreatedAt.IsZero() {
		date = s.CreatedAt.UTC().Format("2006-01-02")
	}
	ext := string(f)
	if f == Text {
		ext = "txt"
	}
	return date + "-" + titleSlug(s.Title) + "-" + idMark(s.ID) + "." + ext
}

// titleSlug keeps letters and digits of every script and joins the words with
// dashes.
func titleSlug(title string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(title) {
		if r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.N, unicode.M) {
			dash = b.Len() > 0
			continue
		}
		if b.Len()+utf8.RuneLen(r)+1 > maxTitle {
			break
		}
		if dash {
			b.WriteByte('-')
			dash = false
		}
		b.WriteRune(r)
	}
	if b.Len() == 0 {
		return "untitled"
	}
	return b.String()
}

func idMark(id string) string {
	if isRandomUUID(id) {
		return id[:8]
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:4])
}

// isRandomUUID reports a version 4 UUID whose beginning looks random: ids made
// by hand ("00000000-…") and time-ordered ones share theirs.
func isRandomUUID(id string) bool {
	if len(id) != 36 || id[14] != '4' {
		return false
	}
	distinct := map[byte]bool{}
	for i := range len(id) {
		switch c := id[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f':
			if i < 8 {
				distinct[c] = true
			}
		default:
			return false
		}
	}
	return len(distinct) > 2
}
