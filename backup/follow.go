package backup

import "sync"

const (
	// followChunks is how far two readers of a file may be apart: what lies between
	// is in the cache.
	followChunks = 16
	// followAgain is how far one may be behind and still be waited for. It catches
	// up by unpacking once more what lies between.
	followAgain = 12 * followChunks
	// followStep is how many chunks a reader may leave out and still go forward, and
	// followRun how many steps forward make a walk.
	followStep, followRun = 8, 12
)

// A follower keeps two readers of one file close together, so that a chunk is
// unpacked once for both. SQLite's integrity_check walks every table twice: first
// from the end (its pages), then from the beginning (its rows). The reading for the
// sums can only go from beginning to end, and so begins with the second walk. Each
// waits for the other only when that one is behind, so that they cannot both wait.
type follower struct {
	mu    sync.Mutex
	moved *sync.Cond
	at    int  // chunks that were read for the sums
	seen  int  // the chunk that SQLite asked for last
	run   int  // steps that it went forward
	began bool // the reading for the sums
	ended bool // likewise
	left  bool // SQLite has ended
}

func newFollower() *follower {
	w := &follower{}
	w.moved = sync.NewCond(&w.mu)
	return w
}

// reach notes that SQLite asks for chunk i, and waits when it is about to leave
// the other behind.
func (w *follower) reach(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i == w.seen {
		return
	}
	if w.run++; i < w.seen || i > w.seen+followStep {
		w.run = 0
	}
	w.seen = i
	w.began = w.began || w.run >= followRun
	w.moved.Broadcast()
	for w.began && !w.ended && i-w.at > followChunks && i-w.at < followAgain {
		w.moved.Wait()
	}
}

// begin waits until SQLite walks forward, or has left.
func (w *follower) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.began && !w.left {
		w.moved.Wait()
	}
	w.began = true
}

// passed notes that the chunks up to i were read for the sums, and waits for
// SQLite when it is about to fall behind.
func (w *follower) passed(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = i + 1
	w.moved.Broadcast()
	for !w.left && w.at-w.seen > followChunks && w.at-w.seen < followAgain {
		w.moved.Wait()
	}
}

// end says that nothing more is read for the sums.
func (w *follower) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	w.moved.Broadcast()
}

// leave says that SQLite asks for nothing more.
func (w *follower) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = true
	w.moved.Broadcast()
}
