package library

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/retold-history/retold"
)

// debounce is how long a burst of changes is waited out.
const debounce = 100 * time.Millisecond

// mostFolders is how many folders are watched for hints.
const mostFolders = 256

// hints returns a channel that receives after files changed, and a function that
// ends the watching. Where the system offers no events the channel stays silent;
// looking at times finds everything all the same.
func (l *Library) hints() (<-chan struct{}, func()) {
	out := make(chan struct{}, 1)
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return out, func() {}
	}
	for _, dir := range l.watched() {
		_ = w.Add(dir) // only a hint is lost
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		gatherHints(w, out)
	}()
	return out, func() {
		_ = w.Close() // nothing was written
		<-done
	}
}

// gatherHints passes bursts of events on as one hint each.
func gatherHints(w *fsnotify.Watcher, out chan<- struct{}) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	waiting := false
	for {
		select {
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			if !waiting && !e.Has(fsnotify.Chmod) {
				waiting = true
				timer.Reset(debounce)
			}
		case _, ok := <-w.Errors:
			if !ok {
				return
			}
		case <-timer.C:
			waiting = false
			select {
			case out <- struct{}{}:
			default: // one is waiting already
			}
		}
	}
}

// hintFolders are the folders of a place whose files change while somebody works
// there: those that hold databases or transcripts, three levels deep at most.
// Folders are watched, not files, because a log is replaced and not rewritten.
func hintFolders(p retold.Place) []string {
	var dirs []string
	root := filepath.Clean(p.Path)
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error { // what cannot be listed gives no hints
		if err != nil || !d.IsDir() {
			return nil
		}
		if rel, err := filepath.Rel(root, path); err == nil && depth(rel) > 3 || len(dirs) >= mostFolders {
			return fs.SkipDir
		}
		dirs = append(dirs, path)
		return nil
	})
	return dirs
}

func depth(rel string) int {
	n := 0
	for _, c := range rel {
		if c == os.PathSeparator {
			n++
		}
	}
	return n + 1
}
