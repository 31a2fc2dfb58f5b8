package relocate

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
)

// planEnding ends the names of Cursor's plan files: <name>-<8 hex>.plan.md
// (formats D.5).
const planEnding = ".plan.md"

// Plans are the names of the plan files that a value mentions, without their
// folders, each once: as paths or addresses, in JSON or not. What an address
// escapes is there in both forms.
func Plans(value []byte) (names []string) {
	add := func(name string) {
		if name != "" && name != planEnding && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for at := 0; ; {
		i := bytes.Index(value[at:], []byte(planEnding))
		if i < 0 {
			return names
		}
		end := at + i + len(planEnding)
		start := bytes.LastIndexAny(value[at:at+i], "/\\\"'`<>()[]\x00\n\r\t") + 1
		name := string(value[at+start : end])
		at = end
		add(name)
		if plain, err := url.PathUnescape(name); err == nil {
			add(plain)
		}
		if _, last, spaced := strings.Cut(name, " "); spaced { // in a sentence it begins behind a space
			add(last[strings.LastIndexByte(last, ' ')+1:])
		}
	}
}
