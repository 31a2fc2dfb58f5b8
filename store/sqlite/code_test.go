package sqlite

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retold-history/retold"
)

var testNow = time.UnixMilli(1_760_000_000_000).UTC()

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// FuzzDecode: bytes that nobody here wrote are an error or a value, never a
// panic or a request for memory that they do not justify.
func FuzzDecode(f *testing.F) {
	one := 1
	m := &retold.Message{
		ID: "m", Role: retold.RoleTool, Content: "text", Timestamp: testNow, TimestampSource: retold.TimeStored, Tokens: &retold.Tokens{Input: 1},
		Attachments: []retold.Attachment{{Kind: "file", Name: "a"}}, Tool: &retold.ToolCall{Name: "run", Params: []byte("{}"), Files: []string{"a"}, ExitCode: &one},
	}
	var e encoder
	e.message(m)
	f.Add(e.b)
	h := &head{}
	h.add(7, 9, m)
	h.add(5, 9, &retold.Message{})
	f.Add(h.encode())
	f.Add((&manifest{title: 3, pages: []pageRef{{id: 2, messages: 3, raw: 100, low: 4, top: 9}, {id: 1, low: 1, top: 1}}}).encode())
	f.Add(encodeKept(&retold.Kept{Session: retold.Session{ID: "s", LinesAdded: &one}, Parts: []retold.Part{{Memory: []byte("x")}}}))
	f.Add(encodeProblems([]retold.Problem{{Kind: "missing"}}))
	f.Add((&docBlock{1, 2, titleLocation(4)}).encode())
	f.Add(deadSet{3: {}, 900: {}}.encode())
	packed, err := pack(nil, e.b)
	must(f, err)
	f.Add(packed)
	primed := newPrimer(1, bytes.Repeat([]byte("what pages have in common"), 20))
	packed, err = primed.pack(nil, e.b)
	must(f, err)
	f.Add(packed[2:]) // behind the number of the primer
	f.Fuzz(func(t *testing.T, b []byte) {
		r := pageReader{raw: b}
		_, _ = r.encoded(0)
		_, _ = r.encoded(3)
		d := &decoder{b: string(b)}
		d.message()
		_, _ = decodeHead(b, true)
		_, _ = decodeManifest(b)
		if k, err := decodeKept(string(b), true); err == nil {
			_ = decodeMemory(string(b), k.Parts)
		}
		_, _ = decodeProblems(string(b))
		_, _ = decodeDocBlock(b)
		_, _ = decodeDead(b, 3, 2000)
		if len(b) < 1<<16 {
			u, err := borrowUnpacker()
			must(t, err)
			_, _ = u.unpack(packedPage{data: b})
			_, _ = u.unpack(packedPage{data: b, primer: primed})
			u.giveBack()
		}
	})
}

func TestHeadAndManifest(t *testing.T) {
	h := &head{}
	h.add(900, 1<<63, &retold.Message{Role: retold.RoleUser, Timestamp: testNow})
	h.add(7, 5, &retold.Message{Role: retold.RoleError, Timestamp: time.Unix(-5, 0), Model: "m", Tokens: &retold.Tokens{Output: 4}})
	got, err := decodeHead(h.encode(), true)
	must(t, err)
	if diff := cmp.Diff(h, got, cmp.AllowUnexported(head{}, facts{}, timeFact{}, roleFact{}, modelFact{}, toolFact{})); diff != "" {
		t.Errorf("head (-want +got):\n%s", diff)
	}
	m := &manifest{title: 1 << 31, titleHash: 77, pages: []pageRef{{id: 9, messages: 1, raw: 1 << 30, low: 1 << 31, top: 1<<32 - 1}, {id: 3, low: 1, top: 1}}}
	back, err := decodeManifest(m.encode())
	must(t, err)
	if diff := cmp.Diff(m, back, cmp.AllowUnexported(manifest{}, pageRef{})); diff != "" {
		t.Errorf("manifest (-want +got):\n%s", diff)
	}
}

// TestHash: one bit more or less is another hash, and so is another length.
func TestHash(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	seen := map[uint64]bool{}
	for n := range 70 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		seen[hash(1, b)] = true
		for bit := range 8 * n {
			b[bit/8] ^= 1 << (bit % 8)
			if h := hash(1, b); seen[h] {
				t.Fatalf("%d bytes, bit %d: met before", n, bit)
			} else {
				seen[h] = true
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
		if seen[hash(2, b)] {
			t.Fatal("the seed does not matter")
		}
	}
}
