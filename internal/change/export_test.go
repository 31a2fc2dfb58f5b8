package change

import (
	"context"

	"github.com/retold-history/retold/internal/jscan"
)

// IsCursor and ParsePS are how processes are known, for tests on any system.
func IsCursor(name string, args ...string) bool {
	p := process{name: name, args: args}
	return p.isCursor()
}

// ParsePS takes a line of ps apart.
func ParsePS(command string) (name string, args []string) {
	p := parsePS(1, command)
	return p.name, p.args
}

// ApplyUnchecked is Apply without a look at the room on the disks, for what a disk
// does that fills in between.
func (d *Desk) ApplyUnchecked(ctx context.Context, p *Plan) (*Outcome, error) {
	d.reckless = true
	defer func() { d.reckless = false }()
	return d.Apply(ctx, p, "")
}

// Merge is how a list is taken back that was written since.
func Merge(wrote, was, now string) string {
	return string(merge(jscan.Value(wrote), jscan.Value(was), jscan.Value(now), nil))
}
