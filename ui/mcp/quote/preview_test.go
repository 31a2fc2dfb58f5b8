package quote_test

import (
	"testing"

	"github.com/retold-history/retold/ui/mcp/quote"
)

func TestPreviewLeftovers(t *testing.T) {
	for in, want := range map[string]string{
		"[main] fix the build":      "[main] fix the build",
		"see [K8s] and [m] there":   "see [K8s] and [m] there",
		"[31mred[0m and plain":      "red[0m and plain",
		"a [1;31mred [0m text":      "a red text",
		"a [mtext":                  "a text",
		"[K done":                   "done",
		"[2K[1m progress [main]":    "progress [main]",
		"nothing of that [is] here": "nothing of that [is] here",
	} {
		if got := quote.Preview(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
