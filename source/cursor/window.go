package cursor

import "strings"

// A window is the part of two texts around where they differ. Comparing only
// that costs what changed, not what the file holds.
type window struct {
	before, after string
	lines         int  // lines of both texts above it
	cut           bool // there are lines below it
}

// around cuts off the lines that both texts begin and end with, but for context
// lines on each side.
func around(before, after string, context int) window {
	head := lineStart(before, sameHead(before, after))
	for range context {
		head = lineStart(before, head-1)
	}
	b, a := before[head:], after[head:]
	tail := sameTail(b, a)
	// The tail begins with a whole line, context lines further down. Without a
	// whole line in common nothing is cut.
	cut := len(b) - tail
	for range context + 1 {
		i := strings.IndexByte(b[cut:], '\n')
		if i < 0 {
			cut = len(b)
			break
		}
		cut += i + 1
	}
	tail = len(b) - cut
	return window{b[:cut], a[:len(a)-tail], strings.Count(before[:head], "\n"), tail > 0}
}

// lineStart is the start of the line that holds byte i.
func lineStart(s string, i int) int {
	if i <= 0 {
		return 0
	}
	return strings.LastIndexByte(s[:i], '\n') + 1
}

// stretch is how many bytes are compared at a time.
const stretch = 256

// sameHead counts the bytes that two texts begin with.
func sameHead(a, b string) int {
	i, n := 0, min(len(a), len(b))
	for i+stretch <= n && a[i:i+stretch] == b[i:i+stretch] {
		i += stretch
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// sameTail counts the bytes that two texts end with.
func sameTail(a, b string) int {
	i, n := 0, min(len(a), len(b))
	for i+stretch <= n && a[len(a)-i-stretch:len(a)-i] == b[len(b)-i-stretch:len(b)-i] {
		i += stretch
	}
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	return i
}
