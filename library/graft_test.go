package library_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
)

// What two other stores add is in the order of the conversation, not one store's
// after the other's.
func TestRecoveredMessagesAreInOrder(t *testing.T) {
	for name, c := range map[string]struct{ composer, store, transcript, want string }{
		"an answer before later turns": {
			"u:one|a:1|u:two", "u:one|a:1|u:two|u:three|a:3", "u:one|a:1|u:two|a:2|u:three|a:3",
			"u:one|a:1|u:two|+a:2|+u:three|+a:3",
		},
		"an answer to a recovered question": {
			"u:one|a:1", "u:one|a:1|u:two|u:three|a:3", "u:two|a:2",
			"u:one|a:1|+u:two|+a:2|+u:three|+a:3",
		},
		"a turn between two": {
			"u:one|a:1|u:four|a:4", "u:one|a:1|u:four|a:4|u:five|a:5", "u:two|a:2|u:four|a:4",
			"u:one|a:1|u:four|a:4|+u:two|+a:2|+u:five|+a:5",
		},
	} {
		t.Run(name, func(t *testing.T) {
			ide := &memory{agent: "cursor", sessions: []memorySession{session("s1", day(1), "composer", strings.Split(c.composer, "|")...)}}
			cli := &memory{agent: "cursor-cli", sessions: []memorySession{session("s1", day(1), "store", strings.Split(c.store, "|")...)}}
			far := &memory{agent: "cursor-far", sessions: []memorySession{session("s1", day(1), "transcript", strings.Split(c.transcript, "|")...)}}
			d, err := open(t, far, cli, ide).Show(t.Context(), "s1")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(c.want, "|"), told(d.Messages)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Two stores that know no time of a session do not say where it comes from.
func TestMergedSessionWithoutTimes(t *testing.T) {
	ide := &memory{agent: "cursor", sessions: []memorySession{session("s1", time.Time{}, "composer", "u:hi")}}
	cli := &memory{agent: "cursor-cli", sessions: []memorySession{session("s1", time.Time{}, "transcript", "u:hi")}}
	cli.sessions[0].header.TimeSource = retold.TimeStored
	listing, err := open(t, ide, cli).List(t.Context(), retold.Filter{}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := listing.Data[0].TimeSource; got != "" {
		t.Errorf("the times come from %q; there are none", got)
	}
}
