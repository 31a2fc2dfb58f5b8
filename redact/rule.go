package redact

import (
	"math"
	"regexp"
	"strings"
	"sync"
)

// A rule says how one kind of secret looks. A new one is a line in provider.go or
// platform.go, a shape in redacttest and a line in docs/redact.md.
type rule struct {
	name string
	keys []string // what a text with such a secret holds, 3 bytes or more
	next string   // bytes one of which follows a key that is too short alone
	fold bool     // keys are met in any letter case

	// expr is the whole secret, from the key on; the key is met inside the secret
	// when back says how many of which bytes may stand in front of it. A group is
	// the secret when not all of it is. It is compiled when it is needed first.
	expr string
	back span

	bits  float64 // least entropy of what follows the key, in bits a byte
	loose bool    // other rules may know better
	both  bool    // there are letters of both cases
	mix   bool    // letters change case, or stand between digits, as in no word

	// find is asked instead where an expression does not do. It adds what it finds.
	find func(t *look, r *rule, start, end int)

	compiled sync.Once
	re       *regexp.Regexp
}

// A span is at most n bytes of a class.
type span struct {
	class func(byte) bool
	n     int
}

func (r *rule) expression() *regexp.Regexp {
	r.compiled.Do(func() { r.re = regexp.MustCompile(`^(?:` + r.expr + `)`) })
	return r.re
}

// A look is one pass over one text.
type look struct {
	s       string
	clipped bool   // its ends may be the middle of a secret
	mark    string // what said at its end that it was cut, and is not part of s
	from    int    // before it all is decided
	found   []match
	run     run

	work     int // bytes looked at more closely, for the tests
	named    int // where the last name ended
	measured [lineExtent + 1]measured
}

// at has one rule look at a key.
func (t *look) at(r *rule, start, end int) {
	if r.find != nil {
		r.find(t, r, start, end)
		return
	}
	from := start
	for r.back.n > start-from && from > t.from && r.back.class(t.s[from-1]) && (!alnum(t.s[from-1]) || !t.boundary(from)) {
		from--
	}
	if alnum(t.s[from]) && !t.boundary(from) || t.run.weary(from) {
		return
	}
	if inChecksum(t.s, from) {
		return
	}
	t.read(from)
	if a, b, ok := t.match(r, end-from); ok && r.loose {
		t.broad(r.name, a, b)
	} else if ok {
		t.add(r, a, t.whole(b))
	} else if t.cut() && t.cutSecret(r, end-from) {
		t.add(r, from, t.run.stop)
	}
}

// cutSecret reports whether a run that was cut off is the beginning of a rule's
// secret, the key of which ends there.
func (t *look) cutSecret(r *rule, key int) bool {
	whole := t.run.text(0, t.run.n())
	tail := whole
	if r.back.n == 0 {
		tail = whole[min(key, len(whole)):]
	}
	return (t.clipped && len(tail) > 3 || len(tail) >= 8 && mixed(tail)) && !placeholder(whole)
}

// add notes a finding of a rule that knows the shape; all before its end is
// decided.
func (t *look) add(r *rule, start, end int) {
	t.found = append(t.found, match{Finding{r.name, afterEscape(t.s, start), end}, false})
	t.from = max(t.from, end)
}

// whole is the end of a token that is longer than a run.
func (t *look) whole(end int) int {
	if end == t.run.stop && t.run.n() >= longestRun {
		for end < len(t.s) && tokenByte[t.s[end]] {
			end++
		}
	}
	return end
}

// broad notes a finding of a rule that goes by a name. What is inside may still
// be known by its shape.
func (t *look) broad(name string, start, end int) {
	t.found = append(t.found, match{Finding{name, afterEscape(t.s, start), end}, true})
}

// good reports whether a text that has the shape is no word and no example.
func (r *rule) good(secret string, key int) bool {
	tail := secret
	if r.back.n == 0 && key < len(secret) {
		tail = secret[key:]
	}
	if r.both && (strings.ToLower(tail) == tail || strings.ToUpper(tail) == tail) {
		return false
	}
	return entropy(tail) >= r.bits && (!r.mix || mixed(tail)) && !placeholder(secret)
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// kind tells lower case, upper case, digits and all else apart.
func kind(c byte) int {
	switch {
	case 'a' <= c && c <= 'z':
		return 1
	case 'A' <= c && c <= 'Z':
		return 2
	case '0' <= c && c <= '9':
		return 3
	}
	return 0
}

// mixed reports whether kinds of bytes alternate as they do by chance, and in
// words and identifiers they do not.
func mixed(s string) bool {
	changes, has := 0, [4]bool{}
	for i := range len(s) {
		has[kind(s[i])] = true
		if i > 0 && kind(s[i]) != kind(s[i-1]) && kind(s[i]) != 0 && kind(s[i-1]) != 0 {
			changes++
		}
	}
	switch {
	case !has[3] && (!has[1] || !has[2]), !has[1] && !has[2]:
		return false
	case changes*5 >= len(s):
		return true
	}
	return len(s) >= 16 && changes*9 >= len(s) && strings.Trim(s, "0123456789abcdefABCDEF-") == ""
}

func alnum(c byte) bool { return kind(c) != 0 }
func digit(c byte) bool { return kind(c) == 3 }
func word(c byte) bool  { return alnum(c) || c == '_' || c == '-' }
func hexadecimal(c byte) bool {
	return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// containsFold is strings.Contains for a lower-case part, letter case ignored.
func containsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if (s[i]|0x20) == part[0]|0x20 && strings.EqualFold(s[i:i+len(part)], part) {
			return true
		}
	}
	return false
}
