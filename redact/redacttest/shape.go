// Package redacttest makes up secrets in the shapes that providers give theirs,
// and texts that hold them as conversations do, so that every place where text
// leaves retold can be tried for leaks. The values come from a seed: no key that
// anybody could take for a real one stands in this repository.
package redacttest

import (
	"encoding/base64"
	"fmt"
	"strings"
)

// A dice is a small generator of numbers (splitmix64) that gives the same ones on
// every machine and with every version of Go.
type dice uint64

func (d *dice) roll(n int) int {
	*d += 0x9E3779B97F4A7C15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return int((z ^ z>>31) % uint64(n))
}

const (
	digits = "0123456789"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// alphabets by the letter that a shape uses for them.
var alphabets = map[byte]string{
	'a': digits + lower + upper,
	'b': digits + lower + upper + "+/",
	'd': digits,
	'l': digits + lower,
	'L': lower + upper,
	'u': digits + upper,
	'w': digits + lower + upper + "-_",
	'x': digits + "abcdef",
	'B': upper + "234567",
	'P': digits + lower + upper + "!%*-_.^",
	'A': upper,
	'M': "MNO",
}

// make fills in a shape: {a36} becomes 36 letters and digits, {x32} hexadecimal
// digits, {g} a UUID, {j120} JSON in base64. All else stands as it is.
func (d *dice) make(shape string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(shape, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		field, rest, _ := strings.Cut(after, "}")
		shape = rest
		n := 0
		if len(field) > 1 {
			if _, err := fmt.Sscan(field[1:], &n); err != nil {
				panic("redacttest: shape field " + field)
			}
		}
		switch field[0] {
		case 'g':
			b.WriteString(d.uuid())
		case 'j':
			b.WriteString(d.object(n))
		default:
			b.WriteString(d.text(alphabets[field[0]], n))
		}
	}
}

func (d *dice) text(alphabet string, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[d.roll(len(alphabet))]
	}
	return string(out)
}

func (d *dice) uuid() string {
	x := alphabets['x']
	return strings.Join([]string{d.text(x, 8), d.text(x, 4), "4" + d.text(x, 3), "a" + d.text(x, 3), d.text(x, 12)}, "-")
}

// object is a JSON object in base64 as tokens hold one, n bytes long or a little
// more.
func (d *dice) object(n int) string {
	raw := `{"alg":"HS256","id":"` + d.text(alphabets['a'], max(n*3/4-28, 4)) + `"}`
	return base64.RawURLEncoding.EncodeToString([]byte(raw))
}
