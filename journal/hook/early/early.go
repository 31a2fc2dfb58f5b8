// Package early runs "retold journal enqueue" before the rest of the program is
// set up, for whoever imports it.
//
// A commit waits for that command, which may take a hundredth of a second. What
// packages do before main begins takes longer: the tables behind coloured code
// and Markdown alone. Go sets packages up in the order of their import paths, each
// as soon as those that it imports are, so one that imports little of the standard
// library has its turn before them (measured in docs/benchmarks.md, and watched
// over by a test that fails when an import changes that). Any other command line
// costs one comparison.
//
// Where retold's own folder is named only by the rules of the system, not by
// RETOLD_HOME, the command runs as all others do; the hooks name it.
package early

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/retold-history/retold/journal/hook/spool"
)

// patience is how long a commit waits at most, if git has to be asked and does not
// answer.
const patience = 5 * time.Second

func init() {
	if len(os.Args) < 3 || os.Args[1] != "journal" || os.Args[2] != "enqueue" {
		return
	}
	home := os.Getenv("RETOLD_HOME")
	call, ok := spool.ParseCall(os.Args[3:])
	if !ok || !filepath.IsAbs(home) {
		return
	}
	if call.Kind == spool.PostRewrite {
		call.Stdin = os.Stdin
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	spool.Run(ctx, spool.Folder(home), call)
	stop()
	os.Exit(0)
}
