package backup

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"os"
	"sync"
)

// maxSpilled is how many bytes of pages may lie in a temporary file.
const maxSpilled = 512 << 20

// A spill keeps pages for which there is no room in memory: in a temporary file
// without a name where the system knows such, and sealed with a key that is
// nowhere else, because the backup may be encrypted. It is used from the first page
// on until something goes wrong with it; then there are none any more, which costs
// time alone.
type spill struct {
	mu     sync.Mutex
	file   *os.File
	box    cipher.AEAD
	sealed []byte
	at     int64
	broken bool
}

// put returns where it keeps a page; false when it does not.
func (s *spill) put(page []byte) (at int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken || s.file == nil && s.open() != nil || s.at > maxSpilled {
		s.broken = s.broken || s.file == nil
		return 0, false
	}
	at = s.at
	s.sealed = s.box.Seal(s.sealed[:0], nonce(at), page, nil)
	n, err := s.file.WriteAt(s.sealed, at)
	s.broken = err != nil
	s.at += int64(n)
	return at, err == nil
}

// get reads the page that is kept at an offset into b, which has its size.
func (s *spill) get(b []byte, at int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken || s.file == nil {
		return false
	}
	s.sealed = grown(s.sealed, int64(len(b)+s.box.Overhead()))
	_, err := s.file.ReadAt(s.sealed, at)
	if err == nil {
		_, err = s.box.Open(b[:0], nonce(at), s.sealed, nil)
	}
	s.broken = err != nil
	return err == nil
}

// nonce is one of a page: no two begin at the same offset, and the key is new.
func nonce(at int64) []byte { return binary.LittleEndian.AppendUint64(make([]byte, 4), uint64(at)) }

func (s *spill) open() error {
	if err := NeedSpace(os.TempDir(), 2*maxSpilled); err != nil {
		return err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		return err
	}
	if s.box, err = cipher.NewGCM(block); err != nil {
		return err
	}
	if s.file, err = os.CreateTemp("", "retold-verify-*"); err != nil {
		s.file = nil
		return err
	}
	_ = os.Remove(s.file.Name()) // Windows removes it when it is closed, see close
	return nil
}

func (s *spill) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	name, err := s.file.Name(), s.file.Close()
	if gone := os.Remove(name); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	s.file, s.broken = nil, true
	return err
}
