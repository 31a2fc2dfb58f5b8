package render_test

import (
	"fmt"
	"testing"
	"time"
)

// watch ends the test process with the input in its message when what follows
// takes longer than any text may.
func watch(t *testing.T, in string) {
	t.Helper()
	timer := time.AfterFunc(5*time.Second, func() { panic(fmt.Sprintf("still busy with %q", in)) })
	t.Cleanup(func() { timer.Stop() })
}
