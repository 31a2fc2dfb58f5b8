package highlight

import "strings"

// markup takes HTML, XML and the template languages around them. Scripts and
// style sheets inside are taken as what they are.
func (s *scanner) markup() {
	for s.at < len(s.in) {
		text := strings.IndexAny(s.rest(), "<&")
		if text < 0 {
			s.skip(len(s.rest()))
			return
		}
		s.skip(text)
		rest := s.rest()
		switch {
		case strings.HasPrefix(rest, "<!--"):
			comment := span{open: "<!--", close: "-->", lines: true}
			s.take("cm", comment.length(rest))
		case strings.HasPrefix(rest, "<!") || strings.HasPrefix(rest, "<?"):
			directive := span{open: "<", close: ">", lines: true}
			s.take("cp", directive.length(rest))
		case rest[0] == '&':
			if n := 1 + run(rest[1:], func(b byte) bool { return isWord(b) || b == '#' }); n > 1 && n < len(rest) && rest[n] == ';' {
				s.take("ni", n+1)
			} else {
				s.skip(1)
			}
		case len(rest) > 1 && (isWord(rest[1]) || rest[1] == '/'):
			s.tag()
		default:
			s.skip(1)
		}
	}
}

// tag takes a tag and, after the start of a script or style sheet, that.
func (s *scanner) tag() {
	s.take("p", 1)
	closing := strings.HasPrefix(s.rest(), "/")
	if closing {
		s.take("p", 1)
	}
	n := run(s.rest(), func(b byte) bool { return isWord(b) || strings.IndexByte("-:.", b) >= 0 })
	name := strings.ToLower(s.rest()[:n])
	s.take("nt", n)
	for s.at < len(s.in) {
		if s.space() {
			continue
		}
		rest := s.rest()
		value := max((&span{open: `"`, close: `"`, lines: true}).length(rest), (&span{open: "'", close: "'", lines: true}).length(rest))
		attribute := run(rest, func(b byte) bool { return !isSpace(b) && strings.IndexByte(`<>="'/`, b) < 0 })
		switch {
		case rest[0] == '<':
			return
		case rest[0] == '>':
			s.take("p", 1)
			if !closing && (name == "script" || name == "style") {
				s.embedded(name)
			}
			return
		case value > 0:
			s.take("s", value)
		case attribute > 0:
			s.take("na", attribute)
		case rest[0] == '=':
			s.take("o", 1)
		default:
			s.take("p", 1)
		}
	}
}

// embedded takes what is inside a script or style element.
func (s *scanner) embedded(name string) {
	end := strings.Index(s.rest(), "</"+name)
	if end < 0 {
		end = len(s.rest())
	}
	inner := &scanner{in: s.rest()[:end], emit: s.emit}
	s.flush()
	if name == "style" {
		inner.css()
	} else {
		inner.code(webFamily("ts"))
	}
	inner.flush()
	s.at += end
	s.from = s.at
}

// css takes style sheets, nested rules included.
func (s *scanner) css() {
	value := false // after the colon of a declaration
	for s.at < len(s.in) {
		if s.space() {
			continue
		}
		rest := s.rest()
		word := run(rest, func(b byte) bool { return isWord(b) || b == '-' })
		switch c := rest[0]; {
		case stars.length(rest) > 0:
			s.take("cm", stars.length(rest))
		case strings.HasPrefix(rest, "//") && (s.at == 0 || s.in[s.at-1] != ':'):
			s.take("c1", lineLen(rest))
		case double.length(rest) > 0:
			s.take("s2", double.length(rest))
		case single.length(rest) > 0:
			s.take("s1", single.length(rest))
		case c == '@' || c == '$':
			class := map[byte]string{'@': "k", '$': "nv"}[c]
			s.take(class, 1+run(rest[1:], func(b byte) bool { return isWord(b) || b == '-' }))
		case value && (c == '#' || isDigit(c)):
			s.take("m", 1+run(rest[1:], func(b byte) bool { return isWord(b) || b == '%' || b == '.' }))
		case !value && (c == '.' || c == '#') && len(rest) > 1:
			s.take("nc", 1+run(rest[1:], func(b byte) bool { return isWord(b) || b == '-' }))
		case word > 0:
			s.take(cssWord(rest, word, value), word)
		default:
			value = c == ':' && declaration(rest) || value && c != ';' && c != '{' && c != '}'
			s.take("p", 1)
		}
	}
}

// cssWord is the class of a word of n bytes.
func cssWord(rest string, n int, value bool) string {
	after := rest[n:]
	switch {
	case strings.HasPrefix(after, "("):
		return "nf"
	case strings.HasPrefix(rest, "--"):
		return "nv"
	case value:
		return "no"
	case strings.HasPrefix(after, ":") && declaration(after):
		return "na"
	}
	return "nt"
}

// declaration reports whether a colon stands between a property and its value,
// not before a pseudo-class.
func declaration(rest string) bool {
	return len(rest) > 1 && (isSpace(rest[1]) || !isWord(rest[1]) && rest[1] != ':') || strings.IndexAny(rest[:min(len(rest), 200)], ";}") >= 0 &&
		strings.IndexAny(rest[:min(len(rest), 200)], ";}") < strings.IndexByte(rest[:min(len(rest), 200)]+"{", '{')
}

// markdown takes headings, fences, lists and code spans.
func (s *scanner) markdown() {
	fence := ""
	for s.at < len(s.in) {
		line := s.rest()[:s.line()]
		trimmed := strings.TrimLeft(line, " ")
		mark := trimmed[:run(trimmed, func(b byte) bool { return b == '`' || b == '~' })]
		switch {
		case fence != "" && strings.HasPrefix(mark, fence):
			fence = ""
			s.take("sb", len(line))
		case fence != "":
			s.take("sb", len(line))
		case len(mark) >= 3:
			fence = mark
			s.take("sb", len(line))
		case strings.HasPrefix(line, "#"):
			s.take("gh", len(line))
		case strings.HasPrefix(trimmed, ">"):
			s.take("ge", len(line))
		default:
			s.proseLine(line)
		}
		if s.at < len(s.in) {
			s.skip(1)
		}
	}
}

// proseLine takes the mark of a list item, then code spans and bold text.
func (s *scanner) proseLine(line string) {
	n := run(line, isSpace)
	s.skip(n)
	line = line[n:]
	if len(line) > 1 && strings.IndexByte("-*+", line[0]) >= 0 && line[1] == ' ' {
		s.take("k", 1)
		line = line[1:]
	}
	for line != "" {
		n := strings.IndexAny(line, "`*")
		if n < 0 {
			n = len(line)
		}
		if n == 0 {
			class, open := "sb", "`"
			if strings.HasPrefix(line, "**") {
				class, open = "gs", "**"
			}
			end := strings.Index(line[len(open):min(len(line), 400)], open)
			if line[0] == '*' && open != "**" || end < 0 {
				s.skip(1)
				line = line[1:]
				continue
			}
			n = end + 2*len(open)
			s.take(class, n)
			line = line[n:]
			continue
		}
		s.skip(n)
		line = line[n:]
	}
}
