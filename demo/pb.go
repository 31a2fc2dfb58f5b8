package demo

import "google.golang.org/protobuf/encoding/protowire"

// A pb is a protobuf message under construction.
type pb []byte

func (b pb) str(n protowire.Number, v string) pb { return b.bytes(n, []byte(v)) }

func (b pb) bytes(n protowire.Number, v []byte) pb {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

func (b pb) num(n protowire.Number, v int64) pb {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), uint64(v))
}

// opt is str, left out when empty.
func (b pb) opt(n protowire.Number, v string) pb {
	if v == "" {
		return b
	}
	return b.str(n, v)
}

func (b pb) list(n protowire.Number, v []string) pb {
	for _, s := range v {
		b = b.str(n, s)
	}
	return b
}

func (b pb) ids(n protowire.Number, v [][32]byte) pb {
	for _, id := range v {
		b = b.bytes(n, id[:])
	}
	return b
}

// pair is an entry of a map<string, message>.
func (b pb) pair(n protowire.Number, key string, v pb) pb {
	return b.bytes(n, pb{}.str(1, key).bytes(2, v))
}

func pbNumber(n int) protowire.Number { return protowire.Number(n) }
