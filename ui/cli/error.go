package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/library"
	"github.com/retold-history/retold/ui/mcp/install"
)

// Exit statuses; docs/exit-codes.md is their documentation.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitProblems    = 3
	exitNotFound    = 4
	exitNothing     = 5
	exitBusy        = 6
	exitDamaged     = 7
	exitInterrupted = 130
)

// statusOf gives the exit status of an error's code.
func statusOf(code retold.Code) int {
	switch code {
	case retold.CodeUsage, retold.CodeSessionAmbiguous, retold.CodeWorkspaceAmbiguous:
		return exitUsage
	case retold.CodeDatabaseNotFound, retold.CodeSessionNotFound, retold.CodeWorkspaceNotFound, retold.CodeChangeNotFound,
		retold.CodeCommitNotFound, retold.CodeLineNotFound, retold.CodeEntryNotFound:
		return exitNotFound
	case retold.CodeDatabaseLocked, retold.CodeCursorRunning, retold.CodeLibraryBusy:
		return exitBusy
	case retold.CodeDatabaseCorrupt, retold.CodeInvalidBackup, retold.CodeInvalidExport, install.CodeConfig:
		return exitDamaged
	case retold.CodeInterrupted:
		return exitInterrupted
	}
	return exitError
}

// errEnded ends what only an interrupt can end: that it came is no news.
var errEnded = errors.New("ended")

// end says what went wrong, if anything, and returns the exit status.
func (a *app) end(ctx context.Context, err error) int {
	switch {
	case brokenPipe(err):
		return exitOK // whoever read the output has seen enough
	case err == nil && a.problems > 0 && a.settings.strict:
		return exitProblems
	case err == nil:
		return exitOK
	case errors.Is(err, errEnded):
		return exitInterrupted
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		err = &retold.Error{Code: retold.CodeInterrupted, Err: errors.New("interrupted")}
	}
	code, hint := retold.Code("error"), ""
	status := exitError
	if e, ok := errors.AsType[*retold.Error](err); ok {
		code, hint, status = cmp.Or(e.Code, code), e.Hint, statusOf(e.Code)
	}
	if errors.Is(err, library.ErrNothing) {
		status = exitNothing
	}
	a.complain(a.veil.failure(err), code, a.veil.text(hint), pointed(err))
	return status
}

// complain prints an error on stderr, in which secrets are masked; detail are lines
// for people only.
func (a *app) complain(message string, code retold.Code, hint string, detail []string) {
	a.catchUp()
	if a.json {
		type body struct {
			Code    retold.Code `json:"code"`
			Message string      `json:"message"`
			Hint    *string     `json:"hint"`
		}
		b := body{Code: code, Message: message}
		if hint != "" {
			b.Hint = &hint
		}
		line, err := json.Marshal(map[string]body{"error": b})
		if err == nil {
			a.tell(string(line) + "\n")
		}
		return
	}
	a.tell(a.errStyle.red("error:") + " " + plain(message) + "\n")
	for _, line := range detail {
		a.tell("  " + line + "\n")
	}
	if hint != "" {
		a.tell(a.errStyle.cyan("hint:") + " " + plain(hint) + "\n")
	}
}

// pointed is the query that an error is about with a mark under the place, cut to
// what stands around it.
func pointed(err error) []string {
	e, ok := errors.AsType[*retold.QueryError](err)
	if !ok {
		return nil
	}
	const before, after = 48, 24 // columns
	at := min(e.Offset, len(e.Query))
	head, tail := spaced(e.Query[:at]), spaced(e.Query[at:])
	if cells(head) > before {
		head = "…" + lastCells(head, before-1)
	}
	return []string{head + cut(tail, after), strings.Repeat(" ", cells(head)) + "^"}
}

// spaced makes text harmless and fit for one line without moving what is in it.
func spaced(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, plain(s))
}

// lastCells is the end of a text, at most width columns of it.
func lastCells(s string, width int) string {
	for cells(s) > width {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s
}

// brokenPipe reports whether err is about writing to a pipe nobody reads.
func brokenPipe(err error) bool {
	if errors.Is(err, syscall.EPIPE) {
		return true
	}
	const errorBrokenPipe, errorNoData = syscall.Errno(109), syscall.Errno(232) // what Windows calls it
	return runtime.GOOS == "windows" && (errors.Is(err, errorBrokenPipe) || errors.Is(err, errorNoData))
}
