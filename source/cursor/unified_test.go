package cursor

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// TestUnifiedNumbersItsLines wants every hunk of a diff of random edits to stand
// where its head says, in both texts, and the hunks together to make one of the
// other.
func TestUnifiedNumbersItsLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	text := func() []string {
		lines := make([]string, rng.IntN(120))
		for i := range lines {
			lines[i] = fmt.Sprintf("line %d\n", rng.IntN(30))
		}
		if len(lines) > 0 && rng.IntN(3) == 0 {
			lines[len(lines)-1] = "no end"
		}
		return lines
	}
	for range 2_000 {
		before := text()
		after := strings.Join(text(), "")
		if rng.IntN(4) > 0 {
			changed := append([]string{}, before...)
			for range min(len(changed), rng.IntN(6)) {
				changed[rng.IntN(len(changed))] = fmt.Sprintf("new %d\n", rng.IntN(3))
			}
			after = strings.Join(changed, "")
		}
		diff := unified("f", strings.Join(before, ""), after)
		got, err := applyStrictly(before, splitLines(after), diff)
		if err != nil || got != after {
			t.Fatalf("%v\nbefore %q\nafter  %q\ngot    %q\n%s", err, before, after, got, diff)
		}
	}
}

// applyStrictly applies a diff and minds every number in it.
func applyStrictly(before, after []string, diff string) (string, error) {
	var out strings.Builder
	at, to := 0, 0 // lines of both texts that are told
	lines := splitLines(diff)
	lines = lines[min(2, len(lines)):] // behind those that name the files
	for i, line := range lines {
		switch line[0] {
		case '@':
			fields := strings.Fields(line)
			for from := hunkStart(fields[1]); at < from; at, to = at+1, to+1 {
				out.WriteString(before[at])
			}
			if to != hunkStart(fields[2]) {
				return "", fmt.Errorf("%s stands at line %d of the text after", strings.TrimSpace(line), to+1)
			}
		case ' ', '-', '+':
			body := line[1:]
			if i+1 < len(lines) && lines[i+1][0] == '\\' {
				body = strings.TrimSuffix(body, "\n")
			}
			if line[0] != '+' {
				if at >= len(before) || before[at] != body {
					return "", fmt.Errorf("%q is not line %d of the text before", body, at+1)
				}
				at++
			}
			if line[0] != '-' {
				if to >= len(after) || after[to] != body {
					return "", fmt.Errorf("%q is not line %d of the text after", body, to+1)
				}
				out.WriteString(body)
				to++
			}
		}
	}
	for ; at < len(before); at++ {
		out.WriteString(before[at])
	}
	return out.String(), nil
}

// hunkStart is how many lines stand before a range such as "-12,3".
func hunkStart(span string) int {
	line, count, counted := strings.Cut(span[1:], ",")
	n, err := strconv.Atoi(line)
	if err != nil {
		return -1
	}
	if counted && count == "0" {
		return n
	}
	return n - 1
}
