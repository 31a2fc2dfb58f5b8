package cursorcli

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"maps"
	"slices"
	"time"
)

// memoryVersion starts a memory; one of another version is as good as none. Then
// follows the checksum of the rest.
const (
	memoryVersion = 1
	memoryHead    = 5
)

// A memory is what one Track leaves for the next.
type memory struct {
	retry    bool              // something could not be read that another time may
	looks    []stamped         // every look, by key
	notes    map[string]note   // what was read, by key
	sessions map[string]uint64 // id → sum of its header and the stamps of its files

	rest []byte // notes and sessions, until they are wanted
}

type stamped struct {
	key   string
	stamp uint64
}

// encode writes a memory. Keys are sorted and share their beginnings, which for
// paths is most of them.
func (m *memory) encode() []byte {
	b := appendBool(make([]byte, memoryHead), m.retry)
	b = appendInt(b, int64(len(m.looks)))
	last := ""
	for _, l := range m.looks {
		b = appendKey(b, last, l.key)
		b = binary.LittleEndian.AppendUint64(b, l.stamp)
		last = l.key
	}
	b, last = appendInt(b, int64(len(m.notes))), ""
	for _, key := range slices.Sorted(maps.Keys(m.notes)) {
		b = appendKey(b, last, key)
		b = binary.LittleEndian.AppendUint64(b, m.notes[key].stamp)
		b = appendText(b, string(m.notes[key].data))
		last = key
	}
	b, last = appendInt(b, int64(len(m.sessions))), ""
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		b = appendKey(b, last, id)
		b = binary.LittleEndian.AppendUint64(b, m.sessions[id])
		last = id
	}
	b[0] = memoryVersion
	binary.LittleEndian.PutUint32(b[1:], crc32.ChecksumIEEE(b[memoryHead:]))
	return b
}

var errMemory = errors.New("not a memory of this version")

// decodeMemory reads the looks; the rest is read by open.
func decodeMemory(b []byte) (*memory, error) {
	if len(b) < memoryHead || b[0] != memoryVersion || binary.LittleEndian.Uint32(b[1:]) != crc32.ChecksumIEEE(b[memoryHead:]) {
		return nil, errMemory
	}
	d := decoder{b: b[memoryHead:]}
	m := &memory{retry: d.byte() != 0}
	key := ""
	for n := d.count(); n > 0 && !d.bad; n-- {
		key = d.key(key)
		m.looks = append(m.looks, stamped{key, d.fixed()})
	}
	m.rest = d.b
	if d.bad {
		return nil, errMemory
	}
	return m, nil
}

// open reads what decodeMemory left.
func (m *memory) open() error {
	d := decoder{b: m.rest}
	m.notes, m.sessions = map[string]note{}, map[string]uint64{}
	key := ""
	for n := d.count(); n > 0 && !d.bad; n-- {
		key = d.key(key)
		m.notes[key] = note{d.fixed(), d.bytes()}
	}
	key = ""
	for n := d.count(); n > 0 && !d.bad; n-- {
		key = d.key(key)
		m.sessions[key] = d.fixed()
	}
	if d.bad || len(d.b) > 0 {
		return errMemory
	}
	return nil
}

func appendInt(b []byte, n int64) []byte { return binary.AppendVarint(b, n) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendText(b []byte, s string) []byte { return append(appendInt(b, int64(len(s))), s...) }

// appendTime keeps what UnixNano cannot: the years before 1678 and after 2262.
func appendTime(b []byte, t time.Time) []byte {
	return appendInt(appendInt(b, t.Unix()), int64(t.Nanosecond()))
}

// appendKey writes a key as what it has beyond the one before it.
func appendKey(b []byte, last, key string) []byte {
	same := 0
	for same < min(len(last), len(key)) && last[same] == key[same] {
		same++
	}
	return appendText(appendInt(b, int64(same)), key[same:])
}

// A decoder reads what the functions above wrote. What does not fit makes it bad;
// from then on it reads zeroes.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) fail() { d.b, d.bad = nil, true }

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.b)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return n
}

// count reads the number of things of at least a byte each.
func (d *decoder) count() int {
	n := d.int()
	if n < 0 || n > int64(len(d.b)) {
		d.fail()
		return 0
	}
	return int(n)
}

func (d *decoder) bytes() []byte {
	n := d.count()
	out := d.b[:n:n]
	d.b = d.b[n:]
	return out
}

func (d *decoder) text() string { return string(d.bytes()) }

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail()
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) bool() bool { return d.byte() != 0 }

func (d *decoder) fixed() uint64 {
	if len(d.b) < 8 {
		d.fail()
		return 0
	}
	n := binary.LittleEndian.Uint64(d.b)
	d.b = d.b[8:]
	return n
}

func (d *decoder) time() time.Time {
	sec, nsec := d.int(), d.int()
	if d.bad || nsec < 0 || nsec >= int64(time.Second) {
		d.fail()
		return time.Time{}
	}
	return time.Unix(sec, nsec).UTC()
}

func (d *decoder) key(last string) string {
	same := d.int()
	if same < 0 || same > int64(len(last)) {
		d.fail()
		return ""
	}
	rest := d.bytes()
	return last[:same] + string(rest)
}
