package paths

import (
	"crypto/md5" //nolint:gosec // Cursor names folders by it; nothing is protected with it
	"encoding/hex"
	"strings"
)

// MD5 is the name Cursor's CLI gives the folder of a working directory: lower
// case hex md5 of the absolute path, without salt or trailing slash (formats
// A.6).
func MD5(s string) string {
	sum := md5.Sum([]byte(s)) //nolint:gosec // as above
	return hex.EncodeToString(sum[:])
}

// Slug is the name of a project's folder below ~/.cursor/projects: every run of
// other characters than ASCII letters and digits becomes one dash, none at the
// ends (formats A.6). Not reversible.
func Slug(p string) string {
	var b strings.Builder
	dash := false
	for i := range len(p) {
		c := p[i]
		if isLetter(c) || c >= '0' && c <= '9' {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteByte(c)
			dash = false
		} else {
			dash = true
		}
	}
	return b.String()
}
