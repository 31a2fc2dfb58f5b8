package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retold-history/retold/library"
)

const syncLong = `Bring the library up to date: read every session that is new or has changed, so
that all of it can be searched. Other commands do the same on the way as far as
they need it; this one does it ahead of time, and says what it did.

What is there already costs next to nothing, and what an agent has deleted stays.
Interrupted, it keeps what it has and goes on the next time.`

func (a *app) syncCommand() *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use: "sync", Short: "bring the library up to date", Long: syncLong, Args: noArgs,
		Example: "  retold sync\n  retold sync --full --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.sync(cmd, full) },
	}
	cmd.Flags().BoolVar(&full, "full", false, "trust no sign that something is unchanged: compare all of it")
	return cmd
}

func (a *app) sync(cmd *cobra.Command, full bool) error {
	ctx := cmd.Context()
	l, err := a.open(ctx)
	if err != nil {
		return err
	}
	r, err := l.Sync(ctx, library.SyncOptions{Full: full})
	if err != nil {
		return err
	}
	a.problems += len(r.Problems)
	if r.Sessions == 0 {
		if err := l.Nothing(); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(r)
	}
	a.line("%s in %s", strings.Join(synced(r), ", "), span(r.Elapsed))
	where := oneLine(r.Library)
	if r.LibraryBytes > 0 {
		where = size(r.LibraryBytes) + " in " + where
	}
	a.line("%s", a.style.dim(fmt.Sprintf("the library holds %s: %s", counted(r.Sessions, "session"), where)))
	if r.Pending > 0 {
		a.note("the messages of %s could not be read yet", counted(r.Pending, "session"))
	}
	a.mention(r.Problems)
	return nil
}

// synced says what a sync did, in a few words each.
func synced(r *library.SyncReport) []string {
	if r.Unchanged {
		return []string{"nothing new"}
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{r.New, "new"}, {r.Changed, "changed"}, {r.Gone, "gone from where they were, and kept"}} {
		if p.n > 0 {
			parts = append(parts, number(int64(p.n))+" "+p.what)
		}
	}
	if r.Read > 0 {
		parts = append(parts, fmt.Sprintf("%s with %s read", counted(r.Read, "session"), counted(r.Messages, "message")))
	}
	if len(parts) == 0 {
		return []string{"no session changed"}
	}
	return parts
}
