// Package redact finds secrets in text (keys, tokens, passwords, private keys)
// and masks them. It knows the shapes in which today's providers write keys
// (provider.go), the names people give to secrets (name.go), and the forms in
// which both end up in a conversation: JSON in JSON, shell quoting, diffs,
// wrapped lines, colours (run.go). What it masks and what it leaves alone is in
// docs/redact.md.
//
// One pass looks for keywords (keyword.go); only around these a rule looks
// closer. Time is linear in the length of the text, and apart from the result
// memory does not grow with it, so that text needs no cutting into pieces,
// however long.
package redact

import (
	"cmp"
	"slices"
	"strings"
)

// A Finding is a secret in a text.
type Finding struct {
	Rule       string // its name, e.g. "github-token"
	Start, End int    // byte offsets of the secret itself, without the name it is given
}

// Find returns the secrets in s in order; they do not overlap.
func Find(s string) []Finding { return find(s, false) }

// Text returns s with every secret replaced by a mask such as
// "[masked github-token]"; s itself when there is none. Masked text has nothing
// more to mask.
func Text(s string) string {
	s, _ = masked(s, false)
	return s
}

// maskOpen is how every mask begins.
const maskOpen = "[masked "

// passes is how often a text is looked at: a mask may uncover a secret whose
// shape what is masked now had spoilt.
const passes = 4

// masked is Text, and how many secrets it masked. The ends of a clipped text may
// be the middle of a secret.
func masked(s string, clipped bool) (string, int) {
	n := 0
	for range passes {
		found := find(s, clipped)
		if len(found) == 0 {
			break
		}
		s = replaced(s, found)
		n += len(found)
	}
	return s, n
}

func replaced(s string, found []Finding) string {
	var b strings.Builder
	b.Grow(len(s))
	at := 0
	for _, f := range found {
		b.WriteString(s[at:f.Start])
		b.WriteString(maskOpen)
		b.WriteString(f.Rule)
		b.WriteByte(']')
		at = f.End
	}
	b.WriteString(s[at:])
	return b.String()
}

// find runs the rules over a text.
func find(s string, clipped bool) []Finding {
	t := look{s: s, clipped: clipped}
	if clipped {
		t.cutMark()
	}
	known().each(t.s, &t)
	if clipped {
		t.headless()
	}
	return united(t.found)
}

// A match is a finding in the making. A broad rule goes by the name of a secret
// and not by its shape, and gives way to one that knows the shape.
type match struct {
	Finding
	broad bool
}

// united joins what overlaps. The name is that of the rule that knows most.
func united(all []match) []Finding {
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(a.Start, b.Start) })
	joined := all[:1]
	for _, m := range all[1:] {
		last := &joined[len(joined)-1]
		if m.Start >= last.End {
			joined = append(joined, m)
			continue
		}
		last.End = max(last.End, m.End)
		if last.broad && !m.broad {
			last.Rule, last.broad = m.Rule, false
		}
	}
	out := make([]Finding, len(joined))
	for i, m := range joined {
		out[i] = m.Finding
	}
	return out
}
