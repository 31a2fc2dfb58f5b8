package cursorcli

import (
	"bytes"
	"context"

	"github.com/retold-history/retold"
	"github.com/retold-history/retold/internal/agentstate"
)

// ParseTranscript reads a transcript from memory, for tests.
func ParseTranscript(ext string, b []byte) ([]retold.Message, []retold.Problem, error) {
	t := &transcript{lines: map[string]int{}, bytes: map[string]int64{}}
	var err error
	switch ext {
	case ".jsonl":
		err = t.readLines(context.Background(), bytes.NewReader(b))
	case ".json":
		t.readJSON(b)
	default:
		t.readText(string(b))
	}
	agentstate.Number(t.messages)
	return t.messages, t.problems, err
}

// Lacking returns what a copy of a session has beyond the other, for tests.
func Lacking(base, copy []retold.Message) []retold.Message { return newBackbone(base).lacking(copy) }
