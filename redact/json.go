package redact

import (
	"encoding/json"
	"strings"
)

// JSON masks secrets inside the strings of a JSON value, and the string values
// of members whose name says that they are secret ("password", "apiKey"). All
// else stays as it is, byte for byte, and what was valid JSON stays so. It
// returns raw itself when there is nothing to mask, and never changes it.
func JSON(raw json.RawMessage) json.RawMessage {
	raw, _ = maskedJSON(raw)
	return raw
}

func maskedJSON(raw json.RawMessage) (json.RawMessage, int) {
	n := 0
	for range passes {
		s := string(raw)
		found := findJSON(s)
		if len(found) == 0 {
			break
		}
		raw = json.RawMessage(replaced(s, found))
		n += len(found)
	}
	return raw, n
}

// findJSON finds secrets string by string. Escapes are no obstacle: Find reads
// the ones of JSON inside texts, and these are the same, one level less.
func findJSON(s string) []Finding {
	var out []Finding
	name := "" // of the member whose value comes next
	flag := "" // the string before, when its value may come next
	pair := "" // what a member "name" said, whose "value" may come next
	t := look{}
	for i := 0; i < len(s); i++ {
		if s[i] != '"' {
			if strings.IndexByte(" \t\r\n:", s[i]) < 0 {
				name = ""
			}
			if s[i] == ',' && strings.HasPrefix(flag, "--") {
				name = flag // ["--password", "…"]
			}
			if s[i] == '{' || s[i] == '}' {
				pair = ""
			}
			continue
		}
		from := i + 1
		to := stringEnd(s, from)
		content := s[from:to]
		found := t.again(content)
		switch {
		case hasSuffixFold(name, "name"), hasSuffixFold(name, "key"):
			pair = content
		case hasSuffixFold(name, "value") && pair != "":
			name = pair
		}
		if name != "" {
			if a, b, rule := member(name, content); rule != "" && (len(found) != 1 || found[0].Start > a || found[0].End < b) {
				found = []Finding{{rule, a, b}}
			}
		}
		wholeEscapes(content, found)
		for _, f := range found {
			out = append(out, Finding{f.Rule, from + f.Start, from + f.End})
		}
		i = to
		name, flag = "", content
		if next := skipWhite(s, to+1); next < len(s) && s[next] == ':' {
			name = content
		}
	}
	return out
}

// again finds the secrets of one text after another with the same memory.
func (t *look) again(s string) []Finding {
	*t = look{s: s, run: run{cleanAll: t.run.cleanAll[:0], posAll: t.run.posAll[:0]}}
	known().each(s, t)
	return united(t.found)
}

// stringEnd is where a string ends that begins at i.
func stringEnd(s string, i int) int {
	for {
		n := strings.IndexByte(s[i:], '"')
		if n < 0 {
			return len(s)
		}
		j := i + n
		k := j
		for k > i && s[k-1] == '\\' {
			k--
		}
		if (j-k)%2 == 0 {
			return j
		}
		i = j + 1
	}
}

func skipWhite(s string, i int) int {
	for i < len(s) && strings.IndexByte(" \t\r\n", s[i]) >= 0 {
		i++
	}
	return i
}

// member tells which part of a member's value is secret because of its name.
func member(name, value string) (from, to int, rule string) {
	m := harmless
	if len(name) <= 80 && telling(name) {
		m = meaning(name)
	}
	if m == harmless || len(value) > longestRun {
		return 0, 0, ""
	}
	from = afterScheme(value, 0, len(value), m)
	v := value[from:]
	a := assignment{called: name, strength: m}
	if len(v) < 3 || placeholder(v) || usual(v) || strings.HasPrefix(v, "\\n") || prose(v) || a.echo(v) || label(v) {
		return 0, 0, ""
	}
	words := identifier(v) && !strings.ContainsAny(v, "0123456789") && len(v) < 24
	switch {
	case m == password, m == short && random(v, 8):
		return from, len(value), "password"
	case m == short:
		return 0, 0, ""
	case m == weak && !random(v, 16) && !userAndPassword(v):
		return 0, 0, ""
	case m == weak:
		return from, len(value), "token"
	case words && !mixed(v) || strings.Contains(v, " ") && !random(v, 12) || address(v):
		return 0, 0, ""
	}
	return from, len(value), "secret"
}

// label reports whether a text is a few words and nothing else.
func label(v string) bool {
	words := strings.Fields(v)
	return len(words) > 1 && len(words) <= 3 && len(letters(v)) == len(strings.Join(words, ""))
}

// telling reports whether a name can be one of a secret, so that most names need
// not be taken apart.
func telling(name string) bool {
	if len(name) <= 3 {
		return true
	}
	three := 0
	for i := range len(name) {
		three = (three<<8 | int(name[i]|0x20)) & 0xffffff
		switch three {
		case 'p'<<16 | 'a'<<8 | 't', ('_'|0x20)<<16 | 'p'<<8 | 'w', 'p'<<16 | 'a'<<8 | 's', 'p'<<16 | 'w'<<8 | 'd', 's'<<16 | 'e'<<8 | 'c', 't'<<16 | 'o'<<8 | 'k', 'k'<<16 | 'e'<<8 | 'y', 'a'<<16 | 'u'<<8 | 't', 'c'<<16 | 'r'<<8 | 'e':
			return true
		}
	}
	return false
}

// wholeEscapes widens findings so that none begins or ends inside an escape.
func wholeEscapes(s string, found []Finding) {
	i := 0
	for n := range found {
		f := &found[n]
		for i < f.End {
			size := 1
			if s[i] == '\\' && i+1 < len(s) {
				if size = 2; s[i+1] == 'u' {
					size = 6
				}
			}
			next := min(i+size, len(s))
			if i < f.Start && f.Start < next {
				f.Start = i
			}
			if i < f.End && f.End < next {
				f.End = next
			}
			i = next
		}
	}
}
