package cursorcli

import (
	"time"

	"github.com/retold-history/retold/internal/livedb"
)

// databaseStamp is a stamp of a database with its log and journal, and when the
// youngest of them was written. Without a log the file system says all there is
// to say; a log that starts over keeps its size, and on some systems a file that
// is open for writing its time, so that the log itself and its index are asked.
func databaseStamp(path string) (stamp uint64, written time.Time) {
	g := look(path)
	b := g.append(nil)
	written = g.mtime
	for _, suffix := range []string{"-wal", "-journal"} {
		g := look(path + suffix)
		b = g.append(b)
		if g.mtime.After(written) {
			written = g.mtime
		}
		if suffix == "-wal" && g.size > 0 {
			b = append(b, logStamp(path)...)
		}
	}
	return sum(b), written
}

// logStamp is what SQLite's own files say; what cannot be read is another stamp
// than any other.
func logStamp(path string) []byte {
	s, err := livedb.Look(path)
	if err != nil {
		return []byte("unread")
	}
	b, err := s.AppendBinary(nil)
	if err != nil {
		return []byte("unread")
	}
	return b
}
