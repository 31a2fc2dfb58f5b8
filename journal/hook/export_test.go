package hook

import "github.com/retold-history/retold/journal/hook/spool"

// SetStep has a draining tell before each of its steps.
func (o *DrainOptions) SetStep(step func(string)) { o.step = step }

// There is what a text is after a block was put in, and Back after it was taken
// out again.
func There(text string, first bool) string {
	return insert(text, block{lines: Program{Path: "/x/retold"}.line(spool.PostCommit, first)}, first)
}

func Back(text string) (string, error) {
	rest, _, err := split(text)
	return rest, err
}
