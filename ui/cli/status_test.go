package cli

import (
	"io"
	"strings"
	"testing"

	"github.com/retold-history/retold"
)

// What is locked or busy ends with 6, whatever the rest of the error.
func TestBusyHasItsStatus(t *testing.T) {
	for _, code := range []retold.Code{retold.CodeDatabaseLocked, retold.CodeCursorRunning, retold.CodeLibraryBusy} {
		var said strings.Builder
		a := &app{voice: newVoice(Streams{In: strings.NewReader(""), Out: io.Discard, Err: &said})}
		if got := a.end(t.Context(), &retold.Error{Code: code, Path: "state.vscdb"}); got != 6 {
			t.Errorf("%s ends with %d, want 6", code, got)
		}
		if !strings.Contains(said.String(), "state.vscdb") {
			t.Errorf("%s is told as %q", code, said.String())
		}
	}
}
