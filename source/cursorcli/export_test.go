package cursorcli

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"

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

// ReadMemory decodes what Track keeps, behind its checksum, for tests.
func ReadMemory(body []byte) {
	b := binary.LittleEndian.AppendUint32([]byte{memoryVersion}, crc32.ChecksumIEEE(body))
	m, err := decodeMemory(append(b, body...))
	if err != nil || m.open() != nil {
		return
	}
	for key, n := range m.notes {
		switch key[:min(1, len(key))] {
		case string(noteFacts):
			decodeFacts(n.data, &storeRef{})
		case string(noteIndex):
			decodeAgents(n.data, "")
		}
	}
}

// MemoryHead is the length of what stands before the body of a memory.
const MemoryHead = memoryHead
