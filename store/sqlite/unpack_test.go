package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestUnpack: pages of all sizes come back, packed against a primer of any size
// or none, from one unpacker in any order; and the quick way and the slow one say
// the same.
func TestUnpack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) (b []byte) {
		for len(b) < n {
			b = fmt.Appendf(b, "line %d of %x\n", r.IntN(50), r.Uint64()>>(8*r.IntN(8)))
		}
		return b[:n]
	}
	primers := []*primer{newPrimer(1, text(128<<10)), newPrimer(2, text(300)), newPrimer(3, text(300<<10))}
	u, err := borrowUnpacker()
	must(t, err)
	defer u.giveBack()
	for _, n := range []int{1, 31, 32, 255, 256, 300, 70_000, 160 << 10, 1 << 20, 3 << 20, mostUnpacked} {
		raw := append(text(n/2), primers[n%3].text[:min(n-n/2, len(primers[n%3].text))]...)
		plain, err := pack(nil, raw)
		must(t, err)
		pages := []packedPage{{data: plain}, {data: append([]byte{packedPlain}, raw...)}}
		for _, p := range primers {
			data, err := p.pack(nil, raw)
			must(t, err)
			pages = append(pages, packedPage{data: data[2:], primer: p})
		}
		for i, p := range pages {
			got, err := u.unpack(p)
			if err != nil || !bytes.Equal(got, raw) {
				t.Fatalf("%d bytes, way %d: %d bytes other than packed, %v", len(raw), i, len(got), err)
			}
			if p.primer == nil {
				continue
			}
			slow, err := p.primer.unpack(p.data)
			if err != nil || !bytes.Equal(slow, raw) {
				t.Fatalf("%d bytes, way %d, slowly: %v", len(raw), i, err)
			}
		}
	}
}

// TestUnpackNoticesDamage: no bit of a page can change unnoticed.
func TestUnpackNoticesDamage(t *testing.T) {
	p := newPrimer(1, bytes.Repeat([]byte("it is said again and again "), 30))
	raw := bytes.Repeat([]byte("again and again it was said, 0123456789 "), 9)
	data, err := p.pack(nil, raw)
	must(t, err)
	data = data[2:]
	u, err := borrowUnpacker()
	must(t, err)
	defer u.giveBack()
	for bit := range 8 * len(data) {
		data[bit/8] ^= 1 << (bit % 8)
		if got, err := u.unpack(packedPage{data: data, primer: p}); err == nil && !bytes.Equal(got, raw) {
			t.Errorf("bit %d: %q", bit, got)
		}
		data[bit/8] ^= 1 << (bit % 8)
	}
	if _, err := u.unpack(packedPage{primer: p}); err == nil {
		t.Error("no page at all, and no error")
	}
	if _, err := u.unpack(packedPage{}); !errors.Is(err, errDamaged) {
		t.Errorf("no page at all: %v", err)
	}
}
