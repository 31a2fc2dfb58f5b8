package agentstate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxFields bounds the fields of one message: an honest state has one per turn,
// a hostile megabyte of two-byte fields would take forty megabytes.
const maxFields = 1 << 20

var (
	errWire   = errors.New("not a protobuf message")
	errFields = errors.New("too many fields")
)

// field is one field as it lies on the wire.
type field struct {
	num protowire.Number
	typ protowire.Type
	n   uint64 // varint, fixed32, fixed64
	b   []byte // length-delimited
}

// message is one level of a protobuf message; what is inside a field is parsed
// when it is asked for, so depth costs nothing.
type message []field

// parse reads one level. With an error the fields before the fault are returned.
// proto3 has no groups: they are a fault.
func parse(b []byte) (message, error) {
	var m message
	for len(b) > 0 {
		if len(m) == maxFields {
			return m, errFields
		}
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return m, errWire
		}
		b = b[n:]
		f := field{num: num, typ: typ}
		switch typ {
		case protowire.VarintType:
			f.n, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			f.n, n = protowire.ConsumeFixed64(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			f.n = uint64(v)
		case protowire.BytesType:
			f.b, n = protowire.ConsumeBytes(b)
		default:
			return m, errWire
		}
		if n < 0 {
			return m, errWire
		}
		b = b[n:]
		m = append(m, f)
	}
	return m, nil
}

// get returns the last field of a number, as protobuf wants it for fields that
// are not repeated.
func (m message) get(num protowire.Number) (field, bool) {
	for _, f := range slices.Backward(m) {
		if f.num == num {
			return f, true
		}
	}
	return field{}, false
}

// only returns the fields of one number.
func (m message) only(num protowire.Number) message {
	var out message
	for _, f := range m {
		if f.num == num {
			out = append(out, f)
		}
	}
	return out
}

func (m message) has(num protowire.Number) bool {
	_, ok := m.get(num)
	return ok
}

func (m message) bytes(num protowire.Number) []byte {
	f, _ := m.get(num)
	return f.b
}

func (m message) text(num protowire.Number) string { return string(m.bytes(num)) }

func (m message) uint(num protowire.Number) uint64 {
	f, _ := m.get(num)
	return f.n
}

// sub parses a nested message as far as it is well formed.
func (m message) sub(num protowire.Number) message {
	sub, _ := parse(m.bytes(num)) // the fields before a fault are worth keeping
	return sub
}

// all yields the values of a repeated length-delimited field.
func (m message) all(num protowire.Number) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range m {
			if m[i].num == num && m[i].typ == protowire.BytesType && !yield(m[i].b) {
				return
			}
		}
	}
}

func (m message) texts(num protowire.Number) []string {
	var out []string
	for b := range m.all(num) {
		out = append(out, string(b))
	}
	return out
}

// entries yields the entries of a map field with string keys.
func (m message) entries(num protowire.Number) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for b := range m.all(num) {
			entry, _ := parse(b)
			if !yield(entry.text(1), entry.bytes(2)) {
				return
			}
		}
	}
}

// millis reads a time in ms since 1970; zero, and what no clock shows, is none.
func (m message) millis(num protowire.Number) time.Time { return fromMillis(m.uint(num)) }

func fromMillis(ms uint64) time.Time {
	if ms == 0 || ms > 253402300799999 { // year 9999
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// isID reports whether bytes in an id's place are an id; other lengths are the
// content itself.
func isID(b []byte) bool { return len(b) == sha256.Size }

// idOf names content as the stores do.
func idOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
