package spool

import (
	"slices"
	"strings"
)

// ParseCall reads what stands behind "retold journal enqueue": nothing but what a
// hook writes there. False for anything else, a request for help among it.
func ParseCall(args []string) (c Call, ok bool) {
	c = Call{Kind: PostCommit, Rev: "HEAD"}
	seen := false
	for len(args) > 0 {
		arg := args[0]
		name, value, joined := strings.Cut(arg, "=")
		args = args[1:]
		switch {
		case arg == "--no-drain":
			c.Alone = true
			continue
		case !strings.HasPrefix(arg, "-") && !seen && arg != "":
			c.Rev, seen = arg, true
			continue
		case !joined && len(args) > 0:
			value, args = args[0], args[1:]
		case !joined:
			return c, false
		}
		switch name {
		case "--event":
			c.Kind = value
		case "--given":
			c.Given = value
		default:
			return c, false
		}
	}
	return c, slices.Contains(Kinds, c.Kind)
}
