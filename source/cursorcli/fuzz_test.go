package cursorcli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/source/cursorcli"
)

const variants = "testdata/sdk/transcript-variants/agent-transcripts/ae4f281d-f5a5-40ff-acad-6371f76d5c29/"

func FuzzTranscript(f *testing.F) {
	files, err := filepath.Glob(variants + "*")
	if err != nil || len(files) == 0 {
		f.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, ext := range []string{".jsonl", ".txt", ".json"} {
			f.Add(ext, b)
		}
	}
	f.Add(".jsonl", []byte("{\"role\":\"user\",\"content\":\"<rules><rules></rules>\"}\n{\"type\":\"error\",\"error\":{}}"))
	f.Add(".txt", []byte("user:\n\nassistant:\n[Tool call] X\n  a: [1]\n\n  b: \"\n[Thinking]\n\nTurn ended: error: x."))
	f.Fuzz(func(t *testing.T, ext string, b []byte) {
		messages, problems, err := cursorcli.ParseTranscript(ext, b)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for i, m := range messages {
			if m.Index != i || ids[m.ID] || (m.Tool != nil) != (m.Role == retold.RoleTool) {
				t.Fatalf("message %d: %+v", i, m)
			}
			ids[m.ID] = true
			if m.Tool != nil && m.Tool.Params != nil && (!json.Valid(m.Tool.Params) || m.Tool.Params[0] != '{') {
				t.Fatalf("params are no object: %q", m.Tool.Params)
			}
		}
		for _, p := range problems {
			if p.Kind == "" || p.Reason == "" {
				t.Fatalf("%+v", p)
			}
		}
		for _, m := range cursorcli.Lacking(messages, messages) {
			t.Fatalf("a transcript lacks its own message %+v", m)
		}
	})
}

// FuzzMemory reads what Track keeps: whatever became of it, it is read or left,
// at a cost that follows its size.
func FuzzMemory(f *testing.F) {
	place := retold.Place{Path: sdkHome, Kind: "home"}
	k, err := source(sdkHome).Track(f.Context(), place, nil, false)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(k.Memory[cursorcli.MemoryHead:])
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, body []byte) { cursorcli.ReadMemory(body) })
}
