package index

import (
	"encoding/gob"
	"fmt"
	"os"
	"testing"

	"github.com/retold-history/retold"
)

func TestVocab(t *testing.T) {
	if os.Getenv("REAL") == "" {
		t.Skip("scratch")
	}
	var bytes int64
	var out [][]retold.Message
	f, _ := os.Open("/tmp/idxgen/msgs.gob")
	d := gob.NewDecoder(f)
	d.Decode(&bytes)
	d.Decode(&out)
	b := NewBuilder()
	doc := uint32(0)
	for si, s := range out {
		for i := range s {
			doc++
			b.Add(doc, uint32(si), &s[i])
		}
		if si%20 == 0 {
			fmt.Println(si, doc, "words", len(b.words), "arena", len(b.arena)>>10, "postings", len(b.postIDs), "bytes", b.Bytes()>>20, "tokens", b.tokens)
		}
	}
	hist := map[int]int{}
	dfs := map[int]int{}
	for i := range b.words {
		hist[min(int(b.words[i].n)/4, 20)]++
		dfs[min(int(b.words[i].df), 5)]++
	}
	fmt.Println("words", len(b.words), "arena", len(b.arena), "postings", len(b.postIDs))
	fmt.Println(hist, dfs)
	ids := b.sorted()
	for i := 0; i < len(ids); i += len(ids) / 150 {
		fmt.Printf("%q:%d ", b.vocabulary.text(ids[i]), b.words[ids[i]].df)
	}
	fmt.Println()
	m := &out[5][20]
	for i := range 30 {
		m = &out[5][20+i]
		c := m.Content
		if m.Tool != nil {
			c = string(m.Tool.Params) + "\n   " + string(m.Tool.Result)
		}
		fmt.Println(m.Role, c[:min(len(c), 600)])
	}
}
