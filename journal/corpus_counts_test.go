package journal_test

import "slices"

// counts are answers that are right, wrong, and not given.
type counts struct{ right, wrong, missed int }

func (c *counts) add(o counts) {
	c.right, c.wrong, c.missed = c.right+o.right, c.wrong+o.wrong, c.missed+o.missed
}

func (c counts) precision() float64 { return share(c.right, c.right+c.wrong) }
func (c counts) recall() float64    { return share(c.right, c.right+c.missed) }

func share(n, of int) float64 {
	if of == 0 {
		return 100
	}
	return 100 * float64(n) / float64(of)
}

// compare counts the right among what was said; what is allowed is neither.
func compare(want, allowed, have []string) (c counts) {
	for _, h := range have {
		switch {
		case slices.Contains(want, h):
			c.right++
		case !slices.Contains(allowed, h):
			c.wrong++
		}
	}
	for _, w := range want {
		if !slices.Contains(have, w) {
			c.missed++
		}
	}
	return c
}

// compareLine holds who is said to have written a line against who did; "me" is
// the person, of whom nothing is said.
func compareLine(who, said string) (c counts) {
	switch {
	case who == "me" && said == "":
	case who == "me":
		c.wrong++
	case said == who:
		c.right++
	case said == "":
		c.missed++
	default:
		c.wrong++
		c.missed++
	}
	return c
}
