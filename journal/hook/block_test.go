package hook_test

import (
	"strings"
	"testing"

	"github.com/retold-history/retold/journal/hook"
)

// Whatever a file holds, taking the block out brings it back.
func FuzzBlock(f *testing.F) {
	for _, text := range []string{"", "#!/bin/sh", "#!/bin/sh\r\necho\r\n", "#!/bin/sh\necho", "\n\n", "a\x00b", "# >>> retold v >>>\n", "#!/bin/sh\r", "\xff\n#"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, first bool) {
		if back, err := hook.Back(text); err != nil || back != text {
			t.Skip("there is a block in it")
		}
		there := hook.There(text, first)
		if back, err := hook.Back(there); err != nil || back != text {
			t.Errorf("%q became %q, and that %q, %v", text, there, back, err)
		}
		if strings.Count(there, "journal enqueue") < 1 {
			t.Errorf("%q holds no block", there)
		}
		// What somebody adds behind it is not lost, nor joined with what is before.
		if back, err := hook.Back(there + "more\n"); err != nil || !strings.HasSuffix(back, "more\n") || !strings.HasPrefix(back, text) {
			t.Errorf("%q with more became %q, %v", there, back, err)
		}
	})
}
