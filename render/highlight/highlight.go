// Package highlight tells the words of source code apart: keywords, names,
// strings, numbers, comments. It knows the languages that people and agents
// write most, each by a short table or a small scanner of its own, and reads any
// text once from front to back: time follows length whatever the text is, no
// table is made before it is needed, and equal text gives equal pieces.
package highlight

import "strings"

// Each calls fn for the pieces of code in order; joined they are code. class is
// the short name that Pygments and Chroma give such a piece ("k" a keyword, "s2"
// a string, "c1" a comment, …), so that style sheets made for them fit, or ""
// for white space and what has no class. language is a name, a usual
// abbreviation or the suffix of a file name, in lower case. Each reports whether
// it knows the language; if not, fn is not called.
func Each(code, language string, fn func(class, text string)) bool {
	s := &scanner{in: code, emit: fn}
	switch language {
	case "json", "jsonc", "json5", "jsonl", "ndjson", "webmanifest", "ipynb", "geojson":
		s.json()
	case "yaml", "yml":
		s.yaml()
	case "toml", "ini", "cfg", "conf", "properties", "env", "dotenv", "editorconfig", "desktop", "service", "gitconfig":
		s.settings()
	case "html", "htm", "xhtml", "xml", "svg", "plist", "xsd", "xsl", "xslt", "rss", "vue", "svelte", "astro", "csproj", "xaml":
		s.markup()
	case "css", "scss", "less", "sass":
		s.css()
	case "markdown", "md", "mdx", "mdc":
		s.markdown()
	default:
		g := grammarOf(language)
		if g == nil {
			return false
		}
		s.code(g)
	}
	s.flush()
	return true
}

// grammarOf returns the table of a language, nil when there is none.
func grammarOf(language string) *grammar {
	for _, shelf := range []func(string) *grammar{cFamily, webFamily, scriptFamily, shellFamily, otherFamily} {
		if g := shelf(language); g != nil {
			return g
		}
	}
	return nil
}

// A scanner walks through text. What was skipped and not yet given out lies
// between from and at.
type scanner struct {
	in       string
	from, at int
	emit     func(class, text string)
}

func (s *scanner) rest() string { return s.in[s.at:] }

// skip passes n bytes that have no class.
func (s *scanner) skip(n int) { s.at += n }

// take gives out the next n bytes.
func (s *scanner) take(class string, n int) {
	if n <= 0 {
		return
	}
	s.flush()
	s.at += n
	s.from = s.at
	s.emit(class, s.in[s.at-n:s.at])
}

func (s *scanner) flush() {
	if s.from < s.at {
		s.emit("", s.in[s.from:s.at])
		s.from = s.at
	}
}

// space passes white space and reports whether there was any.
func (s *scanner) space() bool {
	n := run(s.rest(), isSpace)
	s.skip(n)
	return n > 0
}

// line is the length of the rest of the line, without its end.
func (s *scanner) line() int { return lineLen(s.rest()) }

func lineLen(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

// run is the length of the longest start of s whose bytes all fit.
func run(s string, fits func(byte) bool) int {
	for i := range len(s) {
		if !fits(s[i]) {
			return i
		}
	}
	return len(s)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isWord reports letters, digits, the underscore and every byte of a character
// beyond ASCII.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || isDigit(c) || c >= 0x80
}
