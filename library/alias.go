package library

import (
	"github.com/retold-history/retold/internal/change"
	"github.com/retold-history/retold/migrate"
)

// Names for what the methods that change another program's files give and take.
type (
	// A Planned is a change that was planned and not made yet.
	Planned = migrate.Change
	// A Recorded is a change that was made and can be undone.
	Recorded = change.Change
	// A Settled is what became of a change that a crash had interrupted.
	Settled = change.Settled
	// A Guard says whether the program is running whose files are to be changed.
	Guard = change.Guard
)
