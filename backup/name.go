package backup

import (
	"io/fs"
	"strings"
	"unicode/utf8"
)

// CheckName refuses names that could lead out of the folder into which a backup
// is unpacked, on any system, or that some system would take for a device, a
// stream or another name.
func CheckName(name string) error {
	switch {
	case !utf8.ValidString(name) || !fs.ValidPath(name) || name == ".":
		return invalid("the name %q", name)
	case len(name) > 4096:
		return invalid("a name of %d bytes", len(name))
	case strings.ContainsAny(name, "\\:*?\"<>|") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return invalid("the name %q", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.TrimRight(part, ". ") != part || device(part) {
			return invalid("the name %q", name)
		}
	}
	return nil
}

// device reports what Windows takes for a device, with any extension.
func device(part string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(part), ".")
	switch base = strings.TrimRight(base, " "); base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	rest, ok := strings.CutPrefix(base, "COM")
	if !ok {
		rest, ok = strings.CutPrefix(base, "LPT")
	}
	return ok && len([]rune(rest)) == 1 && strings.ContainsAny(rest, "0123456789¹²³")
}

// fold is equal for names that a file system may take for one.
func fold(name string) string { return strings.ToLower(name) }
