package library_test

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// noneLeft returns a check that no goroutine of this module runs that did not
// when it was made. The runtime may take a moment to end one whose work is done,
// so the check lets it run before it looks again.
func noneLeft(t *testing.T) func() {
	t.Helper()
	before := ours()
	return func() {
		t.Helper()
		var left map[string]string
		for start := time.Now(); time.Since(start) < 10*time.Second; runtime.Gosched() {
			left = ours()
			for id := range before {
				delete(left, id)
			}
			if len(left) == 0 {
				return
			}
		}
		for _, stack := range left {
			t.Errorf("left behind: %s", stack)
		}
	}
}

// ours are the goroutines in whose stacks this module or its file watcher is,
// other than this test's own, by their ids.
func ours() map[string]string {
	buf := make([]byte, 1<<20)
	for n := runtime.Stack(buf, true); n == len(buf); n = runtime.Stack(buf, true) {
		buf = make([]byte, 2*len(buf))
	}
	found := map[string]string{}
	all := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	for _, stack := range all[1:] { // the first is the one that asks
		head, _, _ := strings.Cut(stack, " [")
		if strings.Contains(stack, "retold-history/retold") || strings.Contains(stack, "fsnotify") {
			if !strings.Contains(stack, "testing.(*T).Run") {
				found[head] = stack
			}
		}
	}
	return found
}

// The check finds what is left behind.
func TestLeakCheckBites(t *testing.T) {
	before := ours()
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		<-stop
		close(ended)
	}()
	if len(ours()) != len(before)+1 {
		t.Errorf("a goroutine was started, and %d are seen instead of %d", len(ours()), len(before)+1)
	}
	close(stop)
	<-ended
}
