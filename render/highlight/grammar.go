package highlight

import "strings"

// A grammar is what there is to know of a language to tell its words apart.
type grammar struct {
	words map[string]string // their classes
	fold  bool              // words are the same in any case
	spans []span            // tried in this order
	name  string            // class of other names; "n" when empty
	inner string            // characters that belong to a word besides letters, digits and "_"

	sigils  string            // characters before the name of a variable
	marks   string            // characters before the name of a decorator
	names   map[string]string // after these words a name of that class is declared
	prefix  string            // letters that belong to the string behind them: " r b "
	regexps bool              // a "/" may begin a regular expression
	bare    bool              // builtins (class "nb") and calls need no "(" behind them
}

// words makes a table of pairs: a class and the words that have it.
func words(pairs ...string) map[string]string {
	table := make(map[string]string, 64)
	for i := 0; i+1 < len(pairs); i += 2 {
		for word := range strings.FieldsSeq(pairs[i+1]) {
			table[word] = pairs[i]
		}
	}
	return table
}

// A coder scans text by a grammar.
type coder struct {
	*scanner
	*grammar
	first    bool   // nothing but white space since the line began
	value    bool   // what was last can be followed by an operator
	declares string // class of the next name, from grammar.names
	noRegexp int    // before this offset no regular expression ends
}

func (s *scanner) code(g *grammar) {
	c := &coder{scanner: s, grammar: g, first: true}
	for c.at < len(c.in) {
		if n := run(c.rest(), isSpace); n > 0 {
			c.first = c.first || strings.Contains(c.rest()[:n], "\n")
			c.skip(n)
			continue
		}
		c.piece()
		c.first = false
	}
}

// piece takes what begins at a character that is no white space.
func (c *coder) piece() {
	b, rest := c.rest()[0], c.rest()
	switch {
	case c.span():
	case isDigit(b), b == '.' && len(rest) > 1 && isDigit(rest[1]) && !c.value:
		n, class := number(rest)
		c.take(class, n)
		c.value = true
	case strings.IndexByte(c.sigils, b) >= 0 && c.variable():
		c.value = true
	case strings.IndexByte(c.marks, b) >= 0 && len(rest) > 1 && isWord(rest[1]):
		c.take("nd", 1+run(rest[1:], func(b byte) bool { return isWord(b) || b == '.' }))
	case isWord(b):
		c.word()
	case b == '/' && c.regexps && c.regexp():
		c.value = true
	default:
		c.operator()
	}
}

// span takes a comment or a string.
func (c *coder) span() bool {
	for i := range c.spans {
		p := &c.spans[i]
		if p.first && !c.first || p.apart && c.at > 0 && !isSpace(c.in[c.at-1]) {
			continue
		}
		if n := p.length(c.rest()); n > 0 {
			c.take(p.class, n)
			if p.class[0] != 'c' {
				c.value, c.declares = true, ""
			}
			return true
		}
	}
	return false
}

// variable takes a name with its sigil: $name, ${expression}, $1.
func (c *coder) variable() bool {
	rest := c.rest()[1:]
	n := run(rest, isWord)
	if strings.HasPrefix(rest, "{") {
		near := rest[:min(len(rest), 200)]
		if end := strings.IndexAny(near, "}\n"); end > 0 && near[end] == '}' {
			n = end + 1
		}
	}
	if n == 0 && rest != "" && strings.IndexByte("@#?*!$-", rest[0]) >= 0 && c.bare {
		n = 1
	}
	if n == 0 {
		return false
	}
	c.take("nv", 1+n)
	return true
}

// regexp takes a regular expression where no division can be meant.
func (c *coder) regexp() bool {
	if c.value || c.at < c.noRegexp || c.at > 0 && c.in[c.at-1] == '<' {
		return false
	}
	rest := c.rest()
	class := false // inside [ ]
	for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch rest[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class && i > 1 {
				c.take("sr", i+1+run(rest[i+1:], func(b byte) bool { return b >= 'a' && b <= 'z' }))
				return true
			}
		}
	}
	c.noRegexp = c.at + lineLen(rest)
	return false
}
