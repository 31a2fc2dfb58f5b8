package export_test

import (
	"io"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/export"
)

func BenchmarkLongSession(b *testing.B) {
	d := &retold.SessionDetail{Session: retold.Session{ID: "long", Agent: "cursor"}}
	for len(d.Messages) < 10_000 {
		d.Messages = append(d.Messages, everySession().Messages[:24]...)
	}
	for i := range d.Messages {
		d.Messages[i].Index = i
	}
	for _, f := range export.Formats {
		b.Run(string(f), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := export.Session(io.Discard, f, d, export.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
