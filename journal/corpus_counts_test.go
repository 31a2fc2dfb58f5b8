package journal_test

import "slices"

// rightWrong are answers that are right, wrong, and not given.
type rightWrong struct{ right, wrong, missed int }

func (c *rightWrong) add(o rightWrong) {
	c.right, c.wrong, c.missed = c.right+o.right, c.wrong+o.wrong, c.missed+o.missed
}

func (c rightWrong) precision() float64 { return percent(c.right, c.right+c.wrong) }
func (c rightWrong) recall() float64    { return percent(c.right, c.right+c.missed) }

func percent(n, of int) float64 {
	if of == 0 {
		return 100
	}
	return 100 * float64(n) / float64(of)
}

// compareRefs counts the right among what was said; what is allowed is neither.
func compareRefs(want, allowed, have []string) (c rightWrong) {
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
func compareLine(who, said string) (c rightWrong) {
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
