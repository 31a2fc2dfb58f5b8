package journal_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/retold-history/retold/demo/vscdb"
)

// A protoBytes is a message under construction, as protobuf spells it.
type protoBytes []byte

func (p protoBytes) bytes(n protowire.Number, v []byte) protoBytes {
	return protowire.AppendBytes(protowire.AppendTag(p, n, protowire.BytesType), v)
}

func (p protoBytes) str(n protowire.Number, v string) protoBytes { return p.bytes(n, []byte(v)) }

func (p protoBytes) num(n protowire.Number, v int64) protoBytes {
	return protowire.AppendVarint(protowire.AppendTag(p, n, protowire.VarintType), uint64(v))
}

// store writes a conversation of the command line: store.db and meta.json.
func (h *cursorHome) store(t *talk) {
	dir := filepath.Join(h.home, "chats", hexMD5(t.workspace), t.id)
	db, err := vscdb.Create(h.ctx, filepath.Join(dir, "store.db"), vscdb.Store)
	if err != nil {
		h.done(err)
		return
	}
	put := func(value []byte) []byte {
		id, err := db.Blob(value)
		h.done(err)
		return id[:]
	}
	var turns [][]byte
	var turn protoBytes
	end := func() {
		if turn != nil {
			turns = append(turns, put(protoBytes{}.bytes(1, turn)))
		}
	}
	for i, s := range t.steps {
		at := s.at.UnixMilli()
		switch s.kind {
		case "user":
			end()
			turn = protoBytes{}.bytes(1, put(protoBytes{}.str(1, s.text).str(2, corpusID(t.id, isoTime(s.at))).num(4, 1).num(25, at)))
		case "assistant":
			turn = turn.bytes(2, put(protoBytes{}.bytes(1, protoBytes{}.str(1, s.text).num(2, at).num(3, at+900))))
		default:
			turn = turn.bytes(2, put(protoBytes{}.bytes(2, s.protoBytes(t, i))))
		}
	}
	end()
	root := protoBytes{}.bytes(5, protoBytes{}.num(1, 12000).num(2, 200000))
	for _, id := range turns {
		root = root.bytes(8, id)
	}
	root = root.str(9, "file://"+t.workspace).num(10, 1)
	if t.branch != "" {
		root = root.str(19, t.branch)
	}
	id := put(root.num(26, t.steps[0].at.UnixMilli()).str(27, "Europe/Lisbon"))
	h.done(db.Meta([]byte(toJSON(obj{
		"agentId": t.id, "latestRootBlobId": hex.EncodeToString(id), "name": t.scenario, "mode": "default", "createdAt": t.steps[0].at.UnixMilli(),
	}))))
	h.done(db.Close())
	last := t.steps[len(t.steps)-1].at
	h.done(os.WriteFile(filepath.Join(dir, "meta.json"), []byte(toJSON(obj{
		"schemaVersion": 1, "cwd": t.workspace, "title": t.scenario, "createdAtMs": t.steps[0].at.UnixMilli(), "updatedAtMs": last.UnixMilli(), "hasConversation": true,
	})), 0o644))
}

// protoBytes is agent.v1.ToolCall of an edit, a write or a command.
func (s said) protoBytes(t *talk, i int) protoBytes {
	sum := sha256.Sum256([]byte(t.id + isoTime(s.at)))
	variant, args, outcome := protowire.Number(12), protoBytes{}.str(1, s.path), protoBytes(nil)
	switch s.kind {
	case "shell":
		variant, args = 1, protoBytes{}.str(1, s.command).str(2, t.workspace)
		outcome = protoBytes{}.bytes(1, protoBytes{}.str(1, s.command).str(2, t.workspace).num(3, int64(s.exit)).str(5, s.output))
	case "read":
		variant = 8
		outcome = protoBytes{}.bytes(1, protoBytes{}.str(1, s.text).str(7, s.path))
	default:
		outcome = protoBytes{}.bytes(1, protoBytes{}.str(1, s.path).str(6, s.before).str(7, s.after).str(8, "The file has been updated."))
	}
	madeCall := protoBytes{}.bytes(1, args).bytes(2, outcome)
	at := s.at.UnixMilli() + int64(i%3)
	return protoBytes{}.bytes(variant, madeCall).str(57, "toolu_01"+hex.EncodeToString(sum[:11])).num(59, at).num(60, at+700)
}

// transcript writes the plain copy that agents keep: words and calls, no results,
// no times.
func (h *cursorHome) transcript(t *talk) {
	slug := strings.Trim(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '-'
	}, t.workspace), "-")
	for strings.Contains(slug, "--") {
		slug = strings.ReplaceAll(slug, "--", "-")
	}
	var b strings.Builder
	line := func(role string, part obj) {
		b.WriteString(toJSON(obj{"role": role, "message": obj{"content": []obj{part}}}) + "\n")
	}
	for _, s := range t.steps {
		switch s.kind {
		case "user":
			line("user", obj{"type": "text", "text": "<user_query>\n" + s.text + "\n</user_query>"})
		case "assistant":
			line("assistant", obj{"type": "text", "text": s.text})
		case "shell":
			line("assistant", obj{"type": "tool_use", "name": "Shell", "input": obj{"command": s.command}})
		case "write":
			line("assistant", obj{"type": "tool_use", "name": "Write", "input": obj{"path": s.path, "contents": s.after}})
		case "edit":
			for _, hunk := range s.hunks {
				before, after := hunkSides(hunk)
				line("assistant", obj{"type": "tool_use", "name": "StrReplace", "input": obj{"path": s.path, "old_string": before, "new_string": after}})
			}
		}
	}
	path := filepath.Join(h.home, "projects", slug, "agent-transcripts", t.id, t.id+".jsonl")
	h.done(os.MkdirAll(filepath.Dir(path), 0o755))
	h.done(os.WriteFile(path, []byte(b.String()), 0o644))
	h.done(os.Chtimes(path, t.steps[len(t.steps)-1].at, t.steps[len(t.steps)-1].at))
}
