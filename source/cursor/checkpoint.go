package cursor

import (
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/retold-history/retold/internal/jscan"
	"github.com/retold-history/retold/internal/paths"
)

// checkpointDiff is step 8 of the ladder of formats C.6. A checkpoint holds the
// state of the files at one moment, as line diffs against version 0 (C.8): one
// that shows this very edit under way has its text before and after; else the
// checkpoints before and after tell what became of the file, of the one edit
// where the bubble names both, of the whole turn where only its neighbours do.
func (m *mapper) checkpointDiff(path string, data *toolData, b *bubble) string {
	if m.composer == nil || m.read == nil || m.index == nil {
		return ""
	}
	m.index.once.Do(func() { m.index.build(m.composer) })
	v0, ok := versionZero(m.index.file(path), m.read)
	if !ok {
		return ""
	}
	ids, note := [2]string{b.checkpointID, b.afterCheckpoint}, ""
	if (ids[0] == "" || ids[1] == "") && m.around != nil {
		ids, note = m.around(b.id), "all changes of this turn"
	}
	before, after := m.checkpoint(ids[0]), m.checkpoint(ids[1])
	for _, c := range []jscan.Value{after, before} {
		if d := m.activeDiff(path, v0, c, data); d != "" {
			return d
		}
	}
	if before == nil || after == nil {
		return ""
	}
	from, ok1 := stateAt(path, v0, before)
	to, ok2 := stateAt(path, v0, after)
	if !ok1 || !ok2 {
		return ""
	}
	d := unified(path, from, to)
	if note != "" {
		d = strings.Replace(d, " @@\n", " @@ "+note+"\n", 1)
	}
	return d
}

func (m *mapper) checkpoint(id string) jscan.Value {
	if id == "" {
		return nil
	}
	return m.record("checkpointId:" + m.composer.id + ":" + id)
}

// activeDiff reads the edit from a checkpoint made while it waited to be
// accepted.
func (m *mapper) activeDiff(path, v0 string, checkpoint jscan.Value, data *toolData) string {
	block := data.extra.First("codeblockId", "codeBlockId").Str()
	for d := range checkpoint.Get("activeInlineDiffs").Items() {
		if block == "" || d.Get("codeBlockId").Str() != block || !sameFile(d.Get("uri"), path) {
			continue
		}
		lines := strings.Split(v0, "\n")
		before, ok1 := applyLines(lines, d.Get("originalTextDiffWrtV0"))
		after, ok2 := applyLines(lines, d.Get("newTextDiffWrtV0"))
		if ok1 && ok2 {
			return unified(path, strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
	}
	return ""
}

// stateAt is a file's text at a checkpoint; one that it does not mention is as it
// was in version 0.
func stateAt(path, v0 string, checkpoint jscan.Value) (string, bool) {
	for f := range checkpoint.Get("files").Items() {
		if sameFile(f.Get("uri"), path) {
			lines, ok := applyLines(strings.Split(v0, "\n"), f.Get("originalModelDiffWrtV0"))
			return strings.Join(lines, "\n"), ok
		}
	}
	for f := range checkpoint.Get("nonExistentFiles").Items() {
		if sameFile(f, path) || sameFile(f.Get("uri"), path) {
			return "", true
		}
	}
	return v0, true
}

// sameFile compares an address with a path, which may be relative.
func sameFile(uri jscan.Value, path string) bool {
	p := strings.ReplaceAll(uriPath(uri), `\`, "/")
	path = strings.ReplaceAll(paths.ParseURI(path).Path, `\`, "/")
	return p != "" && path != "" && (p == path || strings.HasSuffix(p, "/"+path))
}

// around finds the checkpoints of the messages of the person before and behind a
// bubble; behind the last one stands the conversation's own.
func (r *reader) around(bubbleID string) (ids [2]string) {
	r.agentMu.Lock()
	defer r.agentMu.Unlock()
	if r.turns == nil {
		r.turns = map[string][2]int{}
		last := -1
		for i, s := range r.order.slots {
			if s.kind == 1 {
				last = i
			}
			r.turns[s.id] = [2]int{last, len(r.order.slots)}
		}
		next := len(r.order.slots)
		for i, s := range slices.Backward(r.order.slots) {
			r.turns[s.id] = [2]int{r.turns[s.id][0], next}
			if s.kind == 1 {
				next = i
			}
		}
	}
	at, ok := r.turns[bubbleID]
	if !ok {
		return ids
	}
	for n, i := range at {
		switch {
		case i >= 0 && i < len(r.order.slots):
			ids[n] = r.checkpointOf(r.order.slots[i])
		case n == 1:
			ids[n] = r.g.full.checkpointID
		}
	}
	return ids
}

// checkpointOf reads which checkpoint a message names. One that cannot be read
// names none; that is told where the message itself is read.
func (r *reader) checkpointOf(s slot) string {
	if id, ok := r.checkpoints[s.id]; ok {
		return id
	}
	id := ""
	err := r.g.db.Read(r.ctx, func(conn *sqlite.Conn) error {
		value, err := readBubble(conn, "bubbleId:"+r.chat.id+":"+s.id, s.rowid)
		if err != nil {
			return err
		}
		if v, parseErr := jscan.Parse(value.value); parseErr == nil {
			id = v.Get("checkpointId").Str()
		}
		return nil
	})
	if err == nil {
		r.checkpoints[s.id] = id
	}
	return id
}
