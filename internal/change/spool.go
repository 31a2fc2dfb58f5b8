package change

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/retold-history/retold"
)

// inline is the most bytes of a value that are kept beside its step.
const inline = 96

// inMemory is how many bytes of values a plan holds before it makes a file.
const inMemory = 8 << 20

// A value is a retold.Value whose bytes are kept in a spool when there are many
// of them.
type value struct {
	Class retold.Class `json:"class"`
	Int   int64        `json:"int,omitempty"`
	Float float64      `json:"float,omitempty"`
	Bytes []byte       `json:"bytes,omitempty"`
	Size  int64        `json:"size,omitempty"`
	At    int64        `json:"at,omitempty"` // place in the spool, plus one; 0 when the bytes are here
	Sum   []byte       `json:"sum,omitempty"`
}

// is reports whether v is that very value.
func (v *value) is(other retold.Value) bool {
	if v.Class != other.Class || v.Size != int64(len(other.Bytes)) {
		return false
	}
	switch v.Class {
	case retold.ClassInteger:
		return v.Int == other.Int
	case retold.ClassReal:
		return v.Float == other.Float
	case retold.ClassNull:
		return true
	}
	if v.At == 0 {
		return string(v.Bytes) == string(other.Bytes)
	}
	sum := sha256.Sum256(other.Bytes)
	return string(sum[:]) == string(v.Sum)
}

func (v *value) same(other *value) bool {
	return v.Class == other.Class && v.Int == other.Int && v.Float == other.Float && v.Size == other.Size &&
		string(v.Bytes) == string(other.Bytes) && string(v.Sum) == string(other.Sum)
}

// A spool keeps the bytes of values one behind the other, in memory while they
// are few.
type spool struct {
	dir  string
	size int64
	buf  []byte
	file *os.File
	kept bool // the file belongs to a record and stays
}

func newSpool(dir string) *spool { return &spool{dir: dir} }

// openSpool reads the values of a record.
func openSpool(path string) (*spool, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &spool{file: f, size: info.Size(), kept: true}, nil
}

func (s *spool) close() error {
	if s.file == nil {
		return nil
	}
	name := s.file.Name()
	err := s.file.Close()
	s.file = nil
	if !s.kept {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// put keeps a value.
func (s *spool) put(v retold.Value) (value, error) {
	out := value{Class: v.Class, Int: v.Int, Float: v.Float, Size: int64(len(v.Bytes))}
	if len(v.Bytes) <= inline {
		out.Bytes = append([]byte(nil), v.Bytes...)
		return out, nil
	}
	sum := sha256.Sum256(v.Bytes)
	out.Sum, out.At = sum[:], s.size+1
	s.size += out.Size
	if s.file == nil {
		if len(s.buf)+len(v.Bytes) < inMemory {
			s.buf = append(s.buf, v.Bytes...)
			return out, nil
		}
		f, err := os.CreateTemp(s.dir, ".retold-plan-*")
		if err != nil {
			return out, fmt.Errorf("keep the plan: %w", err)
		}
		s.file = f
		buf := s.buf
		s.buf = nil
		if _, err := s.file.Write(buf); err != nil {
			return out, fmt.Errorf("keep the plan: %w", err)
		}
	}
	if _, err := s.file.Write(v.Bytes); err != nil {
		return out, fmt.Errorf("keep the plan: %w", err)
	}
	return out, nil
}

// get brings a value back, and refuses one that is not what was put.
func (s *spool) get(v *value) (retold.Value, error) {
	out := retold.Value{Class: v.Class, Int: v.Int, Float: v.Float, Bytes: v.Bytes}
	if v.At == 0 {
		return out, nil
	}
	if v.Size < 0 || v.At-1+v.Size > s.size {
		return out, fmt.Errorf("a value lies behind the end of the record: %w", io.ErrUnexpectedEOF)
	}
	if s.file == nil {
		out.Bytes = s.buf[v.At-1 : v.At-1+v.Size]
	} else {
		out.Bytes = make([]byte, v.Size)
		if _, err := s.file.ReadAt(out.Bytes, v.At-1); err != nil {
			return out, fmt.Errorf("read a kept value: %w", err)
		}
	}
	if !v.is(out) {
		return out, errors.New("a kept value is damaged")
	}
	return out, nil
}

// reader gives all bytes of all values.
func (s *spool) reader() io.Reader {
	if s.file == nil {
		return bytes.NewReader(s.buf)
	}
	return io.NewSectionReader(s.file, 0, s.size)
}
