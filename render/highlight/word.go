package highlight

import "strings"

// word takes a name or keyword.
func (c *coder) word() {
	rest := c.rest()
	n := run(rest, func(b byte) bool { return isWord(b) || strings.IndexByte(c.inner, b) >= 0 })
	word := rest[:n]
	next := byte(0)
	if n < len(rest) {
		next = rest[n]
	}
	if len(word) <= 2 && (next == '"' || next == '\'') && strings.Contains(c.prefix, " "+strings.ToLower(word)+" ") {
		c.take("sa", n)
		return
	}
	key := word
	if c.fold {
		key = strings.ToLower(word)
	}
	class, known := c.words[key]
	if class == "nb" && next != '(' && !c.bare {
		known = false
	}
	switch {
	case known:
		c.declares = c.names[key]
	case c.declares != "":
		class, c.declares = c.declares, ""
	case next == '(' && !c.bare:
		class = "nf"
	default:
		class = c.name
		if class == "" {
			class = "n"
		}
	}
	c.take(class, n)
	c.value = !known || class == "kc" || class[0] == 'n' || class == "kt" || class == "bp"
}

// operators are those of more than one character, over all languages, the
// longer ones first.
var operators = []string{
	">>>=", "<<=", ">>=", ">>>", "...", "&^=", "===", "!==", "**=", "<=>", "??=", "||=", "&&=", "//=", "..=",
	":=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "&&", "||", "<-", "->", "=>", "==", "!=", "<=", ">=",
	"<<", ">>", "&^", "::", "**", "??", "?.", "..", "|>",
}

// operator takes an operator or a mark of punctuation.
func (c *coder) operator() {
	rest := c.rest()
	c.value = rest[0] == ')' || rest[0] == ']' || rest[0] == '}'
	if !c.value && rest[0] != '*' && rest[0] != '&' { // those may stand before a name: func *f
		c.declares = ""
	}
	if len(rest) > 1 && strings.IndexByte(".&=-+|<>:*?", rest[1]) >= 0 {
		for _, op := range operators {
			if strings.HasPrefix(rest, op) {
				c.take("o", len(op))
				return
			}
		}
	}
	if strings.IndexByte("+-*/%&", rest[0]) >= 0 {
		c.take("o", 1)
		return
	}
	c.take("p", 1)
}

// number is the length and class of the number at the start of s.
func number(s string) (n int, class string) {
	class = "mi"
	based := len(s) > 1 && s[0] == '0' && strings.IndexByte("xXbBoO", s[1]) >= 0
	if based {
		class = map[byte]string{'x': "mh", 'b': "mb", 'o': "mo"}[s[1]|0x20]
	}
	for n < len(s) {
		switch b := s[n]; {
		case b == '.' && !based && class == "mi" && n+1 < len(s) && isDigit(s[n+1]):
			class = "mf"
		case (b == 'e' || b == 'E') && !based:
			class = "mf"
			if n+2 < len(s) && (s[n+1] == '-' || s[n+1] == '+') && isDigit(s[n+2]) {
				n++
			}
		case b == '_' || isDigit(b) || isWord(b) && b < 0x80:
		default:
			return n, class
		}
		n++
	}
	return n, class
}
