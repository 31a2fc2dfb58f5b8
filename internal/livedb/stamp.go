package livedb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A Stamp is what the files of a database look like from outside. Two equal
// stamps mean that nothing was committed in between; SQLite is not asked. The
// zero Stamp is that of a file that is not there. Times are nanoseconds since
// 1970.
type Stamp struct {
	Size, Time int64
	Inode      uint64
	Counter    uint32 // file change counter, bytes 24–27 of the header; it stands still in WAL mode

	WALSize, WALTime int64
	WALHead          [32]byte // header of the -wal: its salts change when it starts over

	// Index is both copies of the header of the -shm (WalIndexHdr: transaction
	// counter, last frame and its checksum), which a commit changes through a
	// mapping that leaves the file's time alone. IndexInode says which -shm it was.
	Index      [96]byte
	IndexInode uint64

	JournalSize, JournalTime int64 // of a rollback journal in force
}

// StampSize is the length of a Stamp in bytes.
const StampSize = 8*8 + 4 + 32 + 96

// Look takes the stamp of a database. It goes through the descriptor that all
// readers of the file in this process share, because closing another one would
// drop SQLite's locks on the database or on its -shm.
func Look(path string) (s Stamp, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Stamp{}, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return Stamp{}, err
	}
	s = Stamp{Size: info.Size(), Time: info.ModTime().UnixNano(), Inode: Inode(info)}
	if s.JournalSize, s.JournalTime, err = journalStamp(path); err != nil {
		return s, err
	}
	if s.WALSize, s.WALTime, s.WALHead, err = logHead(path); err != nil {
		return s, err
	}
	h, err := acquire(path)
	if err != nil {
		return s, err
	}
	err = h.stamp(&s)
	return s, errors.Join(err, h.release())
}

func (h *hold) stamp(s *Stamp) error {
	var word [4]byte
	if _, err := h.file.ReadAt(word[:], 24); err == nil {
		s.Counter = binary.BigEndian.Uint32(word[:])
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the header: %w", err)
	}
	return h.index(s)
}

// index reads the head of the -shm. Its descriptor lives as long as the
// database's, for the same reason; that of one that was deleted since guards
// nothing any more.
func (h *hold) index(s *Stamp) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	info, err := os.Stat(h.path + "-shm")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	s.IndexInode = Inode(info)
	if h.shm != nil {
		if open, err := h.shm.Stat(); err != nil || !os.SameFile(open, info) {
			if err := errors.Join(err, h.shm.Close()); err != nil {
				return err
			}
			h.shm = nil
		}
	}
	if h.shm == nil {
		if h.shm, err = os.Open(h.path + "-shm"); err != nil {
			return err
		}
	}
	for range 3 { // a commit writes one copy after the other
		if _, err := h.shm.ReadAt(s.Index[:], 0); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read the log's index: %w", err)
		}
		if [48]byte(s.Index[:48]) == [48]byte(s.Index[48:]) {
			break
		}
	}
	return nil
}

func journalStamp(path string) (size, at int64, err error) {
	size, stamp, err := journalOf(path)
	if size == 0 || err != nil {
		return 0, 0, err
	}
	return size, stamp.UnixNano(), nil
}

// logHead looks at the -wal; reading it is harmless, SQLite keeps no lock there.
func logHead(path string) (size, at int64, head [32]byte, err error) {
	info, err := os.Stat(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return 0, 0, head, nil
	}
	if err != nil {
		return 0, 0, head, err
	}
	f, err := os.Open(path + "-wal")
	if errors.Is(err, fs.ErrNotExist) { // gone since
		return 0, 0, head, nil
	}
	if err != nil {
		return 0, 0, head, err
	}
	if _, err = f.ReadAt(head[:], 0); errors.Is(err, io.EOF) {
		err = nil
	}
	return info.Size(), info.ModTime().UnixNano(), head, errors.Join(err, f.Close())
}

// Evidence says whether something was committed between two stamps.
type Evidence byte

// What can be said of it.
const (
	Unchanged Evidence = iota // nothing was
	Perhaps                   // the files cannot tell: a log was folded in, say
	Committed                 // SQLite's own counters say so, or it is another file
)

// Since compares a stamp with an earlier one. A log that was checkpointed, or
// folded in and removed, is no evidence of a commit.
func (s Stamp) Since(old Stamp) Evidence {
	switch {
	case s == old:
		return Unchanged
	case s.Inode != old.Inode || s.Size == 0 || old.Size == 0:
		return Committed
	case s.IndexInode == old.IndexInode && s.ready() && old.ready():
		now, was := s.log(), old.log()
		if now.commits == was.commits && (now == was || now.frames == 0) { // started over, with nothing in it yet
			return Unchanged
		}
		return Committed
	case s.WALSize > 0 && old.WALSize == 0: // whatever is in it is new
		return Committed
	case s.WALSize > 0 || old.WALSize > 0 || s.JournalSize != old.JournalSize || s.JournalTime != old.JournalTime:
		return Perhaps
	case s.Counter != old.Counter:
		return Committed
	case s.Size != old.Size || s.Time != old.Time:
		return Perhaps
	}
	return Unchanged // the remains of a log came or went
}

// ready reports whether the index of the log was in use.
func (s Stamp) ready() bool { return s.IndexInode != 0 && s.Index[12] != 0 }

// logState is the part of the log's index that commits change. The counter alone
// would not do: after a crash it starts again at 0.
type logState struct {
	commits, frames uint32
	sums            [16]byte // of the last frame, and the salts
}

func (s Stamp) log() logState {
	return logState{
		commits: binary.NativeEndian.Uint32(s.Index[8:]), frames: binary.NativeEndian.Uint32(s.Index[16:]),
		sums: [16]byte(s.Index[24:40]),
	}
}

// AppendBinary appends the stamp to b as StampSize bytes. It never fails.
func (s Stamp) AppendBinary(b []byte) ([]byte, error) {
	for _, n := range s.numbers() {
		b = binary.LittleEndian.AppendUint64(b, uint64(*n)) //nolint:gosec // the same bits
	}
	b = binary.LittleEndian.AppendUint64(b, s.Inode)
	b = binary.LittleEndian.AppendUint64(b, s.IndexInode)
	b = binary.LittleEndian.AppendUint32(b, s.Counter)
	b = append(b, s.WALHead[:]...)
	return append(b, s.Index[:]...), nil
}

// UnmarshalBinary reads what AppendBinary wrote.
func (s *Stamp) UnmarshalBinary(b []byte) error {
	if len(b) != StampSize {
		return fmt.Errorf("a stamp has %d bytes, not %d", StampSize, len(b))
	}
	next := func(n int) []byte { head := b[:n]; b = b[n:]; return head }
	for _, n := range s.numbers() {
		*n = int64(binary.LittleEndian.Uint64(next(8))) //nolint:gosec // the same bits
	}
	s.Inode = binary.LittleEndian.Uint64(next(8))
	s.IndexInode = binary.LittleEndian.Uint64(next(8))
	s.Counter = binary.LittleEndian.Uint32(next(4))
	s.WALHead, s.Index = [32]byte(next(32)), [96]byte(next(96))
	return nil
}

func (s *Stamp) numbers() []*int64 {
	return []*int64{&s.Size, &s.Time, &s.WALSize, &s.WALTime, &s.JournalSize, &s.JournalTime}
}
