package highlight

import "strings"

// json takes JSON and its friendlier dialects, in which there are comments.
func (s *scanner) json() {
	quote := span{open: `"`, close: `"`, escapes: true}
	quoted := span{open: "'", close: "'", escapes: true}
	for s.at < len(s.in) {
		if s.space() {
			continue
		}
		rest := s.rest()
		n := max(quote.length(rest), quoted.length(rest))
		number := run(rest, func(b byte) bool { return isDigit(b) || strings.IndexByte("+-.eE", b) >= 0 })
		word := run(rest, isWord)
		switch {
		case n > 0:
			class := "s2"
			after := rest[n:]
			if strings.HasPrefix(after[run(after, isSpace):], ":") {
				class = "nt"
			}
			s.take(class, n)
		case slashes.length(rest) > 0:
			s.take("c1", slashes.length(rest))
		case stars.length(rest) > 0:
			s.take("cm", stars.length(rest))
		case number > 0 && !isWord(rest[0]) || number > 0 && isDigit(rest[0]):
			class := "mi"
			if strings.ContainsAny(rest[:number], ".eE") {
				class = "mf"
			}
			s.take(class, number)
		case word > 0:
			s.take(constant(rest[:word], "n"), word)
		default:
			s.take("p", 1)
		}
	}
}

// constant is the class of a word that may be a constant of a data format.
func constant(word, other string) string {
	switch strings.ToLower(word) {
	case "true", "false", "null", "~", "yes", "no", "on", "off":
		return "kc"
	}
	if n, class := number(strings.TrimPrefix(word, "-")); n > 0 && isDigit(strings.TrimPrefix(word, "-")[0]) && n == len(strings.TrimPrefix(word, "-")) {
		return class
	}
	return other
}

// yaml takes YAML line by line: a key, then what it holds.
func (s *scanner) yaml() {
	block := -1 // indent of the key whose text block goes on
	for s.at < len(s.in) {
		line := s.rest()[:s.line()]
		indent := run(line, func(b byte) bool { return b == ' ' })
		switch {
		case block >= 0 && (indent > block || strings.TrimSpace(line) == ""):
			s.skip(indent)
			s.take("s", len(line)-indent)
		default:
			block = -1
			s.skip(indent)
			if s.yamlLine(line[indent:]) {
				block = indent
			}
		}
		if s.at < len(s.in) {
			s.skip(1)
		}
	}
}

// yamlLine takes a line without its indent, and reports whether a block of text
// follows.
func (s *scanner) yamlLine(line string) (block bool) {
	for strings.HasPrefix(line, "- ") || line == "-" {
		s.take("p", 1)
		n := run(line[1:], isSpace)
		s.skip(n)
		line = line[1+n:]
	}
	if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "%") {
		s.take("k", len(line))
		return false
	}
	if end := yamlKey(line); end > 0 {
		s.take("nt", end)
		s.take("p", 1)
		line = line[end+1:]
	}
	for line != "" {
		n := s.yamlValue(line)
		line = line[n:]
	}
	last := strings.TrimRight(s.in[max(0, s.at-3):s.at], "+-")
	return strings.HasSuffix(last, "|") || strings.HasSuffix(last, ">")
}

// yamlKey is the length of the key that a line begins with, 0 without one.
func yamlKey(line string) int {
	end := strings.Index(line+" ", ": ")
	for _, p := range []*span{&double, &single} {
		if n := p.length(line); n > 0 {
			end = n
		}
	}
	if end < 0 || end >= len(line) || line[end] != ':' || strings.ContainsAny(line[:1], "#[{&*!|>") {
		return 0
	}
	return end
}

// yamlValue takes the next piece of a value and returns its length.
func (s *scanner) yamlValue(line string) int {
	if n := run(line, isSpace); n > 0 {
		s.skip(n)
		return n
	}
	for _, p := range []*span{&double, &single} {
		if n := p.length(line); n > 0 {
			s.take("s2", n)
			return n
		}
	}
	switch c := line[0]; {
	case c == '#' && (s.at == 0 || isSpace(s.in[s.at-1])):
		s.take("c", len(line))
		return len(line)
	case strings.IndexByte("[]{},|>", c) >= 0:
		s.take("p", 1)
		return 1
	case c == '&' || c == '*' || c == '!':
		n := 1 + run(line[1:], func(b byte) bool { return !isSpace(b) && b != ',' && b != ']' && b != '}' })
		s.take("nv", n)
		return n
	}
	n := run(line, func(b byte) bool { return b != ',' && b != ']' && b != '}' && b != '#' && !isSpace(b) })
	n = max(n, 1)
	s.take(constant(line[:n], "l"), n)
	return n
}

// settings takes TOML, INI and what resembles them.
func (s *scanner) settings() {
	for s.at < len(s.in) {
		line := s.rest()[:s.line()]
		n := run(line, isSpace)
		s.skip(n)
		line = line[n:]
		eq := strings.IndexAny(line, "=:")
		switch {
		case line == "":
		case line[0] == '#' || line[0] == ';':
			s.take("c", len(line))
		case line[0] == '[' && strings.HasSuffix(strings.TrimSpace(line), "]"):
			s.take("k", len(line))
		case eq > 0:
			s.take("na", len(strings.TrimRight(line[:eq], " \t")))
			s.skip(len(line[:eq]) - len(strings.TrimRight(line[:eq], " \t")))
			s.take("o", 1)
			s.setting(line[eq+1:])
		default:
			s.setting(line)
		}
		if s.at < len(s.in) {
			s.skip(1)
		}
	}
}

// setting takes a value that ends with its line.
func (s *scanner) setting(value string) {
	for value != "" {
		n := run(value, isSpace)
		if n > 0 {
			s.skip(n)
			value = value[n:]
			continue
		}
		quoted := max(double.length(value), single.length(value))
		switch {
		case quoted > 0:
			n = quoted
			s.take("s2", n)
		case value[0] == '#':
			n = len(value)
			s.take("c", n)
		case strings.IndexByte("[]{},=", value[0]) >= 0:
			n = 1
			s.take("p", n)
		default:
			n = run(value, func(b byte) bool { return !isSpace(b) && strings.IndexByte("[]{},", b) < 0 })
			s.take(constant(value[:n], "s"), n)
		}
		value = value[n:]
	}
}
